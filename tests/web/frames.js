// When changes become visible: with frames, with a timer, at once.

import { assert, assertEqual, assertSame, settle } from "./check.js";
import { FRAME, withChat } from "./host.js";
import { TestTime } from "./time.js";

const begin = { type: "text-start", id: "1" };
const delta = (text) => ({ type: "text-delta", id: "1", delta: text });

/** A chat that streams under the test's time; `test` also gets a count of publications since then. */
async function underTime(start, options, timeOptions, test) {
  const time = new TestTime(timeOptions);
  try {
    await withChat(start, options, async (chat) => {
      const request = await chat.ask("Q");
      if (timeOptions.isHidden) time.show(false);
      await request.read({ type: "start", messageId: "a" }, begin);
      const before = chat.published.length;
      await test(chat, request, time, () => chat.published.length - before);
      assertEqual(time.waiting, { frames: 0, timers: 0 }, "what is waited for at the end");
    });
  } finally {
    time.restore();
  }
}

export function oneFlushPerFrame(start) {
  return underTime(start, { throttle: FRAME }, {}, async (chat, request, time, publications) => {
    for (const text of ["a", "b", "c"]) await request.read(delta(text));
    assertSame(publications(), 0, "publications before the frame");
    assertEqual(time.waiting, { frames: 1, timers: 1 }, "what is waited for");
    time.paint();
    assertSame(publications(), 1, "publications with the frame");
    assertSame(chat.parts[0].text, "abc", "the text");
    assertEqual(time.waiting, { frames: 0, timers: 0 }, "what is waited for after the frame");
    time.paint();
    time.pass(1000);
    assertSame(publications(), 1, "publications without news");
    await request.read(delta("d"));
    time.paint();
    assertSame(publications(), 2, "publications with the next frame");
    await request.finish();
  });
}

/** A frame that does not come is not waited for. */
export function aTimerStandsInForAFrame(start) {
  return underTime(start, { throttle: FRAME }, {}, async (chat, request, time, publications) => {
    await request.read(delta("a"));
    time.pass(99);
    assertSame(publications(), 0, "publications after 99 ms");
    time.pass(1);
    assertSame(publications(), 1, "publications after 100 ms");
    assertSame(chat.parts[0].text, "a", "the text");
    assertEqual(time.waiting, { frames: 0, timers: 0 }, "what is waited for");
    await request.finish();
  });
}

export function hiddenPagesUseTheTimerAlone(start) {
  return underTime(start, { throttle: FRAME }, { isHidden: true }, async (chat, request, time, publications) => {
    await request.read(delta("a"));
    assertEqual(time.waiting, { frames: 0, timers: 1 }, "what is waited for");
    time.pass(100);
    assertSame(publications(), 1, "publications");
    await request.finish();
  });
}

/** As in a worker. */
export function whereThereIsNoScreenATimerIsTheFrame(start) {
  return underTime(start, { throttle: FRAME }, { paints: false }, async (chat, request, time, publications) => {
    await request.read(delta("a"));
    time.pass(15);
    assertSame(publications(), 0, "publications after 15 ms");
    time.pass(1);
    assertSame(publications(), 1, "publications after 16 ms");
    await request.finish();
  });
}

/** States, commands and what callbacks see wait for nothing. */
export function whatMattersDoesNotWait(start) {
  return underTime(start, { throttle: FRAME }, {}, async (chat, request, time, publications) => {
    assertSame(chat.snapshot.status, "streaming", "the status without a frame");
    await request.read(delta("a"));
    assertSame(publications(), 0, "publications of a text");
    await request.read({ type: "tool-input-available", toolCallId: "c", toolName: "t", input: {} });
    assertSame(publications(), 1, "publications of a tool call");
    assertSame(chat.parts[0].text, "a", "the text at the tool call");
    await request.read(delta("b"));
    chat.driver.addToolOutput("c", 1, undefined);
    assertSame(publications(), 2, "publications of an answer");
    assertSame(chat.parts[0].text, "ab", "the text at the answer");
    await request.read(delta("c"));
    await request.read({ type: "data-a", data: 1, transient: true });
    await request.finish(delta("d"));
    assertSame(chat.snapshot.status, "ready", "the status at the end");
    assertSame(chat.parts[0].text, "abcd", "the text at the end");
    const terminal = chat.published.findIndex(({ snapshot }, at) => at > 1 && snapshot.status === "ready");
    assertSame(chat.published[terminal].copy.messages[1].parts[0].text, "abcd", "the text with the terminal status");
    time.paint();
    time.pass(100);
  });
}

