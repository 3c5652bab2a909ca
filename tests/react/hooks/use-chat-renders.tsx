import { Chat, useChat } from "@ai-sdk/react";
import type { UIMessage } from "ai";
import { startTransition, Suspense, use, useEffect, useLayoutEffect, useState } from "react";
import { flushSync } from "react-dom";
import { equal, mount, ok, sleep, test, until, variant } from "./harness.js";
import { type Helpers, Probe, Renders, textOf, userMessage } from "./probe.js";
import { ManualTransport } from "./transport.js";

test("a render that was thrown away changes no callbacks", async () => {
  const transport = new ManualTransport();
  const renders = new Renders();
  const calls: string[] = [];
  const never = new Promise<never>(() => {});
  let show: (isBlocked: boolean) => void = () => {};
  function Page() {
    const [isBlocked, setBlocked] = useState(false);
    show = (value) => startTransition(() => setBlocked(value));
    return (
      <Suspense>
        <Probe
          renders={renders}
          options={{ transport, onData: () => void calls.push(isBlocked ? "blocked" : "shown") }}
        />
        {isBlocked && <Blocked />}
      </Suspense>
    );
  }
  function Blocked(): never {
    return use(never);
  }
  mount(<Page />);
  await until(() => renders.isMounted);
  void renders.last.sendMessage({ text: "Hello" });
  await until(() => transport.requests.length === 1);
  transport.last.begin("a", "Text");
  await until(() => renders.text === "Text");
  const before = renders.all.length;
  show(true);
  await until(() => renders.all.length > before);
  await sleep(20);
  // Transient, so that it causes no render.
  transport.last.write({ type: "data-x", data: 1, transient: true });
  await until(() => calls.length > 0);
  equal(calls, ["shown"]);
  transport.last.finish();
}, "R4");

test("a change between the first render and the subscription is shown", async () => {
  const chat = new Chat<UIMessage>({});
  function Page() {
    useLayoutEffect(() => {
      chat.messages = [userMessage("m", "Early")];
    }, []);
    return <Probe renders={renders} options={{ chat }} />;
  }
  const renders = new Renders();
  const { element } = mount(<Page />);
  await until(() => element.textContent === "Early");
});

test("#6166: throttle: few renders, the first at once, the last complete, never ready with old messages", async () => {
  const transport = new ManualTransport();
  const renders = new Renders();
  mount(<Probe renders={renders} options={{ transport, experimental_throttle: 100 }} />);
  await until(() => renders.isMounted);
  void renders.last.sendMessage({ text: "Hello" });
  await until(() => transport.requests.length === 1);
  const began = performance.now();
  transport.last.begin("a", "0 ");
  for (let index = 1; index <= 100; index++) {
    transport.last.text(`${index} `);
    await sleep(4);
  }
  transport.last.finish();
  await until(() => renders.last.status === "ready");
  const duration = performance.now() - began;
  const whole = Array.from({ length: 101 }, (_, index) => `${index} `).join("");
  equal(renders.text, whole);
  const ready = renders.all.filter(({ status, messages }) => status === "ready" && messages.length === 2);
  ok(ready.every(({ messages }) => textOf(messages[1]) === whole), "ready comes with all of the text");
  const streaming = renders.all.filter(({ status }) => status === "streaming").length;
  ok(streaming <= duration / 100 + 2, `${streaming} renders in ${duration} ms`);
  ok(streaming >= 3, `${streaming} renders`);
});

test("a throttled view shows errors and the queue at once", async () => {
  const transport = new ManualTransport();
  const renders = new Renders();
  mount(
    <Probe renders={renders} options={{ transport, throttle: 10_000, experimental_queue: true }} />,
  );
  await until(() => renders.isMounted);
  void renders.last.sendMessage({ text: "One" });
  await until(() => transport.requests.length === 1);
  transport.last.begin("a", "Answer");
  await until(() => renders.last.status === "streaming");
  void renders.last.sendMessage({ text: "Two" });
  await until(() => renders.last.experimental_queuedMessages.length === 1);
  renders.last.experimental_removeQueuedMessage(
    renders.last.experimental_queuedMessages[0]?.id ?? "",
  );
  await until(() => renders.last.experimental_queuedMessages.length === 0);
  transport.last.fail(new Error("broken"));
  await until(() => renders.last.status === "error");
  equal(renders.last.error?.message, "broken");
  equal(renders.text, "Answer");
  renders.last.clearError();
  await until(() => renders.last.status === "ready");
});

test("a throttled view shows what the app sets at once", async () => {
  const renders = new Renders();
  mount(<Probe renders={renders} options={{ throttle: 10_000 }} />);
  await until(() => renders.isMounted);
  for (const text of ["One", "Two", "Three"]) {
    renders.last.setMessages(() => [userMessage("m", text)]);
    await until(() => renders.text === text);
  }
}, "R3");

test("#6166: 5,000 events in a burst, with renders for other reasons, and no loop of updates", async () => {
  const transport = new ManualTransport();
  const renders = new Renders();
  let isOver = false;
  function Page() {
    const [count, setCount] = useState(0);
    useEffect(() => {
      if (!isOver) setTimeout(() => setCount(count + 1));
    }, [count]);
    return <Probe renders={renders} options={{ transport, throttle: 50 }} />;
  }
  mount(<Page />, { strict: true });
  await until(() => renders.isMounted);
  void renders.last.sendMessage({ text: "Hello" });
  await until(() => transport.requests.length === 1);
  transport.last.begin("a");
  for (let index = 0; index < 5000; index++) {
    transport.last.text("x");
    if (index % 50 === 0) await Promise.resolve();
    if (index % 500 === 0) await sleep(0);
  }
  transport.last.finish();
  await until(() => renders.last.status === "ready");
  isOver = true;
  equal(renders.text.length, 5000);
});

