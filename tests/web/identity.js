// What did not change is the same object, what changed is not, and what was handed out stays.
//
// host.js checks both at every publication of every test; these tests bring about the cases.

import { assert, assertEqual, assertNotSame, assertSame, settle } from "./check.js";
import { FRAME, withChat } from "./host.js";
import { eventfulChunks, randomChunks, seeded } from "./random.js";
import { TestTime } from "./time.js";

const inputStart = { type: "tool-input-start", toolCallId: "c", toolName: "edit" };
const inputDelta = (inputTextDelta) => ({ type: "tool-input-delta", toolCallId: "c", inputTextDelta });
const input = (value) => ({
  type: "tool-input-available",
  toolCallId: "c",
  toolName: "edit",
  input: value,
  providerExecuted: true,
});

export function unchangedMessagesAndPartsStay(start) {
  return withChat(start, {}, async (chat) => {
    const first = await chat.ask("1");
    await first.finish(
      { type: "start", messageId: "a1", messageMetadata: { model: { name: "m" } } },
      { type: "tool-input-available", toolCallId: "c", toolName: "edit", input: { deep: [{ x: 1 }] } },
      { type: "tool-output-available", toolCallId: "c", output: { deep: { y: [2] } } },
    );
    const before = chat.snapshot;
    const second = await chat.ask("2");
    await second.read({ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "a" });
    const streaming = chat.snapshot;
    assertNotSame(streaming.messages, before.messages, "the list");
    for (const index of [0, 1]) {
      assertSame(streaming.messages[index], before.messages[index], `message ${index}`);
    }
    await second.read({ type: "source-url", sourceId: "s", url: "https://example.com/" });
    const longer = chat.snapshot;
    assertSame(longer.messages[1], before.messages[1], "the earlier answer");
    assertNotSame(longer.messages[3], streaming.messages[3], "the growing answer");
    assertSame(longer.messages[3].parts[0], streaming.messages[3].parts[0], "the unchanged part");
    await second.read({ type: "text-delta", id: "1", delta: "b" });
    const grown = chat.snapshot;
    assertNotSame(grown.messages[3].parts[0], longer.messages[3].parts[0], "the growing part");
    assertSame(grown.messages[3].parts[1], longer.messages[3].parts[1], "the unchanged part");
    await second.finish();
  });
}

/** Inside a growing input, only what is on the way to the change is new. */
export function growingInputKeepsWhatIsClosed(start) {
  return withChat(start, {}, async (chat) => {
    const request = await chat.ask("Q");
    await request.read(inputStart, inputDelta('{"done":{"a":[1,2]},"open":{"list":[{"b":1},{"c":"te'));
    const before = chat.parts[0].input;
    assertEqual(before, { done: { a: [1, 2] }, open: { list: [{ b: 1 }, { c: "te" }] } });
    await request.read(inputDelta("xt"));
    const after = chat.parts[0].input;
    assertEqual(after, { done: { a: [1, 2] }, open: { list: [{ b: 1 }, { c: "text" }] } });
    assertSame(after.done, before.done, "a closed object");
    assertSame(after.open.list[0], before.open.list[0], "a closed item");
    assertNotSame(after, before, "the root");
    assertNotSame(after.open, before.open, "the open object");
    assertNotSame(after.open.list, before.open.list, "the open array");
    assertNotSame(after.open.list[1], before.open.list[1], "the changed item");
    await request.finish();
  });
}

/** Text of an input that changes no value leaves the value alone. */
export function inputTextWithoutAValueChangesNothing(start) {
  return withChat(start, {}, async (chat) => {
    const request = await chat.ask("Q");
    await request.read(inputStart, inputDelta('{"a":[{"b":1'));
    for (const [text, what] of [
      [".0", "a number that stays"],
      ["  ", "white space"],
      ["}", "the end of an object"],
      ["]", "the end of an array"],
      [', "nex', "a part of a key"],
      ['t" :', "a key without a value"],
    ]) {
      const before = chat.parts[0].input;
      await request.read(inputDelta(text));
      assertSame(chat.parts[0].input, before, what);
    }
    const before = chat.parts[0].input;
    await request.read(inputDelta('""}'));
    assertEqual(chat.parts[0].input, { a: [{ b: 1 }], next: "" });
    assertSame(chat.parts[0].input.a, before.a, "the closed array");
    await request.finish();
  });
}

