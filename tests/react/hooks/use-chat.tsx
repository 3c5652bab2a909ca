import { useChat, type UseChatHelpers, Chat } from "@ai-sdk/react";
import { lastAssistantMessageIsCompleteWithToolCalls, type UIMessage } from "ai";
import { startTransition, Suspense, use, useEffect, useLayoutEffect, useState } from "react";
import { flushSync } from "react-dom";
import { equal, mount, ok, sleep, test, until, variant } from "./harness.js";
import { ManualTransport } from "./transport.js";

type Helpers = UseChatHelpers<UIMessage>;
type Options = NonNullable<Parameters<typeof useChat<UIMessage>>[0]>;

/** What a component rendered, oldest first. */
class Renders {
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

function Probe({ renders, options }: { renders: Renders; options: Options }) {
  const helpers = useChat(options);
  renders.all.push(helpers);
  useEffect(() => {
    const timer = setTimeout(() => (renders.isMounted = true));
    return () => clearTimeout(timer);
  }, [renders]);
  return <p>{helpers.messages.map(textOf).join(" | ")}</p>;
}

function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}

const userMessage = (id: string, text: string): UIMessage => ({
  id,
  role: "user",
  parts: [{ type: "text", text }],
});

test("StrictMode's double mount neither stops the chat nor asks twice", async () => {
  const transport = new ManualTransport();
  const renders = new Renders();
  mount(<Probe renders={renders} options={{ transport }} />, { strict: true });
  await until(() => renders.isMounted);
  void renders.last.sendMessage({ text: "Hello" });
  await until(() => transport.requests.length === 1);
  transport.last.begin("a", "One");
  await until(() => renders.text === "One");
  transport.last.text(" two");
  transport.last.finish();
  await until(() => renders.last.status === "ready");
  equal(renders.text, "One two");
  equal(transport.requests.length, 1);
});

test("a chat of the component's own stops on unmount", async () => {
  const transport = new ManualTransport();
  const renders = new Renders();
  const { unmount } = mount(<Probe renders={renders} options={{ transport }} />);
  await until(() => renders.isMounted);
  void renders.last.sendMessage({ text: "Hello" });
  await until(() => transport.requests.length === 1);
  transport.last.begin("a", "One");
  await until(() => renders.text === "One");
  unmount();
  await until(() => transport.last.isAborted);
});

test("a chat that the app gave goes on after unmount, and a later component shows it", async () => {
  const transport = new ManualTransport();
  const chat = new Chat<UIMessage>({ transport });
  const renders = new Renders();
  const { unmount } = mount(<Probe renders={renders} options={{ chat }} />, { strict: true });
  await until(() => renders.isMounted);
  void renders.last.sendMessage({ text: "Hello" });
  await until(() => transport.requests.length === 1);
  transport.last.begin("a", "One");
  await until(() => renders.text === "One");
  unmount();
  await sleep(20);
  ok(!transport.last.isAborted, "the response goes on");
  transport.last.text(" two");
  await until(() => textOf(chat.messages.at(-1)) === "One two");
  const later = new Renders();
  mount(<Probe renders={later} options={{ chat }} />);
  await until(() => later.isMounted);
  equal(textOf(later.all[0]?.messages.at(-1)), "One two");
  transport.last.finish();
  await until(() => later.last.status === "ready");
});

test("another id is a new chat with the options of that render", async () => {
  const transport = new ManualTransport();
  const renders = new Renders();
  const options = (id: string, text: string): Options => ({
    id,
    transport,
    messages: [userMessage(`m-${id}`, text)],
  });
  const { render } = mount(<Probe renders={renders} options={options("a", "First")} />, { strict: true });
  await until(() => renders.isMounted);
  void renders.last.sendMessage({ text: "Hello" });
  await until(() => transport.requests.length === 1);
  transport.last.begin("answer", "Old");
  await until(() => renders.text === "Old");
  const old = transport.last;
  render(<Probe renders={renders} options={options("b", "Second")} />);
  await until(() => renders.last.id === "b");
  equal(renders.last.messages.map(textOf), ["Second"]);
  equal(renders.last.status, "ready");
  await until(() => old.isAborted);
  void renders.last.sendMessage({ text: "There" });
  await until(() => transport.requests.length === 2);
  equal(transport.last.messages.map(textOf), ["Second", "There"]);
  transport.last.begin("answer", "New");
  transport.last.finish();
  await until(() => renders.last.status === "ready");
  equal(renders.last.messages.map(textOf), ["Second", "There", "New"]);
  // The AI SDK renders such a mixture once, which React throws away.
  if (variant === "peer") return;
  const mixed = renders.all.filter(
    ({ id, messages }) => (id === "a") !== (messages[0]?.id === "m-a"),
  );
  equal(mixed.length, 0, "renders with the id of one chat and the messages of the other");
});

