/**
 * `chatwire/json-schema`: checks values against JSON Schemas by interpreting them. No code is
 * generated, so it runs under any Content-Security-Policy. The package loads it when a JSON Schema is
 * first used.
 *
 * @module
 */

import type { OutputUnit, Schema, SchemaDraft, Validator } from "@cfworker/json-schema";
import type { ValidationIssue } from "./errors.js";

const validators = /* @__PURE__ */ new WeakMap<object, Validator>();

/**
 * The faults of a value; none if it matches. `undefined` always does: JSON has no such value.
 *
 * @param schema of draft 7, or of draft 4, 2019-09 or 2020-12 if its `$schema` says so. Formats are
 *   checked. Read once: later changes have no effect.
 * @throws Error when the schema cannot be used, as when it refers to another one.
 */
export async function checkJSONSchema(schema: object, value: unknown): Promise<ValidationIssue[]> {
  if (value === undefined) return [];
  const validator = validators.get(schema) ?? (await createValidator(schema));
  validators.set(schema, validator);
  const { errors } = validator.validate(value);
  return errors.filter(isCause).map(({ instanceLocation, error }) => ({
    path: pathOf(instanceLocation, value),
    code: "schema",
    message: error.replace(/\.$/, ""),
  }));
}

async function createValidator(schema: object): Promise<Validator> {
  // Not with the module: it looks at the page's address when it is evaluated.
  const { Validator } = await import("@cfworker/json-schema");
  // A copy, since the validator writes its own notes into the schema.
  const copy = JSON.parse(JSON.stringify(schema)) as Schema;
  const findsAll = false; // "short circuit"
  return new Validator(copy, draftOf(copy.$schema), findsAll);
}

function draftOf($schema: unknown): SchemaDraft {
  const drafts: [string, SchemaDraft][] = [
    ["draft-04", "4"],
    ["2019-09", "2019-09"],
    ["2020-12", "2020-12"],
  ];
  return drafts.find(([name]) => String($schema).includes(name))?.[1] ?? "7";
}

/** Whether an error is not only that of a schema around the next one. */
function isCause({ keywordLocation }: OutputUnit, index: number, errors: OutputUnit[]): boolean {
  return !errors[index + 1]?.keywordLocation.startsWith(`${keywordLocation}/`);
}

/** The keys and indices of a JSON Pointer in a URI fragment. */
function pathOf(pointer: string, value: unknown): (string | number)[] {
  let at: unknown = value;
  return pointer
    .split("/")
    .slice(1)
    .map((step) => {
      const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
      const isIndex = Array.isArray(at);
      at = Object(at)[key];
      return isIndex ? Number(key) : key;
    });
}