/** A key that comes again may bring the value of before. */
export function repeatedKeysMayChangeNothing(start) {
  return withChat(start, {}, async (chat) => {
    const request = await chat.ask("Q");
    await request.read(inputStart, inputDelta('{"a":{"x":[1]},"b":2'));
    const before = chat.parts[0].input;
    await request.read(inputDelta(',"a":{"x":[1]},"b":2'));
    assertSame(chat.parts[0].input, before, "the input with equal members again");
    await request.read(inputDelta(',"a":{"x":[2]}'));
    assertEqual(chat.parts[0].input, { a: { x: [2] }, b: 2 });
    await request.read(inputDelta("}"), input({ a: { x: [2] }, b: 2 }));
    await request.finish();
  });
}

/** What a key that came again left as it was goes on as what is shown. */
export function aNumberAfterARepeatedKey(start) {
  return withChat(start, {}, async (chat) => {
    const request = await chat.ask("Q");
    await request.read(inputStart, inputDelta('{"a":[1]'));
    const before = chat.parts[0].input;
    await request.read(inputDelta(',"a":[1'));
    await request.read(inputDelta(".0"));
    assertSame(chat.parts[0].input, before, "the input with an equal member, spelled longer");
    await request.read(inputDelta(",2"));
    assertEqual(chat.parts[0].input, { a: [1, 2] });
    assertEqual(before, { a: [1] });
    await request.finish();
  });
}

/** A part takes another one's place in one read: what is equal in both stays. */
export function aStepThatBeginsAnewKeepsWhatIsEqual(start) {
  const source = (url) => ({ type: "source-url", sourceId: "s", url, providerMetadata: { p: { n: [1] } } });
  return withChat(start, {}, async (chat) => {
    const request = await chat.ask("Q");
    await request.read({ type: "start-step" }, source("https://example.com/1"));
    const [step, first] = chat.parts;
    await request.read({ type: "reset-step" }, source("https://example.com/2"));
    const [, second] = chat.parts;
    assertSame(second.url, "https://example.com/2", "the address");
    assertSame(chat.parts[0], step, "the equal part");
    assertSame(second.providerMetadata, first.providerMetadata, "the equal member");
    await request.finish();
  });
}

export function finalInputIsTheStreamedOne(start) {
  return withChat(start, {}, async (chat) => {
    const request = await chat.ask("Q");
    await request.read(inputStart, inputDelta('{"path":["a","b"],"options":{"force":true}}'));
    const streamed = chat.parts[0].input;
    await request.read(input({ options: { force: true }, path: ["a", "b"] }));
    assertSame(chat.parts[0].state, "input-available", "the state");
    assertSame(chat.parts[0].input, streamed, "the final input");
    await request.finish();
  });
}

export function finalInputKeepsWhatIsEqual(start) {
  return withChat(start, {}, async (chat) => {
    const request = await chat.ask("Q");
    await request.read(inputStart, inputDelta('{"path":["a","b"],"options":{"force":true}}'));
    const streamed = chat.parts[0].input;
    await request.read(input({ path: ["a", "b"], options: { force: false }, more: {} }));
    const { input: final } = chat.parts[0];
    assertEqual(final, { path: ["a", "b"], options: { force: false }, more: {} });
    assertNotSame(final, streamed, "the input");
    assertNotSame(final.options, streamed.options, "the changed member");
    assertSame(final.path, streamed.path, "the equal member");
    await request.finish();
  });
}

/** Data, outputs and metadata that come again. */
export function replacedValuesKeepWhatIsEqual(start) {
  const data = (value) => ({ type: "data-rows", id: "d", data: value });
  const output = (value) => ({ type: "tool-output-available", toolCallId: "c", output: value, preliminary: true });
  const metadata = (value) => ({ type: "message-metadata", messageMetadata: value });
  const cases = [
    [data, () => chat_part("data-rows").data],
    [output, () => chat_part("tool-edit").output],
    [metadata, () => chat.messages.at(-1).metadata],
  ];
  let chat;
  const chat_part = (type) => chat.parts.find((part) => part.type === type);
  return withChat(start, {}, async (given) => {
    chat = given;
    const request = await chat.ask("Q");
    await request.read(input({}));
    for (const [chunk, value] of cases) {
      await request.read(chunk({ rows: [{ n: 1 }, { n: 2 }], total: 2 }));
      const first = value();
      const message = chat.messages.at(-1);
      await request.read(chunk({ total: 2, rows: [{ n: 1 }, { n: 2 }] }));
      assertSame(value(), first, "an equal value");
      assertSame(chat.messages.at(-1), message, "the message of an equal value");
      await request.read(chunk({ rows: [{ n: 1 }, { n: 3 }], total: 2 }));
      const second = value();
      assertEqual(second, { rows: [{ n: 1 }, { n: 3 }], total: 2 });
      assertNotSame(second, first, "a changed value");
      assertSame(second.rows[0], first.rows[0], "an equal item");
      assertNotSame(second.rows[1], first.rows[1], "a changed item");
    }
    await request.finish();
  });
}

