// The list of intended differences of the chat.

import { readFileSync } from "node:fs";

/** The tests that show each difference, by its number. @returns {Map<string, string[]>} */
export function listedDifferences() {
  const text = readFileSync(new URL("../../differences.md", import.meta.url), "utf8");
  const [, section] = text.split(/^## .*$/m);
  const rows = section.split("\n").filter((line) => /^\| \d/.test(line));
  return new Map(
    rows.map((row) => {
      const cells = row.split(" | ");
      return [cells[0].slice("| ".length), [...cells.at(-1).matchAll(/`([^`]+)`/g)].map(([, name]) => name)];
    }),
  );
}
