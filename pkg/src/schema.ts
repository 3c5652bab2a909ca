/**
 * Schemas of the app: Standard Schema (zod, valibot, arktype) and the AI SDK's own kind.
 *
 * @module
 */

import { type ChatwireError, makeError } from "./errors.js";

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

/** What is accepted as a schema. A function is called when the schema is needed. */
export type FlexibleSchema<T = unknown> = StandardSchema<T> | Schema<T> | (() => Schema<T>);

/** The type of the values that a schema gives. */
export type InferSchema<SCHEMA> = SCHEMA extends StandardSchema<infer T>
  ? T
  : SCHEMA extends () => Schema<infer T>
    ? T
    : SCHEMA extends Schema<infer T>
      ? T
      : never;

/** Checks a value. A fault, and a schema that throws, is an `AI_TypeValidationError`. */
export async function checkSchema<T>(
  schema: FlexibleSchema<T>,
  value: unknown,
): Promise<{ success: true; value: T } | { success: false; error: ChatwireError }> {
  try {
    if ("~standard" in schema) {
      const result = await schema["~standard"].validate(value);
      return result.issues === undefined
        ? { success: true, value: result.value }
        : { success: false, error: validationError(value, describe(result.issues), result.issues) };
    }
    const { validate } = typeof schema === "function" ? schema() : schema;
    const result = validate ? await validate(value) : { success: true as const, value: value as T };
    return result.success
      ? { success: true, value: result.value }
      : { success: false, error: validationError(value, result.error.message, result.error) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { success: false, error: validationError(value, message, error) };
  }
}

function validationError(value: unknown, message: string, cause: unknown): ChatwireError {
  return makeError({
    code: "invalid_value",
    name: "AI_TypeValidationError",
    message: `Type validation failed: ${message}`,
    value,
    cause,
  });
}

function describe(issues: readonly StandardSchemaIssue[]): string {
  return issues
    .map(({ message, path = [] }) => {
      const keys = path.map((key) => String(typeof key === "object" ? key.key : key));
      return keys.length > 0 ? `${message} at ${keys.join(".")}` : message;
    })
    .join("; ");
}
