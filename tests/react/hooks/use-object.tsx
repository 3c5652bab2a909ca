import { experimental_useObject as useObject } from "@ai-sdk/react";
import { jsonSchema } from "ai";
import { z } from "zod";
import { equal, mount, ok, sleep, test, until } from "./harness.js";
import { ManualFetch } from "./manual-fetch.js";

const recipe = z.object({
  name: z.string(),
  steps: z.array(z.object({ text: z.string(), minutes: z.number() })),
});
type Recipe = z.infer<typeof recipe>;
type Options = Parameters<typeof useObject<typeof recipe>>[0];
type Helpers = ReturnType<typeof useObject<typeof recipe>>;
type Finish = Parameters<NonNullable<Options["onFinish"]>>[0];

const dinner: Recipe = {
  name: "Soup \"à la\" \\ 🍲",
  steps: [
    { text: "Chop", minutes: 5 },
    { text: "Cook", minutes: 12.5 },
  ],
};

/** Mounts a component with the hook. */
async function object(options: Omit<Options, "schema" | "api"> & Partial<Options>) {
  const all: Helpers[] = [];
  function Probe() {
    const helpers = useObject({ api: "/object", schema: recipe, ...options });
    all.push(helpers);
    return <p>{helpers.object?.name}</p>;
  }
  mount(<Probe />);
  await until(() => all.length > 0);
  return {
    all,
    get last() {
      return all.at(-1) as Helpers;
    },
  };
}

test("useObject: an object that grows, and its end", async () => {
  const server = new ManualFetch();
  const finished: Finish[] = [];
  const probe = await object({
    fetch: server.fetch,
    headers: async () => ({ "X-Key": "k" }),
    credentials: "include",
    onFinish: (event) => void finished.push(event),
  });
  equal([probe.last.object, probe.last.isLoading], [undefined, false]);
  probe.last.submit({ prompt: "Dinner" });
  await until(() => server.calls.length === 1);
  const { url, init, body, headers } = server.last;
  equal([url, init.method, init.credentials, body], ["/object", "POST", "include", { prompt: "Dinner" }]);
  equal([headers.get("content-type"), headers.get("x-key")], ["application/json", "k"]);
  await until(() => probe.last.isLoading);
  server.last.open("text/plain; charset=utf-8");
  const text = JSON.stringify(dinner);
  const half = text.indexOf("Cook") + 2;
  server.last.text(text.slice(0, half));
  await until(() => probe.last.object?.steps?.[1]?.text === "Co");
  equal(probe.last.object, {
    name: dinner.name,
    steps: [{ text: "Chop", minutes: 5 }, { text: "Co" }],
  });
  server.last.text(text.slice(half));
  server.last.end();
  await until(() => finished.length === 1 && !probe.last.isLoading);
  equal(probe.last.object, dinner);
  equal(finished, [{ object: dinner, error: undefined }]);
});

test("useObject: what does not change stays the same object", async () => {
  const server = new ManualFetch();
  const probe = await object({ fetch: server.fetch });
  probe.last.submit(0);
  await until(() => server.calls.length === 1);
  server.last.open("text/plain");
  server.last.text('{"name":"Soup","steps":[{"text":"Chop","minutes":5},{"text":"C');
  await until(() => probe.last.object?.steps?.[1]?.text === "C");
  const first = probe.last.object;
  server.last.text("ook");
  await until(() => probe.last.object?.steps?.[1]?.text === "Cook");
  const second = probe.last.object;
  ok(first !== second, "a new object");
  ok(first?.steps?.[0] === second?.steps?.[0], "the first step is the same");
  ok(first?.steps?.[1] !== second?.steps?.[1], "the second step is another");
  server.last.text('","minutes":1}]}');
  server.last.end();
  await until(() => !probe.last.isLoading);
}, "R6");

test("useObject: 60,000 steps arrive in pieces in linear time", async () => {
  const server = new ManualFetch();
  const finished: Finish[] = [];
  const probe = await object({ fetch: server.fetch, onFinish: (event) => void finished.push(event) });
  probe.last.submit(0);
  await until(() => server.calls.length === 1);
  server.last.open("text/plain");
  const long: Recipe = {
    name: "Long",
    steps: Array.from({ length: 60_000 }, (_, index) => ({ text: `Step ${index}`, minutes: index })),
  };
  const text = JSON.stringify(long);
  for (let start = 0; start < text.length; start += 500) {
    server.last.text(text.slice(start, start + 500));
    if (start % 50_000 === 0) await sleep(0);
  }
  server.last.end();
  await until(() => finished.length === 1);
  equal(probe.last.object, long);
}, "R6");

