import { ScriptedChatTransport } from "chatwire/testing";
import { Chat, useChat, useChatMessage, useChatPart, useChatSelector } from "chatwire/react";
import type { UIMessage } from "chatwire";
import { memo, useState } from "react";
import { equal, mount, ok, test, until } from "./harness.js";

const history = (count: number): UIMessage[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `m${index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    parts: [{ type: "text", text: `Message ${index}` }],
  }));

/** Counts renders by name. */
class Counts {
  readonly by: Record<string, number> = {};

  add(name: string): void {
    this.by[name] = (this.by[name] ?? 0) + 1;
  }

  take(): Record<string, number> {
    const counts = { ...this.by };
    for (const name of Object.keys(this.by)) delete this.by[name];
    return counts;
  }
}

/** A chat whose response is three parts; the text of the last one arrives in 20 pieces. */
function streamingChat(messages: UIMessage[]) {
  return new Chat<UIMessage>({
    messages,
    throttle: 0,
    transport: new ScriptedChatTransport([
      [
        { type: "start", messageId: "answer" },
        { type: "start-step" },
        { type: "reasoning-start", id: "r" },
        { type: "reasoning-delta", id: "r", delta: "Thought" },
        { type: "reasoning-end", id: "r" },
        { type: "text-start", id: "t" },
        { type: "text-delta", id: "t", delta: "First " },
        { wait: 60 },
        ...Array.from({ length: 20 }, (_, index) => [
          { type: "text-delta" as const, id: "t", delta: `${index} ` },
          { wait: 3 },
        ]).flat(),
        { wait: 60 },
        { type: "text-end", id: "t" },
        { type: "finish" },
      ],
    ]),
  });
}

const PartView = memo(function PartView(props: {
  chat: Chat<UIMessage>;
  messageId: string;
  index: number;
  counts: Counts;
}) {
  const part = useChatPart(props.chat, props.messageId, props.index);
  props.counts.add(`${props.messageId}/${props.index}`);
  return part && "text" in part ? <span>{part.text}</span> : null;
});

const MessageView = memo(function MessageView(props: {
  chat: Chat<UIMessage>;
  messageId: string;
  counts: Counts;
}) {
  const { chat, messageId, counts } = props;
  const length = useChatSelector(
    chat,
    ({ messages }) => messages.find(({ id }) => id === messageId)?.parts.length ?? 0,
  );
  counts.add(messageId);
  return (
    <article>
      {Array.from({ length }, (_, index) => (
        <PartView key={index} chat={chat} messageId={messageId} index={index} counts={counts} />
      ))}
    </article>
  );
});

const sameItems = (first: string[], second: string[]) =>
  first.length === second.length && first.every((item, index) => item === second[index]);

function Page({ chat, counts }: { chat: Chat<UIMessage>; counts: Counts }) {
  const ids = useChatSelector(chat, ({ messages }) => messages.map(({ id }) => id), sameItems);
  counts.add("page");
  return ids.map((id) => <MessageView key={id} chat={chat} messageId={id} counts={counts} />);
}

test(
  "a token renders the one component that shows its part",
  async () => {
    const chat = streamingChat(history(50));
    const counts = new Counts();
    const { element } = mount(<Page chat={chat} counts={counts} />);
    await until(() => element.querySelectorAll("article").length === 50);
    counts.take();
    void chat.sendMessage({ text: "Question" });
    await until(() => element.textContent?.endsWith("First "));
    const opening = counts.take();
    ok(!Object.keys(opening).some((name) => /^m\d/.test(name)), "the history does not render");

    await until(() => element.textContent?.endsWith("19 "));
    equal(Object.keys(counts.by), ["answer/2"], "what rendered while the text grew");
    const renders = counts.take()["answer/2"] ?? 0;
    ok(renders >= 5 && renders <= 20, `${renders} renders for 20 pieces`);
    await until(() => chat.status === "ready");
    const earlier = history(50).map((_, index) => `Message ${index}`).join("");
    const pieces = Array.from({ length: 20 }, (_, index) => `${index} `).join("");
    equal(element.textContent, `${earlier}QuestionThoughtFirst ${pieces}`);
  },
  "own",
);

test(
  "useChatMessage renders for its own message only",
  async () => {
    const chat = streamingChat(history(2));
    const counts = new Counts();
    function One({ id }: { id: string }) {
      const message = useChatMessage(chat, id);
      counts.add(id);
      return <p>{message ? message.parts.length : "none"}</p>;
    }
    const { element } = mount(
      <>
        <One id="m0" />
        <One id="answer" />
        <One id="unknown" />
      </>,
    );
    await until(() => element.textContent === "1nonenone");
    counts.take();
    await chat.sendMessage({ text: "Question" });
    await until(() => element.textContent === "13none");
    equal(Object.keys(counts.by), ["answer"]);

    chat.setMessages((messages) => messages.filter(({ id }) => id !== "m0"));
    await until(() => element.textContent === "none3none");
    chat.setMessages((messages) => [...messages].reverse());
    chat.setMessages((messages) => [...history(1), ...messages]);
    await until(() => element.textContent === "13none");
  },
  "own",
);

test(
  "a selector that is new in each render and makes new values does not loop",
  async () => {
    const chat = streamingChat(history(3));
    const counts = new Counts();
    let again: () => void = () => {};
    const results = new Set<unknown>();
    function Ids() {
      const [, setCount] = useState(0);
      again = () => setCount((count) => count + 1);
      const ids = useChatSelector(chat, ({ messages }) => messages.map(({ id }) => id), sameItems);
      counts.add("ids");
      results.add(ids);
      return <p>{ids.join()}</p>;
    }
    const { element } = mount(<Ids />, { strict: true });
    await until(() => element.textContent === "m0,m1,m2");
    for (let round = 0; round < 5; round++) {
      const before = counts.by["ids"] ?? 0;
      again();
      await until(() => (counts.by["ids"] ?? 0) > before);
    }
    ok((counts.by["ids"] ?? 0) < 30, `${counts.by["ids"]} renders`);
    // StrictMode throws the first result of a mount away.
    ok(results.size <= 2, `${results.size} results for the same ids`);
    counts.take();
    await chat.sendMessage({ text: "Question" });
    await until(() => element.textContent?.endsWith("answer"));
    ok((counts.by["ids"] ?? 0) <= 6, `${counts.by["ids"]} renders for two new messages`);
  },
  "own",
);

test(
  "another selector, chat or part is shown in the same render",
  async () => {
    const [first, second] = [streamingChat(history(2)), streamingChat(history(4))];
    function Length({ chat, times }: { chat: Chat<UIMessage>; times: number }) {
      return <p>{useChatSelector(chat, ({ messages }) => messages.length * times)}</p>;
    }
    const { element, render } = mount(<Length chat={first} times={1} />);
    await until(() => element.textContent === "2");
    render(<Length chat={first} times={10} />);
    await until(() => element.textContent === "20");
    render(<Length chat={second} times={10} />);
    await until(() => element.textContent === "40");
    second.messages = [];
    await until(() => element.textContent === "0");
  },
  "own",
);

test(
  "useChat gives its chat to the hooks for parts",
  async () => {
    const transport = new ScriptedChatTransport([
      [{ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: "Text" }, { type: "finish" }],
    ]);
    function Whole() {
      const { chat, messages, sendMessage } = useChat({ transport, messages: history(1) });
      const last = useChatPart(chat, messages.at(-1)?.id ?? "", 0);
      const text = last && "text" in last ? last.text : "";
      return <button onClick={() => void sendMessage({ text: "Go" })}>{text}</button>;
    }
    const { element } = mount(<Whole />);
    await until(() => element.textContent === "Message 0");
    element.querySelector("button")?.click();
    await until(() => element.textContent === "Text");
  },
  "own",
);
