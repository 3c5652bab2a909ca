// The built package in a page: its commands, what it tells, what its transports may do.

import { assert, assertEqual, assertNotSame, assertSame, settle } from "./check.js";
import { INLINE, answer, inPage, openAnswer, textAnswer } from "./page.js";

const texts = (messages) => messages.map(({ role, parts }) => [role, parts.at(-1).text]);

/** A page with the package and a chat whose server answers with the number of the request. */
function withChat(init, test) {
  return inPage(async (page) => {
    const chatwire = await page.load(INLINE);
    const bodies = [];
    const fetch = async (_, { body }) => {
      bodies.push(body);
      return answer(...textAnswer(`answer ${bodies.length}`, `a${bodies.length}`));
    };
    const transport = new chatwire.DefaultChatTransport({ fetch });
    await test(new chatwire.Chat({ transport, ...init }), { page, chatwire, bodies });
  });
}

/** What is asked before the WebAssembly is there is done when it is, in order. */
export function commandsBeforeTheStartKeepTheirOrder() {
  return withChat({}, async (chat, { page, bodies }) => {
    chat.setMessages([{ id: "s", role: "system", parts: [{ type: "text", text: "Be brief" }] }]);
    const commands = ["1", "2", "3"].map((text) => chat.sendMessage({ text }));
    assertSame(page.memories.length, 0, "instances when the commands were given");
    await Promise.all(commands);
    assertSame(page.memories.length, 1, "instances");
    assertEqual(texts(chat.messages), [
      ["system", "Be brief"],
      ...["1", "2", "3"].flatMap((text) => [["user", text], ["assistant", `answer ${text}`]]),
    ]);
    assertEqual(bodies.map((body) => texts(JSON.parse(body).messages).at(-1)[1]), ["1", "2", "3"]);
  });
}

/** Commands of different kinds, too: the last one stops what the first ones began. */
export function laterCommandsActOnEarlierOnes() {
  return withChat({}, async (chat, { bodies }) => {
    const sent = chat.sendMessage({ text: "1" });
    const again = chat.regenerate();
    const stopped = chat.stop();
    await Promise.all([sent, again, stopped]);
    assertEqual(texts(chat.messages), [["user", "1"]]);
    assertSame(chat.outcome, "stopped", "the outcome");
    assertEqual(bodies, [], "requests");
  });
}

/** What is asked for when the WebAssembly has just come waits behind what waited for it. */
export function commandsAfterTheStartWaitTheirTurn() {
  return withChat({}, async (chat, { chatwire, bodies }) => {
    const first = chat.sendMessage({ text: "1" });
    await chatwire.init();
    await Promise.all([first, chat.sendMessage({ text: "2" })]);
    assertEqual(bodies.map((body) => texts(JSON.parse(body).messages).at(-1)[1]), ["1", "2"]);
  });
}

/** A chat that is disposed of while the WebAssembly loads asks nothing of a server any more. */
export function disposeBeforeTheStart() {
  return withChat({}, async (chat, { bodies }) => {
    const sent = chat.sendMessage({ text: "1" }).catch((error) => error);
    chat.dispose();
    assertSame((await sent)?.code, "disposed", "the code of the command");
    assertEqual(bodies, [], "requests");
    assertEqual(chat.messages, []);
  });
}

export function subscribersHearOfEachSnapshot() {
  return withChat({ throttle: 0 }, async (chat) => {
    const heard = [];
    const before = chat.getSnapshot();
    const end = chat.subscribe(() => heard.push(chat.getSnapshot()));
    const endFaulty = chat.onDelta(({ delta }) => heard.push(delta));
    assertSame(chat.getSnapshot(), before, "the snapshot before anything");
    await chat.sendMessage({ text: "Q" });
    const snapshots = heard.filter((entry) => typeof entry === "object");
    assertSame(new Set(snapshots).size, snapshots.length, "different snapshots");
    assertSame(snapshots.at(-1), chat.getSnapshot(), "the last snapshot");
    assertEqual([...new Set(snapshots.map(({ status }) => status))], ["submitted", "streaming", "ready"]);
    const deltaAt = heard.indexOf("answer 1");
    const shownAt = heard.findIndex((entry) => entry.messages?.[1]?.parts[0].text === "answer 1");
    assert(deltaAt >= 0 && deltaAt < shownAt, "the delta must come before the snapshot that has it");
    end();
    endFaulty();
    const count = heard.length;
    await chat.sendMessage({ text: "Q" });
    assertSame(heard.length, count, "what was heard afterwards");
  });
}

