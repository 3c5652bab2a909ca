/**
 * Schemas of the app: Standard Schema (zod, valibot, arktype), JSON Schema, and the AI SDK's own kind.
 *
 * @module
 */

import type { ChatwireError, ValidationIssue } from "./errors.js";
import { Issues } from "./issues.js";

/** What a schema says about a value. */
export type SchemaResult<T> =
  | { readonly success: true; readonly value: T }
  | { readonly success: false; readonly error: Error };

/** A schema by the Standard Schema specification, version 1: zod 3.24 and later, valibot, arktype. */
export interface StandardSchema<T = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (
      value: unknown,
    ) => StandardSchemaResult<T> | PromiseLike<StandardSchemaResult<T>>;
    readonly types?: { readonly input: unknown; readonly output: T } | undefined;
  };
}

/** See {@link StandardSchema}. */
export type StandardSchemaResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly StandardSchemaIssue[] };

/** See {@link StandardSchema}. */
export interface StandardSchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A schema made with the AI SDK's `jsonSchema` or `zodSchema`. Without `validate` it accepts all. */
export interface Schema<T = unknown> {
  readonly _type: T;
  readonly validate?: (value: unknown) => SchemaResult<T> | PromiseLike<SchemaResult<T>>;
  readonly jsonSchema: object | PromiseLike<object>;
}

/**
 * A JSON Schema of draft 7, or of the draft that its `$schema` names. It says nothing of `undefined`,
 * which therefore passes.
 */
export type JSONSchema = (
  | { readonly [keyword: string]: unknown }
  | {
      readonly type?: string | readonly string[];
      readonly properties?: object;
      readonly items?: unknown;
      readonly enum?: readonly unknown[];
      readonly $ref?: string;
    }
) & { readonly "~standard"?: never; readonly jsonSchema?: never };

/** What is accepted as a schema. A function is called when the schema is needed. */
export type FlexibleSchema<T = unknown> =
  | StandardSchema<T>
  | Schema<T>
  | (() => Schema<T>)
  | JSONSchema;

/** The type of the values that a schema gives. `unknown` for a JSON Schema. */
export type InferSchema<SCHEMA> = SCHEMA extends StandardSchema<infer T>
  ? T
  : SCHEMA extends () => Schema<infer T>
    ? T
    : SCHEMA extends Schema<infer T>
      ? T
      : SCHEMA extends JSONSchema
        ? unknown
        : never;

/** Schemas of data parts by name, without `data-`. */
export type UIDataPartSchemas = { [name: string]: FlexibleSchema };

/** The types of data parts, from their schemas. */
export type InferUIDataParts<SCHEMAS extends UIDataPartSchemas> = {
  [NAME in keyof SCHEMAS]: InferSchema<SCHEMAS[NAME]>;
};

/**
 * The AI SDK's way to give a JSON Schema a type and a check of the app's own. Without `validate` every
 * value passes; a plain JSON Schema object is checked.
 */
export function jsonSchema<T = unknown>(
  schema: object | PromiseLike<object> | (() => object | PromiseLike<object>),
  { validate }: { validate?: NonNullable<Schema<T>["validate"]> } = {},
): Schema<T> {
  return {
    // By which the AI SDK recognises its schemas.
    [Symbol.for("vercel.ai.schema")]: true,
    _type: undefined as T, // for the type only
    get jsonSchema() {
      return typeof schema === "function" ? (schema as () => object)() : schema;
    },
    ...(validate && { validate }),
  } as Schema<T>;
}

/** Checks a value. A fault, and a schema that throws, is an `AI_TypeValidationError` with `issues`. */
export async function checkSchema<T>(
  schema: FlexibleSchema<T>,
  value: unknown,
): Promise<{ success: true; value: T } | { success: false; error: ChatwireError }> {
  try {
    if (isStandardSchema(schema)) {
      const result = await schema["~standard"].validate(value);
      if (result.issues === undefined) return { success: true, value: result.value };
      return failure(value, result.issues.map(issueOf), result.issues);
    }
    if (isJSONSchema(schema)) {
      // By name, so that it is loaded only where it is used.
      const { checkJSONSchema } = await import("chatwire/json-schema");
      const issues = await checkJSONSchema(schema, value);
      return issues.length === 0 ? { success: true, value: value as T } : failure(value, issues);
    }
    const { validate } = typeof schema === "function" ? schema() : schema;
    const result = validate ? await validate(value) : { success: true as const, value: value as T };
    if (result.success) return { success: true, value: result.value };
    return failure(value, issuesBehind(result.error), result.error);
  } catch (error) {
    return failure(value, issuesBehind(error), error);
  }
}

function isStandardSchema<T>(schema: FlexibleSchema<T>): schema is StandardSchema<T> {
  return "~standard" in schema;
}

function isJSONSchema<T>(schema: FlexibleSchema<T>): schema is JSONSchema {
  return typeof schema === "object" && !("jsonSchema" in schema);
}

function failure(value: unknown, found: readonly ValidationIssue[], cause?: unknown) {
  const issues = new Issues();
  issues.add(found);
  return { success: false as const, error: issues.toError(value, cause) };
}

function issueOf({ message, path = [] }: StandardSchemaIssue): ValidationIssue {
  // Not `path.map`: a library's own class of arrays would make one of its own again.
  const steps = Array.from(path, (step) => {
    const key = typeof step === "object" ? step.key : step;
    return typeof key === "symbol" ? String(key) : key;
  });
  return { path: steps, code: "schema", message };
}

/** The faults that an error lists, as zod's do; else the error itself is the fault. */
function issuesBehind(error: unknown): ValidationIssue[] {
  const { issues, cause } = Object(error) as { issues?: unknown; cause?: unknown };
  for (const list of [issues, cause, Object(cause).issues]) {
    if (Array.isArray(list)) return (list as StandardSchemaIssue[]).map(issueOf);
  }
  return [issueOf({ message: error instanceof Error ? error.message : String(error) })];
}
