import { StrictMode, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";

declare const VARIANT: "peer" | "chatwire";

/** Which package the page was built with. */
export const variant = VARIANT;

/** A test of the page. */
interface PageTest {
  readonly name: string;
  readonly only: string | undefined;
  readonly run: () => Promise<void>;
}

export const tests: PageTest[] = [];

/**
 * Adds a test.
 *
 * @param only why it cannot hold for the AI SDK: the id of a difference in tests/differences.md, or
 *   "own" for what only chatwire has. Without it the test holds for both.
 */
export function test(name: string, run: () => Promise<void>, only?: string): void {
  tests.push({ name, only, run });
}

const mounted: Root[] = [];

/** Renders into a fresh element of the page. */
export function mount(
  node: ReactNode,
  { strict = false }: { strict?: boolean } = {},
): { element: HTMLElement; render: (node: ReactNode) => void; unmount: () => void } {
  const element = document.createElement("div");
  document.body.append(element);
  const root = createRoot(element);
  mounted.push(root);
  const render = (node: ReactNode) => root.render(strict ? <StrictMode>{node}</StrictMode> : node);
  render(node);
  return { element, render, unmount: () => root.unmount() };
}

/** Takes everything off the page. */
export function unmountAll(): void {
  for (const root of mounted.splice(0)) root.unmount();
  document.body.replaceChildren();
}

/** Waits until the condition holds. */
export async function until(condition: () => unknown, what = String(condition)): Promise<void> {
  const end = performance.now() + 5000;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Waits a while. */
export const sleep = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** Fails unless both are the same as JSON. */
export function equal(actual: unknown, expected: unknown, what = ""): void {
  const [first, second] = [actual, expected].map((value) => JSON.stringify(value, undefined, 1));
  if (first !== second) throw new Error(`${what}\nactual: ${first}\nexpected: ${second}`);
}

/** Fails unless the condition holds. */
export function ok(condition: unknown, what: string): void {
  if (!condition) throw new Error(what);
}