/** However many events come, subscribers hear of them once per interval. */
export function aBurstIsToldOncePerInterval() {
  const delta = { type: "text-delta", id: "1", delta: "ab" };
  return inPage(async (page) => {
    const { Chat, DefaultChatTransport } = await page.load(INLINE);
    for (const throttle of [undefined, 50, 200]) {
      const { response, send, end } = openAnswer();
      const transport = new DefaultChatTransport({ fetch: async () => response });
      const chat = new Chat({ transport, ...(throttle && { throttle }) });
      const sent = chat.sendMessage({ text: "Q" });
      const text = () => chat.lastMessage?.parts[0]?.text ?? "";
      send({ type: "text-start", id: "1" }, delta);
      await until(() => text() === "ab");

      let notifications = 0;
      const unsubscribe = chat.subscribe(() => notifications++);
      const frames = countFrames(page.window);
      const from = performance.now();
      for (let event = 0; event < 5000; event++) {
        send(delta);
        if (event % 10 === 0) await settle();
      }
      await until(() => text().length === 2 * 5001);
      const duration = performance.now() - from;
      const intervals = throttle === undefined ? frames() : duration / throttle;
      unsubscribe();
      const figures = `${notifications} notifications in ${intervals} intervals, ${duration} ms, throttle ${throttle}`;
      assert(notifications >= 1 && notifications <= intervals + 2, figures);
      send({ type: "finish" });
      end();
      await sent;
    }
  });
}

/** Gives what tells how many frames the page has painted since. */
function countFrames(window) {
  let frames = 0;
  let isOver = false;
  const count = () => {
    frames++;
    if (!isOver) window.requestAnimationFrame(count);
  };
  window.requestAnimationFrame(count);
  return () => {
    isOver = true;
    return frames;
  };
}

async function until(holds) {
  const end = performance.now() + 5000;
  while (!holds()) {
    assert(performance.now() < end, `still not so after 5 s: ${holds}`);
    await settle();
  }
}

/** The AI SDK's request, with the exact text of what was received. */
export function requestsAreTheAiSdks() {
  const odd = '{"n":1.0,"id":9007199254740993,"twice":1,"twice":2,"esc":"\\u0041"}';
  return inPage(async (page) => {
    const { Chat, DefaultChatTransport, rawJson } = await page.load(INLINE);
    const calls = [];
    const fetch = async (...given) => {
      calls.push(given);
      const stream = `data: {"type":"start","messageId":"a"}\n\ndata: {"type":"data-x","data":${odd}}\n\ndata: [DONE]\n\n`;
      return new Response(stream, { headers: { "x-vercel-ai-ui-message-stream": "v1" } });
    };
    const chat = new Chat({ id: "chat", transport: new DefaultChatTransport({ fetch, api: "/talk", body: { k: 1 } }) });
    await chat.sendMessage({ text: "1" }, { headers: { "X-One": "1" }, body: { extra: true } });
    assertSame(rawJson(chat.lastMessage.parts[0].data), odd, "the text of the data");
    await chat.sendMessage({ text: "2" });
    const [[url, first], [, second]] = calls;
    assertSame(url, "/talk", "the address");
    assertEqual(first.headers, { "content-type": "application/json", "x-one": "1" });
    assertSame(first.method, "POST", "the method");
    assertEqual(Object.keys(JSON.parse(first.body)), ["k", "extra", "id", "messages", "trigger"]);
    assert(second.body.includes(`"data":${odd}`), `the data is not exact in ${second.body}`);
    assertSame(JSON.parse(second.body).messages.length, 3, "messages");
    assert(!first.signal.aborted, "the signal was aborted");
  });
}

/** A chunk that JSON cannot hold is an error with a code; what came before it stays. */
export async function chunksThatAreNoJson() {
  const cycle = { type: "data-a", data: {} };
  cycle.data.self = cycle;
  for (const [what, chunk] of [["BigInt", { type: "data-a", data: { big: 1n } }], ["cycle", cycle]]) {
    const chunks = [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "kept" }, chunk];
    const transport = {
      sendMessages: async () =>
        new ReadableStream({
          start(controller) {
            chunks.forEach((each) => controller.enqueue(each));
            controller.close();
          },
        }),
      reconnectToStream: async () => null,
    };
    const errors = [];
    await withChat({ transport, onError: (error) => errors.push(error) }, async (chat, { chatwire }) => {
      await chat.sendMessage({ text: "Q" });
      assertSame(chat.status, "error", "the status");
      assertSame(chat.error.code, "not_serializable", `the code for a ${what}`);
      assert(chatwire.ChatwireError.isInstance(chat.error), "the class of the error");
      assertEqual(errors, [chat.error]);
      assertSame(chat.lastMessage.parts[0].text, "kept", "what came before");
    });
  }
}

