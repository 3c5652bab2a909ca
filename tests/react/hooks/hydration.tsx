import { Chat, useChat } from "@ai-sdk/react";
import type { UIMessage } from "ai";
import { Chat as OwnChat, useChatSelector } from "chatwire/react";
import { Suspense, use } from "react";
import { hydrateRoot, type Root } from "react-dom/client";
import { renderToReadableStream, renderToString } from "react-dom/server.browser";
import { equal, sleep, test, until } from "./harness.js";

const message = (id: string, text: string): UIMessage => ({
  id,
  role: "user",
  parts: [{ type: "text", text }],
});

function Page({ chat }: { chat: Chat<UIMessage> }) {
  const { messages, status } = useChat({ chat });
  return (
    <p>
      {status} {messages.map(({ id }) => id).join()}
    </p>
  );
}

function hydrated(html: string, node: React.ReactNode) {
  const element = document.createElement("div");
  element.innerHTML = html;
  document.body.append(element);
  const complaints: string[] = [];
  const root: Root = hydrateRoot(element, node, {
    onRecoverableError: (error) => complaints.push(String(error)),
  });
  return { element, complaints, root };
}

test(
  "a chat that went on before its page was hydrated",
  async () => {
    const create = () => new Chat<UIMessage>({ messages: [message("a", "First")] });
    const html = renderToString(<Page chat={create()} />);
    const chat = create();
    chat.messages = [message("a", "First"), message("b", "Second")];
    const { element, complaints, root } = hydrated(html, <Page chat={chat} />);
    equal(element.textContent, "ready a");
    await until(() => element.textContent === "ready a,b");
    equal(complaints, []);
    root.unmount();
  },
  "R5",
);

test(
  "a part of the page that is hydrated later",
  async () => {
    const create = () => new Chat<UIMessage>({ messages: [message("a", "First")] });
    let arrive: () => void = () => {};
    const arrival = new Promise<void>((resolve) => (arrive = resolve));
    const there = Promise.resolve();
    function Later({ when, chat }: { when: Promise<void>; chat: Chat<UIMessage> }) {
      use(when);
      return <Page chat={chat} />;
    }
    const render = (when: Promise<void>, chat: Chat<UIMessage>) => (
      <Suspense fallback="Loading">
        <Later when={when} chat={chat} />
      </Suspense>
    );
    const stream = await renderToReadableStream(render(there, create()));
    await stream.allReady;
    const html = await new Response(stream).text();
    const chat = create();
    const { element, complaints, root } = hydrated(html, render(arrival, chat));
    await sleep(20);
    chat.messages = [message("c", "Third")];
    equal(element.textContent, "ready a");
    arrive();
    await until(() => element.textContent === "ready c");
    equal(complaints, []);
    root.unmount();
  },
  "R5",
);

test(
  "a selection of a chat that went on before its page was hydrated",
  async () => {
    const create = () => new OwnChat<UIMessage>({ messages: [message("a", "First")] });
    function Count({ chat }: { chat: OwnChat<UIMessage> }) {
      return <p>{useChatSelector(chat, ({ messages }) => messages.length)}</p>;
    }
    const html = renderToString(<Count chat={create()} />);
    const chat = create();
    chat.messages = [];
    const { element, complaints, root } = hydrated(html, <Count chat={chat} />);
    equal(element.textContent, "1");
    await until(() => element.textContent === "0");
    equal(complaints, []);
    root.unmount();
  },
  "own",
);
