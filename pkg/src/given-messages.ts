/**
 * Messages as an app gives them to a chat: its history, and what it sends.
 *
 * @module
 */

import type { ChatInit, CreateUIMessage, FileListLike, SendMessageInput } from "./chat-types.js";
import type { FileUIPart, InferUIMessageMetadata, UIMessage } from "./message-types.js";

/** The history as objects, and its text when that is what was given. */
export function readHistory<UI_MESSAGE extends UIMessage>(
  messages: ChatInit<UI_MESSAGE>["messages"],
): { messages: UI_MESSAGE[]; text: string | undefined } {
  if (messages === undefined || Array.isArray(messages)) {
    return { messages: [...(messages ?? [])], text: undefined };
  }
  const text = typeof messages === "string" ? messages : new TextDecoder().decode(messages);
  return { messages: JSON.parse(text) as UI_MESSAGE[], text };
}

/** The message that is sent. Its files come before its text. */
export function createMessage<UI_MESSAGE extends UIMessage>(
  message: SendMessageInput<UI_MESSAGE>,
  files: FileUIPart[] | undefined,
  generateId: () => string,
): UI_MESSAGE {
  if ("parts" in message && message.parts !== undefined) {
    const whole = message as CreateUIMessage<UI_MESSAGE>;
    return {
      ...whole,
      id: whole.id ?? message.messageId ?? generateId(),
      role: whole.role ?? "user",
      parts: whole.parts,
    } as UI_MESSAGE;
  }
  const { text, metadata } = message as {
    text?: string;
    metadata?: InferUIMessageMetadata<UI_MESSAGE>;
  };
  return {
    id: message.messageId ?? generateId(),
    role: "user",
    ...(metadata === undefined ? {} : { metadata }),
    parts: [...(files ?? []), ...(text === undefined ? [] : [{ type: "text", text }])],
  } as unknown as UI_MESSAGE;
}

export function isFileList(files: FileListLike | FileUIPart[] | undefined): files is FileListLike {
  return files !== undefined && !Array.isArray(files);
}