/** A transport of the app is given what the AI SDK gives, and closed with the chat. */
export function transportsOfTheApp() {
  const given = [];
  let isClosed = false;
  const transport = {
    sendMessages: async (options) => {
      given.push(options);
      return new ReadableStream({
        start(controller) {
          textAnswer("ok").forEach((chunk) => controller.enqueue(chunk));
          controller.close();
        },
      });
    },
    reconnectToStream: async () => null,
    close: () => void (isClosed = true),
  };
  return withChat({ id: "chat", transport }, async (chat) => {
    await chat.sendMessage({ text: "Q" }, { metadata: { m: 1 } });
    await chat.resumeStream();
    const [{ chatId, trigger, messageId, messages, metadata, abortSignal }] = given;
    assertEqual([chatId, trigger, messageId, metadata], ["chat", "submit-message", undefined, { m: 1 }]);
    assertEqual(texts(messages), [["user", "Q"]]);
    assert(Array.isArray(messages) && messages !== chat.messages, "the list must be the transport's own");
    assert(!abortSignal.aborted, "the signal was aborted");
    assertEqual(texts(chat.messages), [["user", "Q"], ["assistant", "ok"]]);
    chat.dispose();
    assert(isClosed, "the transport is still open");
  });
}

/** `using chat = new Chat()`, as far as the engine has it. */
export function disposeEndsAChat() {
  return inPage(async (page) => {
    const { Chat, DefaultChatTransport } = await page.load(INLINE);
    const open = openAnswer();
    let signal;
    const fetch = async (_, init) => {
      signal = init.signal;
      return open.response;
    };
    const chat = new Chat({ transport: new DefaultChatTransport({ fetch }), throttle: 0 });
    const sent = chat.sendMessage({ text: "Q" });
    while (!signal) await settle();
    open.send(...textAnswer("So far").slice(0, 3));
    await settle();
    const symbol = page.window.Symbol.dispose ?? page.window.Symbol.for("Symbol.dispose");
    chat[symbol]();
    assert(signal.aborted, "the request is still open");
    await sent;
    assertEqual(texts(chat.messages), [["user", "Q"], ["assistant", "So far"]]);
    assertSame(chat.outcome, "stopped", "the outcome");
    const error = await chat.sendMessage({ text: "more" }).catch((error) => error);
    assertSame(error?.code, "disposed", "the code of a later command");
    chat.dispose();
    const unused = new Chat();
    unused[symbol]();
    assertSame((await unused.regenerate().catch((error) => error))?.code, "disposed", "an unused chat");
  });
}

/** A listener at fault keeps neither the others from hearing nor the stream from going on. */
export function faultyListenersHarmNobody() {
  return withChat({ throttle: 0 }, async (chat, { page }) => {
    const reported = [];
    page.window.addEventListener("error", (event) => {
      event.preventDefault();
      reported.push(event.message);
    });
    let heard = 0;
    chat.subscribe(() => {
      throw new Error("faulty listener");
    });
    chat.subscribe(() => heard++);
    await chat.sendMessage({ text: "Q" });
    await settle();
    assert(heard > 2, `the other listener heard ${heard} times`);
    assertSame(reported.length, heard, "reports");
    assertEqual(texts(chat.messages), [["user", "Q"], ["assistant", "answer 1"]]);
  });
}

/** Keys of messages stay when the chat gives its memory back, and when ids change. */
export function keysStay() {
  return withChat({}, async (chat) => {
    await chat.sendMessage({ text: "Q" });
    const keys = chat.messages.map((message) => chat.keyOf(message));
    assertNotSame(keys[0], keys[1], "the keys of two messages");
    const first = chat.messages;
    await new Promise((resolve) => setTimeout(resolve, 1200));
    await chat.sendMessage({ text: "again" });
    assertSame(chat.messages[1], first[1], "a message after the memory was given back");
    assertEqual(chat.messages.slice(0, 2).map((message) => chat.keyOf(message)), keys, "the keys");
    assertSame(new Set(chat.messages.map((message) => chat.keyOf(message))).size, 4, "different keys");
  });
}