test("another chat object is shown at once", async () => {
  const first = new Chat<UIMessage>({ id: "a", messages: [userMessage("1", "First")] });
  const second = new Chat<UIMessage>({ id: "b", messages: [userMessage("2", "Second")] });
  const renders = new Renders();
  const { render } = mount(<Probe renders={renders} options={{ chat: first }} />);
  await until(() => renders.isMounted);
  render(<Probe renders={renders} options={{ chat: second }} />);
  await until(() => renders.last.id === "b");
  equal(renders.text, "Second");
  second.messages = [userMessage("3", "Third")];
  await until(() => renders.text === "Third");
  first.messages = [];
  await sleep(20);
  equal(renders.text, "Third");
});

test("transport, body and callbacks are those of the latest render", async () => {
  const [before, later] = [new ManualTransport(), new ManualTransport()];
  const renders = new Renders();
  const calls: string[] = [];
  const options = (name: string, transport: ManualTransport): Options => ({
    transport,
    onData: ({ type }) => calls.push(`${name} ${type}`),
    onToolCall: ({ toolCall }) => {
      calls.push(`${name} ${toolCall.toolName}`);
    },
    onFinish: () => {
      calls.push(`${name} finish`);
    },
    sendAutomaticallyWhen: (state) => {
      calls.push(`${name} asked`);
      return lastAssistantMessageIsCompleteWithToolCalls(state);
    },
  });
  const { render } = mount(<Probe renders={renders} options={options("before", before)} />);
  await until(() => renders.isMounted);
  const { sendMessage, addToolOutput } = renders.last;
  render(<Probe renders={renders} options={options("later", later)} />);
  await until(() => renders.all.length === 2);
  equal(renders.last.sendMessage === sendMessage, true, "the same function");
  void sendMessage({ text: "Hello" });
  await until(() => later.requests.length === 1);
  later.last.write(
    { type: "start", messageId: "a" },
    { type: "start-step" },
    { type: "data-x", data: 1 },
    { type: "tool-input-available", toolCallId: "c", toolName: "ask", input: {} },
  );
  await until(() => calls.length === 2);
  void addToolOutput({ tool: "ask", toolCallId: "c", output: 1 });
  later.last.write({ type: "finish-step" }, { type: "finish" });
  later.last.end();
  await until(() => later.requests.length === 2);
  equal(before.requests.length, 0);
  later.last.begin("b");
  later.last.finish();
  await until(() => renders.last.status === "ready");
  equal(
    calls.filter((call) => !call.endsWith("asked")),
    ["later data-x", "later ask", "later finish", "later finish"],
  );
  equal(calls.filter((call) => call === "before asked").length, 0);
});

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
}, "the AI SDK takes those of the latest attempt");

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

test("throttle: few renders, the first at once, the last complete, never ready with old messages", async () => {
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
}, "the AI SDK waits");

test("5,000 events in a burst, with renders for other reasons, and no loop of updates", async () => {
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
}, "the AI SDK renders once per chunk");

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

test("resume: two components on one chat ask once, also in StrictMode", async () => {
  const transport = new ManualTransport({ isResumable: true });
  const chat = new Chat<UIMessage>({ transport, messages: [userMessage("q", "Question")] });
  const [first, second] = [new Renders(), new Renders()];
  mount(
    <>
      <Probe renders={first} options={{ chat, resume: true }} />
      <Probe renders={second} options={{ chat, resume: true }} />
    </>,
  );
  await until(() => transport.reconnects.length > 0);
  transport.reconnects[0]?.begin("a", "Answer");
  await until(() => first.text === "Answer" && second.text === "Answer");
  transport.reconnects[0]?.finish();
  await until(() => first.last.status === "ready");
  equal(transport.reconnects.length, 1);
  equal(transport.requests.length, 0);
});

test("resume in StrictMode asks once and goes on", async () => {
  const transport = new ManualTransport({ isResumable: true });
  const renders = new Renders();
  mount(<Probe renders={renders} options={{ transport, resume: true }} />, { strict: true });
  await until(() => transport.reconnects.length > 0);
  await sleep(20);
  equal(transport.reconnects.length, 1);
  transport.reconnects[0]?.begin("a", "Answer");
  transport.reconnects[0]?.finish();
  await until(() => renders.last.status === "ready" && renders.text === "Answer");
}, "the AI SDK asks again in StrictMode");