test("useObject: an object that does not match", async () => {
  const server = new ManualFetch();
  const finished: Finish[] = [];
  const errors: Error[] = [];
  const probe = await object({
    fetch: server.fetch,
    onFinish: (event) => void finished.push(event),
    onError: (error) => errors.push(error),
  });
  probe.last.submit(0);
  await until(() => server.calls.length === 1);
  server.last.open("text/plain");
  server.last.text('{"name":1}');
  server.last.end();
  await until(() => finished.length === 1);
  equal(finished[0]?.object, undefined);
  equal(finished[0]?.error?.name, "AI_TypeValidationError");
  await until(() => !probe.last.isLoading);
  equal([probe.last.object, probe.last.error, errors], [{ name: 1 }, undefined, []]);
});

test("useObject: a JSON Schema with a check of the app's own, and one without", async () => {
  const definition = { type: "object", properties: { name: { type: "string" } } } as const;
  const accept = (value: unknown) => ({ success: true as const, value: value as Recipe });
  const refuse = async () => ({ success: false as const, error: new Error("no soup") });
  for (const [schema, isAccepted] of [
    [jsonSchema<Recipe>(definition), true],
    [jsonSchema<Recipe>(() => definition, { validate: accept }), true],
    [jsonSchema<Recipe>(definition, { validate: refuse }), false],
  ] as const) {
    const server = new ManualFetch();
    const finished: { object: Recipe | undefined; error: Error | undefined }[] = [];
    let helpers: { submit: (input: string) => void } | undefined;
    function Probe() {
      helpers = useObject({
        api: "/object",
        schema,
        fetch: server.fetch,
        onFinish: (event) => void finished.push(event),
      });
      return null;
    }
    mount(<Probe />);
    await until(() => helpers);
    helpers?.submit("Dinner");
    await until(() => server.calls.length === 1);
    server.last.open("text/plain");
    server.last.text('{"name":1}');
    server.last.end();
    await until(() => finished.length === 1);
    equal(finished[0]?.object, isAccepted ? { name: 1 } : undefined);
    equal(finished[0]?.error?.name, isAccepted ? undefined : "AI_TypeValidationError");
    ok(isAccepted || finished[0]?.error?.message.includes("no soup"), "the check's own words");
  }
});

test("useObject: what follows the object does not count", async () => {
  for (const [before, after] of [
    ["", " Enjoy your \"meal}"],
    ["\n ", " \n"],
  ]) {
    const server = new ManualFetch();
    const finished: Finish[] = [];
    const probe = await object({ fetch: server.fetch, onFinish: (event) => void finished.push(event) });
    probe.last.submit(0);
    await until(() => server.calls.length === 1);
    server.last.open("text/plain");
    server.last.text(`${before}${JSON.stringify(dinner)}${after}`);
    server.last.end();
    await until(() => finished.length === 1);
    equal(finished[0]?.object, dinner, after);
  }
});

test("useObject: an answer that ends inside the object is no success", async () => {
  const inText = '{"name":"Soup","steps":[],"note":"half \\" of';
  for (const cut of ['{"name":"Soup","steps":[]', inText, "", " \n"]) {
    const server = new ManualFetch();
    const finished: Finish[] = [];
    const errors: Error[] = [];
    const probe = await object({
      fetch: server.fetch,
      onFinish: (event) => void finished.push(event),
      onError: (error) => errors.push(error),
    });
    probe.last.submit(0);
    await until(() => server.calls.length === 1);
    server.last.open("text/plain");
    server.last.text(cut);
    server.last.end();
    await until(() => errors.length === 1, cut);
    await until(() => probe.last.error !== undefined && !probe.last.isLoading);
    equal([(errors[0] as { code?: string }).code, finished], ["truncated", []]);
    if (cut.includes("Soup")) equal(probe.last.object?.name, "Soup");
  }
}, "1");