/** Two equal values are not one when they only look alike. */
export function similarIsNotEqual(start) {
  return withChat(start, {}, async (chat) => {
    const request = await chat.ask("Q");
    const values = [[], {}, { 0: "a" }, ["a"], { a: null }, {}, { a: 0 }, "0", 0, null, [null], [[]]];
    await request.read(input({}));
    for (const [index, value] of values.entries()) {
      await request.read({ type: "tool-output-available", toolCallId: "c", output: value, preliminary: true });
      assertEqual(chat.parts[0].output, value, `value ${index}`);
    }
    await request.finish();
  });
}

/** A resumed stream that starts over and says the same again changes nothing on the page. */
export function replayOfTheSameIsTheSame(start) {
  const chunks = [
    { type: "start", messageId: "a", messageMetadata: { m: [1] } },
    { type: "start-step" },
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: "Hm" },
    { type: "reasoning-end", id: "r" },
    { type: "source-url", sourceId: "s", url: "https://example.com/", providerMetadata: { p: {} } },
    inputStart,
    inputDelta('{"a":{"b":[1,"two"]}}'),
    input({ a: { b: [1, "two"] } }),
    { type: "tool-output-available", toolCallId: "c", output: { ok: true } },
  ];
  return withChat(start, {}, async (chat) => {
    const first = await chat.ask("Q");
    await first.read(...chunks);
    await first.breakOff();
    assertSame(chat.snapshot.outcome, "disconnect", "the outcome");
    const before = chat.messages[1];
    chat.driver.resume(undefined);
    const second = chat.requests[1];
    assertSame(second.context.trigger, "resume-stream", "the trigger");
    second.respond();
    await second.read(...chunks);
    assertSame(chat.messages[1], before, "the message after the replay");
    await second.finish({ type: "text-start", id: "1" });
    for (const [index, part] of before.parts.entries()) {
      assertSame(chat.parts[index], part, `part ${index} when the message goes on`);
    }
    assertSame(chat.messages[1].metadata, before.metadata, "the metadata when the message goes on");
  });
}

/** The same in the middle of an input, in many reads: nothing on the page shrinks in between. */
export function replayOfAnUnfinishedAnswer(start) {
  const chunks = [
    { type: "start", messageId: "a" },
    { type: "tool-input-available", toolCallId: "c0", toolName: "find", input: { q: ["x"] } },
    { type: "tool-output-available", toolCallId: "c0", output: [{ hit: 1 }] },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "Wait" },
    inputStart,
    inputDelta('{"done":{"x":1},"a":{"b":[1,'),
    inputDelta('"tw'),
  ];
  return withChat(start, {}, async (chat) => {
    const first = await chat.ask("Q");
    await first.read(...chunks);
    await first.breakOff();
    const before = chat.messages[1];
    chat.driver.resume(undefined);
    const [, second] = chat.requests;
    second.respond();
    for (const chunk of chunks) {
      await second.read(chunk);
      for (const index of [0, 2]) {
        assertSame(chat.parts[index], before.parts[index], `part ${index} after ${chunk.type}`);
      }
      assertSame(chat.parts[1].text, "Wait", `the text after ${chunk.type}`);
    }
    await second.read(inputDelta('o"]}}'));
    assertEqual(chat.parts[2].input, { done: { x: 1 }, a: { b: [1, "two"] } });
    assertSame(chat.parts[2].input.done, before.parts[2].input.done, "the closed member");
    assertSame(chat.parts[0], before.parts[0], "the finished call");
    assertSame(chat.callsOf("toolCall").length, 1, "calls of onToolCall");
    await second.finish();
  });
}