test("nothing to resume: the status does not change", async () => {
  const transport = new ManualTransport();
  const renders = new Renders();
  mount(<Probe renders={renders} options={{ transport, resume: true }} />, { strict: true });
  await until(() => transport.reconnects.length > 0);
  await sleep(20);
  equal([...new Set(renders.all.map(({ status }) => status))], ["ready"]);
});

test("a callback that throws is told to onError, and the response goes on", async () => {
  const transport = new ManualTransport();
  const renders = new Renders();
  const errors: string[] = [];
  const options: Options = {
    transport,
    onData: () => {
      throw new Error("in onData");
    },
    onToolCall: async () => {
      throw new Error("in onToolCall");
    },
    onFinish: () => {
      throw new Error("in onFinish");
    },
    onError: ({ message }) => errors.push(message),
  };
  mount(<Probe renders={renders} options={options} />);
  await until(() => renders.isMounted);
  void renders.last.sendMessage({ text: "Hello" });
  await until(() => transport.requests.length === 1);
  transport.last.write({ type: "start", messageId: "a" }, { type: "start-step" }, { type: "data-x", data: 1 });
  transport.last.write({ type: "tool-input-available", toolCallId: "c", toolName: "ask", input: {} });
  transport.last.begin("a", "All of it");
  transport.last.finish();
  await until(() => errors.length === 3);
  equal(renders.text, "All of it");
  equal(renders.last.status, "ready");
  equal(errors, ["in onData", "in onToolCall", "in onFinish"]);
}, "18");

test("a message sent while a response streams stops it", async () => {
  const transport = new ManualTransport();
  const renders = new Renders();
  mount(<Probe renders={renders} options={{ transport }} />);
  await until(() => renders.isMounted);
  void renders.last.sendMessage({ text: "One" });
  await until(() => transport.requests.length === 1);
  const first = transport.last;
  first.begin("a", "Half");
  await until(() => renders.text === "Half");
  void renders.last.sendMessage({ text: "Two" });
  await until(() => transport.requests.length === 2);
  ok(first.isAborted, "the first response is stopped");
  transport.last.begin("b", "Whole");
  transport.last.finish();
  await until(() => renders.last.status === "ready");
  equal(renders.last.messages.map(textOf), ["One", "Half", "Two", "Whole"]);
}, "10");

test("whileBusy: \"queue\" shows what waits, and stop pauses it", async () => {
  const transport = new ManualTransport();
  const renders = new Renders();
  const queue = { whileBusy: "queue" } as object;
  mount(<Probe renders={renders} options={{ transport, ...queue }} />);
  await until(() => renders.isMounted);
  void renders.last.sendMessage({ text: "One" });
  await until(() => transport.requests.length === 1);
  transport.last.begin("a", "Half");
  void renders.last.sendMessage({ text: "Two" });
  void renders.last.sendMessage({ text: "Three" });
  const own = () => renders.last as Helpers & { queuedMessages: UIMessage[]; queuePaused: boolean };
  await until(() => own().queuedMessages.length === 2);
  void renders.last.stop();
  await until(() => own().queuePaused);
  equal(transport.requests.length, 1);
  void renders.last.experimental_sendQueuedMessageNow(own().queuedMessages[1]?.id ?? "");
  await until(() => transport.requests.length === 2);
  equal(transport.last.messages.map(textOf), ["One", "Half", "Three"]);
  transport.last.begin("b", "Answer");
  transport.last.finish();
  await until(() => transport.requests.length === 3);
  transport.last.begin("c");
  transport.last.finish();
  await until(() => renders.last.status === "ready");
  equal(own().queuedMessages, []);
}, "whileBusy");

test("outcome and connection tell how a response ended", async () => {
  const transport = new ManualTransport();
  const renders = new Renders();
  mount(<Probe renders={renders} options={{ transport }} />);
  await until(() => renders.isMounted);
  const own = () => renders.last as Helpers & { outcome?: string; connection?: string };
  equal([own().outcome, own().connection], [undefined, "idle"]);
  void renders.last.sendMessage({ text: "One" });
  await until(() => transport.requests.length === 1);
  equal([own().outcome, own().connection], [undefined, "open"]);
  transport.last.begin("a", "Half");
  transport.last.end();
  await until(() => renders.last.status === "error");
  equal([own().outcome, own().connection], ["truncated", "idle"]);
}, "1");

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