/** The first change at once, then not more often than every n milliseconds, and the last one too. */
export function aThrottleHasTwoEdges(start) {
  return underTime(start, { throttle: 50 }, {}, async (chat, request, time, publications) => {
    time.pass(50);
    await request.read(delta("a"));
    assertSame(publications(), 1, "publications at once");
    for (const text of ["b", "c", "d"]) {
      time.pass(10);
      await request.read(delta(text));
    }
    assertSame(publications(), 1, "publications after 30 ms");
    assertEqual(time.waiting, { frames: 0, timers: 1 }, "what is waited for");
    time.pass(19);
    assertSame(publications(), 1, "publications after 49 ms");
    time.pass(1);
    assertSame(publications(), 2, "publications after 50 ms");
    assertSame(chat.parts[0].text, "abcd", "the text");
    time.pass(500);
    assertSame(publications(), 2, "publications without news");
    await request.read(delta("e"));
    assertSame(publications(), 3, "publications at once, later");
    await request.finish();
  });
}

/** With `throttle: 0` each read is shown, neither less nor more. */
export function aThrottleOfZeroShowsEachRead(start) {
  return underTime(start, { throttle: 0 }, {}, async (chat, request, time, publications) => {
    for (let read = 1; read <= 5; read++) {
      await request.read(delta("a"), delta("b"), delta("c"));
      assertSame(publications(), read, "publications");
    }
    await request.readText(": nothing\n\n");
    assertSame(publications(), 5, "publications of nothing");
    await request.finish();
  });
}

/** With the browser's own frames. */
export function realFramesShowEverything(start) {
  return withChat(start, { throttle: FRAME }, async (chat) => {
    const request = await chat.ask("Q");
    let frames = 0;
    let counts = true;
    const count = () => {
      frames++;
      if (counts) requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
    await request.read(begin);
    const before = chat.published.length;
    const expected = Array.from({ length: 400 }, (_, index) => `${index} `);
    for (const text of expected) await request.read(delta(text));
    const until = performance.now() + 2000;
    while (chat.parts[0].text !== expected.join("") && performance.now() < until) await settle();
    counts = false;
    assertSame(chat.parts[0].text, expected.join(""), "the text");
    const publications = chat.published.length - before;
    assert(publications >= 1 && publications <= frames + 2, `${publications} publications in ${frames} frames`);
    await request.finish();
  });
}

export function wordsComeAtAnEvenPace(start) {
  const text = "one two three four five six seven eight nine ten ".repeat(4);
  const options = { throttle: FRAME, smooth: true };
  return underTime(start, options, {}, async (chat, request, time, publications) => {
    await request.read(delta(text));
    for (let frame = 0; frame < 100 && chat.parts[0].text !== text; frame++) {
      const shown = chat.parts[0].text;
      assert(shown === "" || shown.endsWith(" "), `a word is cut: ${shown}`);
      time.pass(16);
      time.paint();
    }
    assertSame(chat.parts[0].text, text, "the text without more reads");
    assert(publications() > 10, `it came in lumps: ${publications()}`);
    await request.read(delta(text));
    await request.finish();
    assertSame(chat.parts[0].text, text + text, "the text at the end");
    time.paint();
  });
}
