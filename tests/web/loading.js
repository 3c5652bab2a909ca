// When the built package loads its WebAssembly, what it costs, and what becomes of it.

import { assert, assertEqual, assertSame, settle, thrownBy } from "./check.js";
import { BY_URL, DEBUG, INLINE, answer, inPage, openAnswer, textAnswer } from "./page.js";

/** Longer than a chat that nobody watches keeps its memory. */
const released = () => new Promise((resolve) => setTimeout(resolve, 1200));
const texts = (messages) => messages.map(({ role, parts }) => [role, parts.at(-1).text]);

/** A chat that has not been used has taken nothing, whether or not others have. */
export function unusedChatsTakeNoMemory() {
  return inPage(async (page) => {
    const { Chat, DefaultChatTransport } = await page.load(INLINE);
    const chats = Array.from({ length: 10_000 }, () => new Chat());
    assertSame(page.memories.length, 0, "instances");
    const fetch = async () => answer(...textAnswer("ok"));
    await new Chat({ transport: new DefaultChatTransport({ fetch }) }).sendMessage({ text: "Q" });
    assertSame(page.memories.length, 1, "instances after a command");
    const before = page.memoryBytes;
    for (let index = 0; index < 10_000; index++) {
      const chat = new Chat({ messages: [{ id: "a", role: "user", parts: [{ type: "text", text: "Q" }] }] });
      chat.subscribe(() => {})();
      chats.push(chat);
    }
    assertSame(page.memoryBytes, before, "bytes of memory");
    assertSame(page.memories.length, 1, "instances");
    assertSame(new Set(chats.map((chat) => chat.getSnapshot())).size, 20_000, "snapshots");
  });
}

/** Chats that were used once and let go of give their memory back, though nobody disposes of them. */
export function droppedChatsGiveTheirMemoryBack() {
  return inPage(async (page) => {
    const { Chat, DefaultChatTransport } = await page.load(INLINE);
    let answered = 0;
    const fetch = async () => {
      answered++;
      return answer(...textAnswer("A longer answer. ".repeat(20)));
    };
    const transport = new DefaultChatTransport({ fetch });
    const wave = async () => {
      await Promise.all(Array.from({ length: 1000 }, () => new Chat({ transport }).sendMessage({ text: "Q" })));
      await released();
      return page.memoryBytes;
    };
    const first = await wave();
    const later = [];
    for (let waves = 1; waves < 10; waves++) later.push(await wave());
    assertSame(answered, 10_000, "answers");
    assertEqual(later, Array(9).fill(first), "bytes of memory after each wave");
    assertSame(page.memories.length, 1, "instances");
  });
}

/** What was received is still sent back as it was, values without an object included. */
export function aReleasedChatKeepsTheText() {
  return inPage(async (page) => {
    const { Chat, DefaultChatTransport } = await page.load(INLINE);
    const bodies = [];
    const fetch = async (_, { body }) => {
      bodies.push(body);
      const data = '{"type":"data-x","data":1e21}\n\ndata: {"type":"data-y","data":[1.0]}';
      return new Response(`data: ${data}\n\ndata: [DONE]\n\n`, { headers: { "x-vercel-ai-ui-message-stream": "v1" } });
    };
    const chat = new Chat({ transport: new DefaultChatTransport({ fetch }) });
    await chat.sendMessage({ text: "1" });
    const { messages } = chat;
    await released();
    await chat.sendMessage({ text: "2" });
    assert(bodies[1].includes('{"type":"data-x","data":1e21},{"type":"data-y","data":[1.0]}'), bodies[1]);
    assertSame(chat.messages[1], messages[1], "the answer");
  });
}

/** What a chat shows is what it showed, also when its memory is taken anew. */
export function aReleasedChatKeepsItsError() {
  return inPage(async (page) => {
    const { Chat, DefaultChatTransport } = await page.load(INLINE);
    const fetch = async () => new Response("no", { status: 500 });
    const chat = new Chat({ transport: new DefaultChatTransport({ fetch }) });
    await chat.sendMessage({ text: "1" });
    await released();
    const snapshot = chat.getSnapshot();
    assertSame(snapshot.status, "error", "the status");
    assertEqual(texts(JSON.parse(await chat.exportMessages())), [["user", "1"]]);
    assertSame(chat.getSnapshot(), snapshot, "the snapshot after an export");
    chat.clearError();
    assertEqual([chat.status, chat.error], ["ready", undefined]);
  });
}

