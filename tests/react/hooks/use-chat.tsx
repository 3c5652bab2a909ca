import { Chat } from "@ai-sdk/react";
import { lastAssistantMessageIsCompleteWithToolCalls, type UIMessage } from "ai";
import { equal, mount, ok, sleep, test, until, variant } from "./harness.js";
import { type Helpers, type Options, Probe, Renders, textOf, userMessage } from "./probe.js";
import { ManualTransport } from "./transport.js";

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

test("#696: another id is a new chat with the options of that render", async () => {
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

test("#6992: another chat object is shown at once", async () => {
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

test("#7819, #7109: transport, body and callbacks are those of the latest render", async () => {
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

test("#13863: resume: two components on one chat ask once, also in StrictMode", async () => {
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
}, "R2");

for (const isOwn of [true, false]) {
  const whose = isOwn ? "the component's own chat" : "a chat that the app gave";
  test(`a lost connection is made again when the page is seen: ${whose}`, async () => {
    const transport = new ManualTransport();
    const renders = new Renders();
    const options = isOwn ? { transport } : { chat: new Chat<UIMessage>({ transport }) };
    mount(<Probe renders={renders} options={{ ...options, resume: true }} />);
    await until(() => renders.isMounted && transport.reconnects.length > 0);
    await until(() => renders.last.status === "ready");
    transport.isResumable = true;
    const before = transport.reconnects.length;
    void renders.last.sendMessage({ text: "Hello" });
    await until(() => transport.requests.length === 1);
    transport.last.begin("a", "Half");
    await until(() => renders.text === "Half");
    transport.last.fail(new TypeError("network error"));
    await sleep(20);
    document.dispatchEvent(new Event("visibilitychange"));
    await until(() => transport.reconnects.length > before);
    const again = transport.reconnects.at(-1);
    again?.begin("a", "Half");
    again?.text(" and half");
    again?.finish();
    await until(() => renders.last.status === "ready");
    equal(renders.last.messages.map(textOf), ["Hello", "Half and half"]);
    equal(transport.reconnects.length, before + 1);
    equal(transport.requests.length, 1);
  });
}

test("#12102: nothing to resume: the status does not change", async () => {
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
}, "own");

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
