/**
 * Values of a response against the app's schemas, as they come.
 *
 * @module
 */

import type { ChatInit } from "./chat-types.js";
import { Issues } from "./issues.js";
import type { UIMessage } from "./message-types.js";
import { checkSchema, type FlexibleSchema } from "./schema.js";

/**
 * Throws what the app's schema has against a value, if there is a schema for it.
 *
 * @param type of the data part; `undefined` for metadata.
 */
export async function checkStreamedValue<UI_MESSAGE extends UIMessage>(
  { dataPartSchemas = {}, messageMetadataSchema }: ChatInit<UI_MESSAGE>,
  type: string | undefined,
  value: unknown,
): Promise<void> {
  const schemas = dataPartSchemas as Record<string, FlexibleSchema>;
  const name = type?.slice("data-".length);
  const own = name !== undefined && Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  const schema = name === undefined ? messageMetadataSchema : own;
  if (!schema) return;
  const result = await checkSchema(schema as FlexibleSchema, value);
  if (result.success) return;
  const issues = new Issues();
  const { issues: found = [], totalIssues, cause } = result.error;
  issues.add(found, type === undefined ? ["metadata"] : [type, "data"], totalIssues);
  throw issues.toError(value, cause);
}
