import { useCompletion, type UseCompletionHelpers } from "@ai-sdk/react";
import { equal, mount, ok, sleep, test, until } from "./harness.js";
import { ManualFetch } from "./manual-fetch.js";

type Options = NonNullable<Parameters<typeof useCompletion>[0]>;

/** Mounts a component with the hook; what it rendered last, and everything it rendered. */
async function completion(options: Options) {
  const all: UseCompletionHelpers[] = [];
  function Probe({ options }: { options: Options }) {
    const helpers = useCompletion(options);
    all.push(helpers);
    return (
      <form onSubmit={helpers.handleSubmit}>
        <input value={helpers.input} onChange={helpers.handleInputChange} />
        <p>{helpers.completion}</p>
      </form>
    );
  }
  const { element, render } = mount(<Probe options={options} />);
  await until(() => all.length > 0);
  return {
    all,
    element,
    get last() {
      return all.at(-1) as UseCompletionHelpers;
    },
    render: (options: Options) => render(<Probe options={options} />),
  };
}

test("useCompletion: a UI message stream", async () => {
  const server = new ManualFetch();
  const finished: string[][] = [];
  const probe = await completion({
    api: "/complete",
    fetch: server.fetch,
    headers: { "X-One": "1", "x-two": "2" },
    body: { model: "m", temperature: 0 },
    credentials: "include",
    initialCompletion: "Before",
    onFinish: (...event) => finished.push(event),
  });
  equal(probe.last.completion, "Before");
  const result = probe.last.complete("A prompt", {
    headers: { "X-Two": "two" },
    body: { temperature: 1 },
  });
  await until(() => server.calls.length === 1);
  const { url, init, body, headers } = server.last;
  equal([url, init.method, init.credentials, body], ["/complete", "POST", "include", {
    prompt: "A prompt",
    model: "m",
    temperature: 1,
  }]);
  equal(
    ["content-type", "x-one", "x-two"].map((name) => headers.get(name)),
    ["application/json", "1", "two"],
  );
  await until(() => probe.last.isLoading);
  equal(probe.last.completion, "");
  server.last.openEvents();
  server.last.events(
    { type: "start" },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "Half" },
  );
  await until(() => probe.last.completion === "Half");
  server.last.events(
    { type: "text-delta", id: "1", delta: " and half" },
    { type: "text-end", id: "1" },
    { type: "text-start", id: "2" },
    { type: "text-delta", id: "2", delta: ", more" },
    { type: "text-end", id: "2" },
    { type: "finish" },
  );
  server.last.end();
  equal(await result, "Half and half, more");
  await until(() => !probe.last.isLoading);
  equal(probe.last.completion, "Half and half, more");
  equal(probe.last.error, undefined);
  equal(finished, [["A prompt", "Half and half, more"]]);
});

test("useCompletion: plain text", async () => {
  const server = new ManualFetch();
  const probe = await completion({ fetch: server.fetch, streamProtocol: "text" });
  const result = probe.last.complete("A prompt");
  await until(() => server.calls.length === 1);
  equal(server.last.url, "/api/completion");
  server.last.open("text/plain; charset=utf-8");
  server.last.text("Grü");
  await until(() => probe.last.completion === "Grü");
  server.last.text("ße");
  server.last.end();
  equal(await result, "Grüße");
  await until(() => probe.last.completion === "Grüße" && !probe.last.isLoading);
});

test("useCompletion: stop keeps the text and resolves to null", async () => {
  const server = new ManualFetch();
  const finished: unknown[] = [];
  const probe = await completion({ fetch: server.fetch, onFinish: () => finished.push(1) });
  const result = probe.last.complete("A prompt");
  await until(() => server.calls.length === 1);
  server.last.openEvents();
  server.last.events({ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "Half" });
  await until(() => probe.last.completion === "Half");
  probe.last.stop();
  equal(await result, null);
  await until(() => !probe.last.isLoading);
  equal([probe.last.completion, probe.last.error, finished], ["Half", undefined, []]);
  ok(server.last.isAborted, "the request is aborted");
});

test("useCompletion: errors of HTTP and of the stream", async () => {
  const server = new ManualFetch();
  const errors: Error[] = [];
  const probe = await completion({ fetch: server.fetch, onError: (error) => errors.push(error) });
  const refused = probe.last.complete("One");
  await until(() => server.calls.length === 1);
  server.last.answer("Not today", 503);
  equal(await refused, undefined);
  await until(() => probe.last.error !== undefined);
  equal([probe.last.error?.name, probe.last.error?.message], ["AI_APICallError", "Not today"]);

  const broken = probe.last.complete("Two");
  await until(() => server.calls.length === 2 && probe.last.error === undefined);
  server.last.openEvents();
  server.last.events({ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "Half" });
  server.last.events({ type: "error", errorText: "Overloaded" });
  equal(await broken, undefined);
  await until(() => probe.last.error !== undefined && !probe.last.isLoading);
  equal(probe.last.error?.message, "Overloaded");
  equal(probe.last.completion, "Half");
  equal(errors.map(({ message }) => message), ["Not today", "Overloaded"]);
});

