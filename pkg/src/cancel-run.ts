/**
 * Telling the server that the person stopped a response.
 *
 * @module
 */

import type { ChatCancel, ChatTransport } from "./chat-types.js";
import type { UIMessage } from "./message-types.js";
import { rawTexts } from "./raw-json.js";
import { failedResponse } from "./response-error.js";
import { CoreChatTransport, planPost, transportInternals } from "./transports.js";

/** Milliseconds after which a server that does not answer is no longer waited for. */
const PATIENCE = 10_000;

/**
 * Cancels the run of a response. Gives the message that the server has of it, if it says so.
 *
 * @throws what the app's function throws, what `fetch` throws, or ChatwireError `http_error`.
 */
export async function cancelRun<UI_MESSAGE extends UIMessage>(
  cancel: ChatCancel<UI_MESSAGE>,
  transport: ChatTransport<UI_MESSAGE>,
  run: { chatId: string; messageId: string | undefined; label: string | undefined },
): Promise<UI_MESSAGE | undefined> {
  if (typeof cancel === "function") return (await cancel(run)) ?? undefined;
  const plan = transport instanceof CoreChatTransport ? transport[transportInternals].planPost : planPost;
  const body = { id: run.chatId, messageId: run.messageId, label: run.label };
  const { fetch, url, init } = await plan(cancel, JSON.stringify(body), AbortSignal.timeout(PATIENCE));
  const response = await fetch(url, init);
  if (!response.ok) throw await failedResponse(response, url);
  return readMessage(await response.text());
}

/** An answer that is a message. */
function readMessage<UI_MESSAGE extends UIMessage>(text: string): UI_MESSAGE | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { id, parts } = Object(value) as { id?: unknown; parts?: unknown };
  if (typeof id !== "string" || !Array.isArray(parts)) return undefined;
  rawTexts.set(value as object, text);
  return value as UI_MESSAGE;
}
