/**
 * One call of a tool that runs in the page.
 *
 * @module
 */

import type { ClientTool } from "./chat-types.js";
import type { ToolCall, UIMessage } from "./message-types.js";
import { checkSchema } from "./schema.js";

/** What `addToolOutput` takes. */
export type ClientToolResult =
  | { readonly state: "output-available"; readonly output: unknown }
  | { readonly state: "output-error"; readonly errorText: string };

/**
 * Checks the input, runs the tool, and gives its output. What is thrown, an input that the schema
 * rejects, and a time-out are errors of the call, for the model to see.
 *
 * @param signal ends the run: the promise then settles at once.
 */
export async function runClientTool(
  { inputSchema, execute, timeoutMs }: ClientTool,
  { toolCallId, toolName, input }: ToolCall<string, unknown>,
  messages: readonly UIMessage[],
  signal: AbortSignal,
): Promise<ClientToolResult> {
  const controller = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason));
  });
  stopped.catch(() => {}); // mostly nobody waits for it any more
  const stop = () => controller.abort(signal.reason);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  const timer = startTimer(timeoutMs, toolName, controller);
  try {
    const run = async () => {
      const checked = inputSchema
        ? await checkSchema(inputSchema, input)
        : { success: true as const, value: input };
      if (!checked.success) throw checked.error;
      return execute?.(checked.value, { toolCallId, messages, abortSignal: controller.signal });
    };
    const output = await Promise.race([run(), stopped]);
    // JSON has no undefined, and a call without an output would wait for ever.
    return { state: "output-available", output: output ?? null };
  } catch (error) {
    const errorText = error instanceof Error ? error.message : String(error);
    return { state: "output-error", errorText };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

function startTimer(
  timeoutMs: number | undefined,
  toolName: string,
  controller: AbortController,
): ReturnType<typeof setTimeout> | undefined {
  if (timeoutMs === undefined) return undefined;
  return setTimeout(() => {
    const message = `The tool "${toolName}" gave no output within ${timeoutMs} ms.`;
    controller.abort(new DOMException(message, "TimeoutError"));
  }, timeoutMs);
}