test("useCompletion: an answer that is cut is no success", async () => {
  const server = new ManualFetch();
  const finished: unknown[] = [];
  const probe = await completion({ fetch: server.fetch, onFinish: () => finished.push(1) });
  const result = probe.last.complete("One");
  await until(() => server.calls.length === 1);
  server.last.openEvents();
  server.last.events({ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "Half" });
  server.last.end();
  equal(await result, undefined);
  await until(() => probe.last.error !== undefined);
  equal((probe.last.error as { code?: string }).code, "truncated");
  equal([probe.last.completion, finished], ["Half", []]);
}, "1");

test("useCompletion: an onFinish that throws is an error", async () => {
  const server = new ManualFetch();
  const errors: string[] = [];
  const probe = await completion({
    fetch: server.fetch,
    streamProtocol: "text",
    onFinish: () => {
      throw new Error("in onFinish");
    },
    onError: ({ message }) => errors.push(message),
  });
  const result = probe.last.complete("One");
  await until(() => server.calls.length === 1);
  server.last.open("text/plain");
  server.last.end();
  equal(await result, undefined);
  await until(() => probe.last.error !== undefined);
  equal(errors, ["in onFinish"]);
});

test("useCompletion: an earlier request goes on unseen", async () => {
  const server = new ManualFetch();
  const finished: string[][] = [];
  const probe = await completion({
    fetch: server.fetch,
    streamProtocol: "text",
    onFinish: (...event) => finished.push(event),
  });
  const first = probe.last.complete("One");
  await until(() => server.calls.length === 1);
  server.last.open("text/plain");
  server.last.text("First");
  await until(() => probe.last.completion === "First");
  const second = probe.last.complete("Two");
  await until(() => server.calls.length === 2);
  server.last.open("text/plain");
  server.last.text("Second");
  await until(() => probe.last.completion === "Second");
  server.calls[0]?.text(" is late");
  server.calls[0]?.end();
  equal(await first, "First is late");
  await sleep(30);
  equal([probe.last.completion, probe.last.isLoading], ["Second", true]);
  server.last.end();
  equal(await second, "Second");
  await until(() => !probe.last.isLoading);
  equal(probe.last.completion, "Second");
  equal(finished, [
    ["One", "First is late"],
    ["Two", "Second"],
  ]);
});

test("useCompletion: components with the same id show the same", async () => {
  const server = new ManualFetch();
  const options: Options = { fetch: server.fetch, streamProtocol: "text", id: "shared text" };
  const first = await completion({ ...options, initialCompletion: "Before" });
  const second = await completion(options);
  const other = await completion({ ...options, id: "another" });
  equal([first.last.completion, second.last.completion], ["Before", ""]);
  const result = first.last.complete("One");
  await until(() => server.calls.length === 1);
  await until(() => first.last.isLoading && second.last.isLoading);
  server.last.open("text/plain");
  server.last.text("Text");
  await until(() => first.last.completion === "Text" && second.last.completion === "Text");
  server.last.end();
  await result;
  await until(() => !second.last.isLoading);
  equal([other.last.completion, other.last.isLoading], ["", false]);
  second.last.setCompletion("Mine");
  await until(() => first.last.completion === "Mine" && second.last.completion === "Mine");
});

test("useCompletion: the input field and its form", async () => {
  const server = new ManualFetch();
  const probe = await completion({
    fetch: server.fetch,
    streamProtocol: "text",
    initialInput: "First",
  });
  const input = probe.element.querySelector("input") as HTMLInputElement;
  equal(input.value, "First");
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
  set?.call(input, "Typed");
  input.dispatchEvent(new Event("input", { bubbles: true }));
  await until(() => probe.last.input === "Typed");
  probe.element.querySelector("form")?.requestSubmit();
  await until(() => server.calls.length === 1);
  equal(server.last.body, { prompt: "Typed" });
  await until(() => probe.last.input === "");
  probe.element.querySelector("form")?.requestSubmit();
  await sleep(20);
  equal(server.calls.length, 1, "an empty input is not sent");
  server.last.open("text/plain");
  server.last.end();
});

test("useCompletion: options of the latest render count", async () => {
  const [before, later] = [new ManualFetch(), new ManualFetch()];
  const finished: string[] = [];
  const options = (name: string, server: ManualFetch): Options => ({
    fetch: server.fetch,
    body: { name },
    streamProtocol: "text",
    onFinish: () => finished.push(name),
  });
  const probe = await completion(options("before", before));
  probe.render(options("later", later));
  await until(() => probe.all.length > 1);
  await sleep(20);
  const result = probe.last.complete("One");
  await until(() => later.calls.length === 1);
  equal(later.last.body, { prompt: "One", name: "later" });
  later.last.open("text/plain");
  later.last.end();
  await result;
  equal([before.calls.length, finished], [0, ["later"]]);
});
