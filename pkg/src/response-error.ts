/**
 * The error for an answer that is no success, where the package calls `fetch` itself. A chat's own
 * requests are judged by the core, in the same way (`chat::http` of the crate).
 *
 * @module
 */

import { type ChatwireError, makeError } from "./errors.js";

/** The longest plain text that serves as a message, in characters. */
const MAX_MESSAGE = 500;

/** The error for an answer with an error status, under the name that the AI SDK's has there. */
export async function failedResponse(
  response: Response,
  url: string,
  name = "AI_APICallError",
): Promise<ChatwireError> {
  const responseBody = await response.text();
  const contentType = response.headers?.get?.("content-type")?.toLowerCase() ?? "";
  const { status } = response;
  const isShortText =
    contentType.startsWith("text/plain") && responseBody !== "" && [...responseBody].length <= MAX_MESSAGE;
  return makeError({
    code: status === 409 ? "run_active" : "http_error",
    name,
    message: isShortText
      ? responseBody
      : (messageInJson(responseBody) ?? `HTTP ${status} from ${pathOf(response.url || url)}`),
    statusCode: status,
    url: response.url || url,
    responseBody,
    isRetryable: status === 408 || status === 409 || status === 429 || status >= 500,
  });
}

/** The error for an answer without a body. */
export function emptyBody(): ChatwireError {
  return makeError({
    code: "empty_body",
    name: "AI_EmptyResponseBodyError",
    message: "The response body is empty.",
  });
}

/** A string `message`, `error` or `error.message`. */
function messageInJson(body: string): string | undefined {
  let value;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const candidates = [value?.message, value?.error, value?.error?.message];
  return candidates.find((candidate) => typeof candidate === "string");
}

function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : url.replace(/[?#].*/s, "");
}
