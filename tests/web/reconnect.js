// A connection that is lost is made again: after a while, or as soon as that makes sense.

import { assert, assertEqual, assertSame, settle } from "./check.js";
import { withChat } from "./host.js";
import { TestTime } from "./time.js";

const begin = [
  { type: "start", messageId: "a" },
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "So far" },
];
/** The longest first wait, in milliseconds: half a second and a quarter of chance. */
const FIRST_WAIT = 625;

/** A chat that has just lost the connection of its answer. */
async function afterALoss(start, test, options = {}) {
  const time = new TestTime();
  try {
    await withChat(start, { resume: true, ...options }, async (chat) => {
      const request = await chat.ask("Q");
      await request.readText("id: 7\n");
      await request.read(...begin);
      await request.breakOff();
      assertSame(chat.snapshot.status, "streaming", "the status after the loss");
      assertSame(chat.snapshot.connection, "reconnecting", "the connection after the loss");
      assertSame(chat.driver.isBusy, true, "busy");
      await test(chat, time, request);
    });
  } finally {
    time.restore();
  }
}

/** The request that makes the connection again. */
async function reconnected(chat, number) {
  await settle();
  assertSame(chat.requests.length, number, "requests");
  const request = chat.requests[number - 1];
  assertSame(request.context.trigger, "resume-stream", "the trigger");
  return request;
}

/** The answer goes on where it was; a replay of it takes nothing away in between. */
export function anAnswerGoesOn(start) {
  return afterALoss(start, async (chat, time, first) => {
    const before = chat.messages[1];
    time.pass(374);
    assertSame(chat.requests.length, 1, "requests before the wait is over");
    time.pass(FIRST_WAIT - 374);
    const second = await reconnected(chat, 2);
    assertSame(second.context.lastEventId, "7", "the last event");
    second.respond();
    await second.read(...begin);
    assertSame(chat.snapshot.connection, "open", "the connection");
    assertSame(chat.messages[1], before, "the message after a replay");
    await second.finish({ type: "text-delta", id: "1", delta: " and on" });
    assertSame(chat.parts[0].text, "So far and on", "the text");
    assertEqual([chat.snapshot.status, chat.snapshot.outcome, chat.snapshot.connection], ["ready", "complete", "idle"]);
    await first.done;
    assertEqual(chat.callsOf("error"), [], "errors");
    assertSame(chat.callsOf("finish").length, 1, "ends");
    assertEqual(time.waiting, { frames: 0, timers: 0 }, "what is waited for");
  });
}

/** Each wait is longer; when all were in vain, the first error is told. */
export function inVain(start) {
  return afterALoss(start, async (chat, time, first) => {
    const waits = [];
    for (let attempt = 2; attempt <= 6; attempt++) {
      const began = time.now;
      while (chat.requests.length < attempt && time.now - began < 20_000) {
        time.pass(25);
        await settle();
      }
      waits.push(time.now - began);
      chat.requests[attempt - 1].refuse(new TypeError("Failed to fetch"));
      await settle();
    }
    for (const [index, wait] of waits.entries()) {
      const middle = Math.min(8000, 500 * 2 ** index);
      assert(wait >= middle * 0.75 && wait <= middle * 1.25 + 25, `wait ${index + 1} is ${wait} ms`);
    }
    await first.done;
    assertEqual([chat.snapshot.status, chat.snapshot.outcome, chat.snapshot.connection], ["error", "disconnect", "idle"]);
    assertSame(chat.snapshot.error.code, "network_error", "the code");
    assertSame(chat.snapshot.error.message, "network error", "the message of the first failure");
    assertSame(chat.parts[0].text, "So far", "the text");
    time.pass(60_000);
    await settle();
    assertSame(chat.requests.length, 6, "requests afterwards");
    assertEqual(time.waiting, { frames: 0, timers: 0 }, "what is waited for");
  });
}

/** Offline devices wait for the connection of the device, and are not kept waiting by it. */
export function offline(start) {
  return afterALoss(start, async (chat, time) => {
    time.connect(false);
    time.pass(FIRST_WAIT);
    assertSame(chat.snapshot.connection, "offline", "the connection");
    time.pass(60_000);
    await settle();
    assertSame(chat.requests.length, 1, "requests while offline");
    time.connect(true);
    const second = await reconnected(chat, 2);
    second.respond();
    await second.finish({ type: "text-delta", id: "1", delta: "!" });
    assertSame(chat.parts[0].text, "So far!", "the text");
  });
}

/** A page that comes into sight does not wait any more. */
export function backInSight(start) {
  return afterALoss(start, async (chat, time) => {
    time.show(false);
    await settle();
    assertSame(chat.requests.length, 1, "requests of a page out of sight");
    time.show(true);
    const second = await reconnected(chat, 2);
    time.pass(10_000);
    await settle();
    assertSame(chat.requests.length, 2, "requests when the wait would be over");
    second.respond();
    await second.finish({ type: "text-delta", id: "1", delta: "!" });
    assertSame(chat.snapshot.outcome, "complete", "the outcome");
  });
}

/** What ends the answer ends the waiting. */
export async function nobodyWaitsForLongerThanTheChat(start) {
  const ends = {
    stop: (chat) => void chat.driver.stop(undefined),
    dispose: (chat) => chat.driver.dispose(),
    free: (chat) => chat.driver.free(),
    "set away": (chat) => chat.driver.setMessages([]),
    regenerate: (chat) => void chat.driver.regenerate(undefined, undefined),
  };
  for (const [name, end] of Object.entries(ends)) {
    await afterALoss(start, async (chat, time) => {
      end(chat);
      const count = chat.requests.length;
      assertSame(count, name === "regenerate" ? 2 : 1, `requests after ${name}`);
      assertSame(time.waiting.timers, 0, `timers after ${name}`);
      time.connect(true);
      time.show(true);
      time.pass(60_000);
      await settle();
      assertSame(chat.requests.length, count, `later requests after ${name}`);
    });
  }
}

/** A server that has nothing left ends it with what was wrong first. */
export function nothingLeft(start) {
  return afterALoss(start, async (chat, time, first) => {
    time.pass(FIRST_WAIT);
    const second = await reconnected(chat, 2);
    second.answer(new Response(null, { status: 204 }));
    await first.done;
    assertEqual([chat.snapshot.status, chat.snapshot.outcome], ["error", "disconnect"]);
    assertSame(chat.snapshot.error.code, "network_error", "the code");
    assertEqual(time.waiting, { frames: 0, timers: 0 }, "what is waited for");
  });
}