test("useObject: errors of HTTP and of the connection", async () => {
  const server = new ManualFetch();
  const errors: string[] = [];
  const probe = await object({
    fetch: server.fetch,
    onError: ({ name, message }) => errors.push(`${name}: ${message}`),
  });
  probe.last.submit(0);
  await until(() => server.calls.length === 1);
  server.last.answer("Not today", 500);
  await until(() => probe.last.error !== undefined);
  equal([probe.last.isLoading, probe.last.error?.message], [false, "Not today"]);
  probe.last.submit(0);
  await until(() => server.calls.length === 2 && probe.last.error === undefined);
  server.last.open("text/plain");
  server.last.text('{"name":"Half');
  await until(() => probe.last.object?.name === "Half");
  server.last.fail(new TypeError("network error"));
  await until(() => probe.last.error !== undefined);
  equal(errors, ["Error: Not today", "TypeError: network error"]);
  equal(probe.last.object, { name: "Half" });
});

test("useObject: stop keeps the object, clear forgets it, the initial value is shown before", async () => {
  const server = new ManualFetch();
  const finished: Finish[] = [];
  const probe = await object({
    fetch: server.fetch,
    initialValue: { name: "Initial" },
    onFinish: (event) => void finished.push(event),
  });
  equal(probe.last.object, { name: "Initial" });
  probe.last.submit(0);
  await until(() => server.calls.length === 1);
  await until(() => probe.last.object === undefined);
  server.last.open("text/plain");
  server.last.text('{"name":"Half');
  await until(() => probe.last.object?.name === "Half");
  probe.last.stop();
  await until(() => !probe.last.isLoading);
  await until(() => server.last.isAborted);
  await sleep(20);
  equal([probe.last.object, probe.last.error, finished], [{ name: "Half" }, undefined, []]);
  probe.last.clear();
  await until(() => probe.last.object === undefined);
});

test("useObject: an earlier request goes on unseen", async () => {
  const server = new ManualFetch();
  const finished: (string | undefined)[] = [];
  const probe = await object({
    fetch: server.fetch,
    onFinish: ({ object }) => void finished.push(object?.name),
  });
  probe.last.submit(1);
  await until(() => server.calls.length === 1);
  server.last.open("text/plain");
  server.last.text('{"name":"First","steps":[');
  await until(() => probe.last.object?.name === "First");
  probe.last.submit(2);
  await until(() => server.calls.length === 2);
  server.last.open("text/plain");
  server.last.text('{"name":"Second","steps":[');
  await until(() => probe.last.object?.name === "Second");
  server.calls[0]?.text("]}");
  server.calls[0]?.end();
  await until(() => finished.length === 1);
  equal([probe.last.object?.name, probe.last.isLoading], ["Second", true]);
  server.last.text("]}");
  server.last.end();
  await until(() => finished.length === 2 && !probe.last.isLoading);
  equal(finished, ["First", "Second"]);
});

test("useObject: components with the same id show the same object", async () => {
  const server = new ManualFetch();
  const first = await object({ fetch: server.fetch, id: "shared object" });
  const second = await object({ id: "shared object", initialValue: { name: "Initial" } });
  const third = await object({});
  first.last.submit(0);
  await until(() => server.calls.length === 1);
  server.last.open("text/plain");
  server.last.text(JSON.stringify(dinner));
  server.last.end();
  await until(() => first.last.object?.steps?.length === 2 && !first.last.isLoading);
  equal([second.last.object, third.last.object], [dinner, undefined]);
});

test("useObject: an onFinish that throws is an error", async () => {
  const server = new ManualFetch();
  const errors: string[] = [];
  const probe = await object({
    fetch: server.fetch,
    onFinish: async () => {
      throw new Error("in onFinish");
    },
    onError: ({ message }) => errors.push(message),
  });
  probe.last.submit(0);
  await until(() => server.calls.length === 1);
  server.last.open("text/plain");
  server.last.text(JSON.stringify(dinner));
  server.last.end();
  await until(() => errors.length === 1);
  equal(errors, ["in onFinish"]);
});

test("useObject: keys that could change prototypes change none", async () => {
  const server = new ManualFetch();
  const probe = await object({ fetch: server.fetch });
  probe.last.submit(0);
  await until(() => server.calls.length === 1);
  server.last.open("text/plain");
  server.last.text('{"name":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"steps":[]}');
  server.last.end();
  await until(() => !probe.last.isLoading);
  equal(({} as { polluted?: number }).polluted, undefined);
  equal((probe.last.object as { polluted?: number } | undefined)?.polluted, undefined);
});