test("5,000 events, each rendered as it comes, and no loop of updates", async () => {
  const transport = new ManualTransport();
  const renders = new Renders();
  mount(<Probe renders={renders} options={{ transport, throttle: 0 }} />);
  await until(() => renders.isMounted);
  void renders.last.sendMessage({ text: "Hello" });
  await until(() => transport.requests.length === 1);
  transport.last.begin("a");
  for (let index = 0; index < 5000; index++) {
    transport.last.text("x");
    await Promise.resolve();
    if (index % 20 === 0) flushSync(() => {});
  }
  transport.last.finish();
  await until(() => renders.last.status === "ready");
  equal(renders.text.length, 5000);
});

test("by default a burst renders once per frame, not once per event", async () => {
  const transport = new ManualTransport();
  const renders = new Renders();
  mount(<Probe renders={renders} options={{ transport }} />);
  await until(() => renders.isMounted);
  void renders.last.sendMessage({ text: "Hello" });
  await until(() => transport.requests.length === 1);
  let frames = 0;
  const count = () => {
    frames++;
    if (renders.last.status !== "ready" || frames < 3) requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
  transport.last.begin("a");
  for (let index = 0; index < 1000; index++) {
    transport.last.text("x");
    if (index % 10 === 0) await sleep(0);
  }
  transport.last.finish();
  await until(() => renders.last.status === "ready");
  equal(renders.text.length, 1000);
  const streaming = renders.all.filter(({ status }) => status === "streaming").length;
  ok(streaming <= frames + 2, `${streaming} renders in ${frames} frames`);
}, "R1");

test("#6466: what was rendered does not change any more, and what did not change stays the same", async () => {
  const transport = new ManualTransport();
  const renders = new Renders();
  const messages = [userMessage("m", "History")];
  mount(<Probe renders={renders} options={{ transport, messages, throttle: 0 }} />);
  await until(() => renders.isMounted);
  const copies = new Map<Helpers, string>();
  const keepCopies = () => {
    for (const render of renders.all) {
      if (!copies.has(render)) copies.set(render, JSON.stringify(render.messages));
    }
  };
  void renders.last.sendMessage({ text: "Hello" });
  await until(() => transport.requests.length === 1);
  transport.last.begin("a", "Zero ");
  transport.last.write({ type: "tool-input-start", toolCallId: "c", toolName: "ask" });
  await until(() => renders.last.messages[2]?.parts.length === 3);
  for (let index = 0; index < 20; index++) {
    keepCopies();
    const { length } = renders.text;
    transport.last.text(`${index} `);
    await until(() => renders.text.length > length);
  }
  const streaming = renders.all.filter(({ messages }) => messages[2]?.parts.length === 3);
  ok(streaming.length > 5, `${streaming.length} renders`);
  for (const { messages } of streaming) {
    const first = streaming[0]?.messages;
    ok(messages[0] === first?.[0] && messages[1] === first?.[1], "earlier messages are the same");
    ok(messages[2]?.parts[2] === streaming.at(-1)?.messages[2]?.parts[2], "the other part is the same");
  }
  transport.last.finish();
  await until(() => renders.last.status === "ready");
  for (const [render, copy] of copies) equal(JSON.stringify(render.messages), copy);
}, "R7");

test("components that show the same chat never disagree", async () => {
  const transport = new ManualTransport();
  const chat = new Chat<UIMessage>({ transport, ...(variant === "chatwire" ? { throttle: 0 } : {}) });
  const disagreements: string[][] = [];
  const seen: string[] = [];
  function Reader({ index }: { index: number }) {
    const { messages } = useChat({ chat });
    const end = performance.now() + 1;
    while (performance.now() < end); // slow enough for React to pause between two of them
    seen[index] = textOf(messages.at(-1));
    return <p>{seen[index]}</p>;
  }
  function Page() {
    const [round, setRound] = useState(0);
    useEffect(() => {
      if (new Set(seen).size > 1) disagreements.push([...seen]);
      if (round < 40) startTransition(() => setRound(round + 1));
    });
    return Array.from({ length: 10 }, (_, index) => <Reader key={index} index={index} />);
  }
  const { element } = mount(<Page />);
  await until(() => element.textContent !== null);
  void chat.sendMessage({ text: "Hello" });
  await until(() => transport.requests.length === 1);
  transport.last.begin("a");
  for (let index = 0; index < 60; index++) {
    transport.last.text("x");
    await sleep(3);
  }
  transport.last.finish();
  await until(() => chat.status === "ready");
  await until(() => seen.every((text) => text.length === 60));
  equal(disagreements, []);
});

test("a component that waits for data makes a chat that works once it is there", async () => {
  const transport = new ManualTransport();
  const renders = new Renders();
  let arrive: (text: string) => void = () => {};
  const data = new Promise<string>((resolve) => (arrive = resolve));
  function Waiting() {
    const helpers = useChat({ transport });
    renders.all.push(helpers);
    return <p>{use(data)}</p>;
  }
  const { element } = mount(
    <Suspense fallback="Loading">
      <Waiting />
    </Suspense>,
    { strict: true },
  );
  await until(() => element.textContent === "Loading");
  arrive("Here");
  await until(() => element.textContent === "Here");
  void renders.last.sendMessage({ text: "Hello" });
  await until(() => transport.requests.length === 1);
  transport.last.begin("a", "Answer");
  transport.last.finish();
  await until(() => renders.text === "Answer" && renders.last.status === "ready");
});
