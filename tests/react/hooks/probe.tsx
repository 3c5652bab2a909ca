import { useChat, type UseChatHelpers } from "@ai-sdk/react";
import type { UIMessage } from "ai";
import { useEffect } from "react";

/** What the hook gives. */
export type Helpers = UseChatHelpers<UIMessage>;
/** What the hook takes. */
export type Options = NonNullable<Parameters<typeof useChat<UIMessage>>[0]>;

/** What a component rendered, oldest first. */
export class Renders {
  readonly all: Helpers[] = [];
  /** Whether effects have run, StrictMode's repetition of them included. */
  isMounted = false;

  get last(): Helpers {
    const last = this.all.at(-1);
    if (!last) throw new Error("nothing was rendered");
    return last;
  }

  get text(): string {
    return textOf(this.last.messages.at(-1));
  }
}

/** A component that shows a chat. */
export function Probe({ renders, options }: { renders: Renders; options: Options }) {
  const helpers = useChat(options);
  renders.all.push(helpers);
  useEffect(() => {
    const timer = setTimeout(() => (renders.isMounted = true));
    return () => clearTimeout(timer);
  }, [renders]);
  return <p>{helpers.messages.map(textOf).join(" | ")}</p>;
}

/** The texts of a message. */
export function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** A message of the person. */
export const userMessage = (id: string, text: string): UIMessage => ({
  id,
  role: "user",
  parts: [{ type: "text", text }],
});
