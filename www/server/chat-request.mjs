/** What requests about a chat have to look like. */
import { z } from 'zod';

import { RequestError } from './http.mjs';
import { findScenario } from './scenarios/index.mjs';

/** @import { IncomingMessage } from 'node:http' */
/** @import { Scenario } from './scenarios/index.mjs' */

/** Pause before each event, in milliseconds, when the request names none: as fast as a fast model. */
const DEFAULT_DELAY_MS = 15;

/** The body of `POST /api/chat`. */
export const chatRequest = z.object({
  id: z.string().min(1),
  messages: z.array(z.unknown()),
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  messageId: z.string().nullish(),
  reviewEdits: z.boolean().default(true),
});

/** The body of `POST /api/chat/<id>/cancel`. */
export const cancelRequest = z.object({
  messageId: z.string().nullish(),
  label: z.string().nullish(),
});

const flag = z.enum(['0', '1']).default('0').transform(value => value === '1');

const wholeNumber = z.string().regex(/^\d{1,6}$/, 'must be a whole number').transform(Number);

const query = z.object({
  scenario: z.string().default('plain'),
  delay: wholeNumber.default(DEFAULT_DELAY_MS),
  cut: wholeNumber.optional(),
  cutMode: z.enum(['end', 'destroy']).default('destroy'),
  resumable: flag,
  stored: flag,
});

/** @typedef {z.infer<typeof query>} Query */

/**
 * The options of `POST /api/chat`.
 *
 * @param {URL} url
 * @returns {Omit<Query, 'scenario'> & { scenario: Scenario }}
 * @throws {RequestError} 400
 */
export function parseQuery(url) {
  const parsed = query.safeParse(Object.fromEntries(url.searchParams));
  if (!parsed.success) throw new RequestError(400, 'invalid_query', z.prettifyError(parsed.error));
  const scenario = findScenario(parsed.data.scenario);
  if (scenario === undefined) {
    throw new RequestError(400, 'unknown_scenario', `There is no scenario “${parsed.data.scenario}”.`);
  }
  return { ...parsed.data, scenario };
}

/**
 * The body of a request.
 *
 * @template T
 * @param {IncomingMessage} request
 * @param {string} requestBody
 * @param {z.ZodType<T>} schema
 * @returns {T}
 * @throws {RequestError} 415, 400
 */
export function parseJson(request, requestBody, schema) {
  // Another site cannot send this type without asking first, so it cannot spend the endpoint's tokens.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new RequestError(415, 'unsupported_media_type', 'The request body has to be application/json.');
  }
  let value;
  try {
    value = JSON.parse(requestBody);
  } catch {
    throw new RequestError(400, 'invalid_json', 'The request body is not valid JSON.');
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new RequestError(400, 'invalid_body', z.prettifyError(parsed.error));
  return parsed.data;
}