/** A request that the chat makes by itself, however long it takes, is no reason to keep the memory. */
export function automaticRequestsAreReleasedToo() {
  return inPage(async (page) => {
    const chatwire = await page.load(DEBUG);
    const { Chat, DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls, glue } = chatwire;
    const { prototype } = glue.ChatCore;
    const { free } = prototype;
    let freed = 0;
    prototype.free = function () {
      freed++;
      return free.call(this);
    };
    const answers = [openAnswer(), openAnswer()];
    let asked = 0;
    const fetch = async () => answers[asked++].response;
    const chat = new Chat({
      transport: new DefaultChatTransport({ fetch }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    });
    const sent = chat.sendMessage({ text: "1" });
    answers[0].send({ type: "tool-input-available", toolCallId: "c", toolName: "t", input: {} }, { type: "finish" });
    answers[0].end();
    await sent;
    await chat.addToolOutput({ tool: "t", toolCallId: "c", output: 1 });
    await released();
    assertSame(asked, 2, "requests");
    assertSame(freed, 0, "chats that gave their memory back in the middle of an answer");
    answers[1].send(...textAnswer("done"));
    answers[1].end();
    await settle();
    assertSame(chat.status, "ready", "the status");
    await released();
    assertSame(freed, 1, "chats that gave their memory back");
  });
}

/** What nobody can find is an error with a remedy; the next try may find it. */
export function aFailedStartIsTriedAgain() {
  return inPage(async (page) => {
    const { Chat, DefaultChatTransport, init } = await page.load(BY_URL);
    const real = page.window.fetch;
    let isThere = false;
    const asked = [];
    page.window.fetch = (url, ...rest) => {
      asked.push(String(url).split("/").at(-1));
      return isThere ? real(url, ...rest) : Promise.resolve(new Response("<html>", { status: 404 }));
    };
    const errors = [];
    const chat = new Chat({
      transport: new DefaultChatTransport({ fetch: async () => answer(...textAnswer("ok")) }),
      onError: (error) => errors.push(error),
    });
    assertSame((await thrownBy(init, "init")).code, "wasm_not_found", "the code of init");
    const error = await thrownBy(() => chat.sendMessage({ text: "1" }), "a command");
    assertSame(error.code, "wasm_not_found", "the code of a command");
    assertSame(chat.status, "error", "the status");
    assertSame(chat.error, error, "the error");
    assertEqual(errors, [error], "errors");
    assert(/core\.wasm/.test(error.message), "the message must name the file");

    isThere = true;
    await chat.sendMessage({ text: "2" });
    assertSame(chat.status, "ready", "the status");
    assertEqual(texts(chat.messages).at(-1), ["assistant", "ok"]);
    await init();
    assertEqual(asked, ["core.wasm", "core.wasm", "core.wasm"], "requests for the file");
    assertSame(page.memories.length, 1, "instances");
  });
}

/** Loading ahead, by several callers at once, loads once. */
export function initLoadsOnce() {
  return inPage(async (page) => {
    const { Chat, DefaultChatTransport, init } = await page.load(BY_URL);
    await Promise.all([init(), init({ url: "/pkg/dist/core.wasm" }), init()]);
    const fetch = async () => answer(...textAnswer("ok"));
    await new Chat({ transport: new DefaultChatTransport({ fetch }) }).sendMessage({ text: "Q" });
    await init();
    assertSame(page.memories.length, 1, "instances");
  });
}

/** Both entries, loaded in one page, use one instance. */
export function entriesShareTheInstance() {
  return inPage(async (page) => {
    for (const path of [INLINE, BY_URL]) {
      const { Chat, DefaultChatTransport } = await page.load(path);
      const fetch = async () => answer(...textAnswer("ok"));
      await new Chat({ transport: new DefaultChatTransport({ fetch }) }).sendMessage({ text: "Q" });
    }
    assertSame(page.memories.length, 1, "instances");
  });
}

/**
 * Two chats on an instance that traps: one by the bytes that it is given, one without a hand in it.
 *
 * @param {(parts: object) => Promise<void>} test
 */
function withTrap(test) {
  return inPage(async (page) => {
    const chatwire = await page.load(DEBUG);
    const { Chat, DefaultChatTransport, glue } = chatwire;
    const bodies = [];
    const answers = [];
    const errors = [];
    const fetch = async (_, { body }) => {
      bodies.push(JSON.parse(body));
      answers.push(openAnswer());
      return answers.at(-1).response;
    };
    const create = () =>
      new Chat({
        transport: new DefaultChatTransport({ fetch }),
        throttle: 0,
        onError: (error) => errors.push(error.code),
      });
    const [chat, bystander] = [create(), create()];
    const sent = [chat, bystander].map((each) => each.sendMessage({ text: "1" }).then(() => "settled", (error) => error));
    while (answers.length < 2) await settle();
    for (const each of answers) each.send(...textAnswer("So far").slice(0, 3));
    await settle();
    const { prototype } = glue.ChatCore;
    /** The next call of a function of the core traps, in WebAssembly. */
    const trapIn = (name) => {
      const real = prototype[name];
      prototype[name] = () => {
        prototype[name] = real;
        glue.trapForTest();
      };
    };
    await test({ page, chat, bystander, sent, bodies, answers, errors, trapIn });
  });
}

function assertCrashed(chat, page) {
  assertSame(chat.status, "error", "the status");
  assertSame(chat.error.code, "runtime_crashed", "the code");
  assert(chat.error.cause instanceof page.window.WebAssembly.RuntimeError, "the cause");
}

/** A trap ends all chats of the instance; what they showed stays, and a command goes on from it. */
export function aTrapEndsTheInstance() {
  return withTrap(async ({ page, chat, bystander, sent, bodies, answers, errors, trapIn }) => {
    const shown = [chat.messages, bystander.messages];
    trapIn("feed");
    answers[0].send({ type: "text-delta", id: "1", delta: " and on" });
    const rejections = await Promise.all(sent);
    for (const each of [chat, bystander]) assertCrashed(each, page);
    assertEqual(errors, ["runtime_crashed", "runtime_crashed"]);
    assertEqual(rejections.map((error) => error.code), ["runtime_crashed", "runtime_crashed"], "commands");
    assertSame(chat.messages, shown[0], "the messages");
    assertSame(bystander.messages, shown[1], "the messages of the other chat");
    assertEqual(texts(chat.messages), [["user", "1"], ["assistant", "So far"]]);
    assert(answers.every(({ isCancelled }) => isCancelled), "an answer is still open");
    assertSame(page.memories.length, 1, "instances before a command");

    const again = chat.sendMessage({ text: "2" });
    while (answers.length < 3) await settle();
    assertSame(page.memories.length, 2, "instances");
    answers[2].send(...textAnswer("Back", "a2"));
    answers[2].end();
    await again;
    assertEqual(texts(chat.messages), [["user", "1"], ["assistant", "So far"], ["user", "2"], ["assistant", "Back"]]);
    assertSame(chat.messages[1], shown[0][1], "a message from before");
    assertEqual(texts(bodies[2].messages), [["user", "1"], ["assistant", "So far"], ["user", "2"]]);
    assertSame(chat.status, "ready", "the status");
    assertCrashed(bystander, page);
    assertSame(bystander.messages, shown[1], "the messages of the other chat, later");

    const third = bystander.regenerate();
    while (answers.length < 4) await settle();
    answers[3].send(...textAnswer("Anew", "a3"));
    answers[3].end();
    await third;
    assertEqual(texts(bystander.messages), [["user", "1"], ["assistant", "Anew"]]);
    assertSame(page.memories.length, 2, "instances for both chats");
  });
}

/** A command that traps rejects; it is not lost that the chat may go on. */
export function aTrapInACommand() {
  return withTrap(async ({ page, chat, bystander, trapIn }) => {
    trapIn("tell");
    const error = await thrownBy(() => chat.stop(), "the command");
    assertSame(error.code, "runtime_crashed", "the code");
    for (const each of [chat, bystander]) assertCrashed(each, page);
    chat.clearError();
    assertSame(chat.status, "ready", "the status of a cleared error");
    assertEqual(texts(JSON.parse(await chat.exportMessages())), [["user", "1"], ["assistant", "So far"]]);
    bystander.dispose();
    chat.dispose();
    await settle();
    assertSame(page.memories.length, 2, "instances");
  });
}

/** Instances may fail again and again; objects of old ones harm no new one. */
export function aTrapMayComeAgain() {
  return withTrap(async ({ page, chat, trapIn, answers }) => {
    for (let round = 1; round <= 5; round++) {
      trapIn("feed");
      answers.at(-1).send({ type: "text-delta", id: "1", delta: "." });
      await settle();
      assertCrashed(chat, page);
      const count = answers.length;
      chat.sendMessage({ text: `${round}` }).catch(() => {});
      while (answers.length === count) await settle();
      assertSame(page.memories.length, round + 1, "instances");
      answers.at(-1).send(...textAnswer(`answer ${round}`, `a${round}`).slice(0, 3));
      await settle();
      assertEqual(texts(chat.messages).at(-1), ["assistant", `answer ${round}`]);
    }
  });
}