/** What brings no change to the messages or the state publishes nothing: the snapshot stays. */
export function snapshotStaysUntilSomethingChanges(start) {
  return withChat(start, {}, async (chat) => {
    assertSame(chat.snapshot, chat.first, "the snapshot before anything");
    const request = await chat.ask("Q");
    await request.read({ type: "data-rows", id: "d", data: [1] }, { type: "message-metadata", messageMetadata: { a: 1 } });
    const before = chat.snapshot;
    const publications = chat.published.length;
    await request.readText(": keep-alive\n\n");
    await request.readText("data: {");
    await request.readText('"type":"unheard-of"}\n\n');
    await request.read({ type: "data-rows", data: 5, transient: true });
    await request.read({ type: "data-rows", id: "d", data: [1] });
    await request.read({ type: "message-metadata", messageMetadata: { a: 1 } });
    await request.read({ type: "tool-input-delta", toolCallId: "unheard-of", inputTextDelta: "{" });
    await request.read({ type: "finish-step" }, { type: "finish" }, "[DONE]");
    assertSame(chat.snapshot, before, "the snapshot");
    assertSame(chat.published.length, publications, "publications");
    await request.end();
    assertNotSame(chat.snapshot, before, "the snapshot after the end");
    assertSame(chat.messages, before.messages, "the messages after the end");
  });
}

/** An answer of every kind of part, streamed a word at a time, without and with freezing. */
async function publishedValuesNeverChange(start, freezes) {
  await withChat(start, { freezes }, async (chat) => {
    const request = await chat.ask("Q");
    const random = seeded(7);
    for (let round = 0; round < 20; round++) {
      for (const chunk of randomChunks(random)) await request.read(chunk);
    }
    await request.finish();
    assert(chat.published.length > 100, `only ${chat.published.length} publications`);
    assertSame(Object.isFrozen(chat.parts[0]), freezes, "whether parts are frozen");
  });
}

export const publishedValuesNeverChangeThawed = (start) => publishedValuesNeverChange(start, false);
export const publishedValuesNeverChangeFrozen = (start) => publishedValuesNeverChange(start, true);

/** Random streams in random reads: the view is what the core holds, whatever was shared. */
export async function randomStreamsAreShownAsTheyAre(start) {
  for (let seed = 1; seed <= 150; seed++) {
    const random = seeded(seed);
    const on = {
      publish: (snapshot, chat) =>
        assertEqual(snapshot.messages, JSON.parse(chat.driver.exportMessages()), `seed ${seed}`),
    };
    await withChat(start, { on }, async (chat) => {
      const request = await chat.ask("Q");
      let chunks = [];
      for (let round = 0; round < 4; round++) chunks.push(...randomChunks(random));
      while (chunks.length > 0) {
        const count = 1 + random(6);
        await request.read(...chunks.slice(0, count));
        chunks = chunks.slice(count);
      }
      await request.finish();
      assertEqual(chat.snapshot.outcome, "complete", `seed ${seed}, the outcome`);
    }).catch((error) => {
      throw new Error(`seed ${seed}: ${error.message}`);
    });
  }
}

/** Random streams cut anywhere, at any throttle, lost and replayed: host.js looks at each flush. */
export async function equalIsTheSameAfterAnyFlush(start) {
  let flushes = 0;
  for (let seed = 1; seed <= 150; seed++) {
    const random = seeded(seed);
    const throttle = [0, FRAME, 50][random(3)];
    const time = new TestTime();
    try {
      await withChat(start, { throttle, resume: true }, async (chat) => {
        let request = await chat.ask("Q");
        // Of calls that are not known, nothing but an error would come.
        const calls = ["a", "b"].map((toolCallId) => ({ type: "tool-input-start", toolCallId, toolName: "edit" }));
        const chunks = [{ type: "start", messageId: "a" }, ...calls, { type: "start-step" }];
        while (chunks.length < 60) chunks.push(...eventfulChunks(random));
        if (random(3) === 0) {
          await deliver(request, chunks.slice(0, random(chunks.length)), random, time);
          await request.breakOff();
          time.pass(1000);
          await settle();
          request = chat.requests.at(-1);
          request.respond();
        }
        await deliver(request, chunks, random, time);
        if (!request.isCancelled) await request.finish();
        flushes += chat.published.length;
      });
    } catch (error) {
      throw new Error(`seed ${seed}: ${error.message}`);
    } finally {
      time.restore();
    }
  }
  assert(flushes > 3000, `only ${flushes} flushes`);
}

/** Delivers chunks in reads that end anywhere, and lets time pass between them. */
async function deliver(request, chunks, random, time) {
  const bytes = new TextEncoder().encode(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(""));
  for (let at = 0; at < bytes.length && !request.isCancelled; ) {
    const end = at + 1 + random([20, 100, 400][random(3)]);
    await request.readBytes(bytes.slice(at, end));
    at = end;
    if (random(2) === 0) time.paint();
    if (random(3) === 0) time.pass(random(120));
  }
}
