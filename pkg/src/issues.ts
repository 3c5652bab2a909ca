/**
 * Faults of messages and of values, and the error that lists them.
 *
 * @module
 */

import { type ChatwireError, makeError, type ValidationIssue } from "./errors.js";

/** Most faults that are listed; all are counted. The crate has the same bound. */
const MAX_ISSUES = 100;

/** How many of them the error's message tells. */
const TOLD_ISSUES = 3;

/** Faults as they are found. */
export class Issues {
  readonly list: ValidationIssue[] = [];
  total = 0;

  /** Adds faults of the value at `path`. `total`: how many there are, when not all are given. */
  add(
    issues: readonly ValidationIssue[],
    path: readonly (string | number)[] = [],
    total: number = issues.length,
  ): void {
    this.total += total;
    for (const issue of issues.slice(0, MAX_ISSUES - this.list.length)) {
      this.list.push(path.length === 0 ? issue : { ...issue, path: [...path, ...issue.path] });
    }
  }

  /** The error of a value that has these faults. */
  toError(value: unknown, cause?: unknown): ChatwireError {
    const told = this.list.slice(0, TOLD_ISSUES).map(({ path, message }) => {
      return path.length === 0 ? message : `${pathText(path)}: ${message}`;
    });
    const untold = this.total - told.length;
    return makeError({
      code: "invalid_value",
      name: "AI_TypeValidationError",
      message: `Type validation failed: ${told.join("; ")}${untold > 0 ? `; and ${untold} more` : ""}`,
      value,
      cause,
      issues: this.list,
      totalIssues: this.total,
    });
  }
}

/** `[0].parts[1].text` */
function pathText(path: readonly (string | number)[]): string {
  return path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .replace(/^\./, "");
}
