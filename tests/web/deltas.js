// Text that grew, as such: where it goes, in UTF-16 units, and that it adds up to what is shown.

import { assert, assertEqual, assertSame } from "./check.js";
import { withChat } from "./host.js";
import { randomChunks, seeded } from "./random.js";

const start = (id, kind = "text") => ({ type: `${kind}-start`, id });
const delta = (id, delta, kind = "text") => ({ type: `${kind}-delta`, id, delta });

/** A chat whose deltas are wanted. */
function withDeltas(startChat, test) {
  return withChat(startChat, {}, (chat) => {
    chat.driver.wantsDeltas = true;
    return test(chat);
  });
}

export function offsetsCountUtf16(startChat) {
  return withDeltas(startChat, async (chat) => {
    const request = await chat.ask("Q");
    await request.read({ type: "start", messageId: "a" }, start("1"), delta("1", "é😀"));
    await request.read(delta("1", "日本"), delta("1", "👍🏽"));
    await request.read(start("2", "reasoning"), delta("2", "hm", "reasoning"), delta("1", "!"));
    await request.finish({ type: "text-end", id: "1" });
    const of = (partIndex, type, offset, delta) => ({ messageId: "a", partIndex, type, offset, delta });
    assertEqual(chat.deltas, [
      of(0, "text", 0, "é😀"),
      of(0, "text", 3, "日本👍🏽"),
      of(1, "reasoning", 0, "hm"),
      of(0, "text", 9, "!"),
    ]);
    assertSame(chat.parts[0].text, "é😀日本👍🏽!", "the text");
  });
}

/** The halves of a surrogate pair that arrive apart are shown apart, and are one in the end. */
export function surrogatePairsMayBeSplit(startChat) {
  return withDeltas(startChat, async (chat) => {
    const request = await chat.ask("Q");
    await request.read(start("1"), delta("1", "a\ud83d"));
    assertSame(chat.parts[0].text, "a\ud83d", "the text with half a pair");
    await request.read(delta("1", "\ude00b"));
    assertSame(chat.parts[0].text, "a😀b", "the text with the pair");
    await request.read(delta("1", "\udead"), delta("1", "\ud83d"), delta("1", "\ude00"));
    assertSame(chat.parts[0].text, "a😀b\udead😀", "the text with a lone half");
    assertEqual(chat.deltas.map(({ offset, delta }) => [offset, delta]), [
      [0, "a\ud83d"],
      [2, "\ude00b"],
      [4, "\udead😀"],
    ]);
    await request.finish();
    assertSame(JSON.parse(chat.driver.exportMessages())[1].parts[0].text, "a😀b\udead😀", "the export");
  });
}

export function surrogatePairsMayBeSplitInInputs(startChat) {
  return withChat(startChat, {}, async (chat) => {
    const request = await chat.ask("Q");
    await request.read({ type: "tool-input-start", toolCallId: "c", toolName: "edit" });
    const shown = [];
    for (const inputTextDelta of ['{"a\ud83d', '\ude00":"x\ud83d', "\ude00y", '"}']) {
      await request.read({ type: "tool-input-delta", toolCallId: "c", inputTextDelta });
      shown.push(chat.parts[0].input);
    }
    assertEqual(shown, [{}, { "a😀": "x\ud83d" }, { "a😀": "x😀y" }, { "a😀": "x😀y" }]);
    assertSame(shown[3], shown[2], "the input after its last quote");
    await request.finish();
  });
}

/** UTF-8 cut by the network inside a character. */
export function readsMayBeCutAnywhere(startChat) {
  return withDeltas(startChat, async (chat) => {
    const request = await chat.ask("Q");
    const text = `data: ${JSON.stringify(start("1"))}\n\ndata: ${JSON.stringify(delta("1", "é😀\u0000\ufeff"))}\n\n`;
    for (const byte of new TextEncoder().encode(text)) await request.readBytes(Uint8Array.of(byte));
    assertSame(chat.parts[0].text, "é😀\u0000\ufeff", "the text");
    assertEqual(chat.deltas.map(({ delta }) => delta), ["é😀\u0000\ufeff"]);
    await request.finish();
  });
}

/** A mark that decoders like to drop at the beginning of a text is text. */
export function byteOrderMarksAreText(startChat) {
  return withDeltas(startChat, async (chat) => {
    const request = await chat.ask("Q");
    await request.read(start("1"));
    await request.read(delta("1", "\ufeffa"));
    await request.read(delta("1", "\ufeffb"));
    assertSame(chat.parts[0].text, "\ufeffa\ufeffb", "the text");
    await request.finish();
  });
}

/** Text that comes again after a reset begins at 0. */
export function aResetBeginsAtZero(startChat) {
  return withDeltas(startChat, async (chat) => {
    const request = await chat.ask("Q");
    await request.read({ type: "start-step" }, start("1"), delta("1", "wrong"));
    await request.read({ type: "reset-step" }, start("1"), delta("1", "right"));
    await request.read(delta("1", "!"));
    assertEqual(chat.deltas.map(({ partIndex, offset, delta }) => [partIndex, offset, delta]), [
      [1, 0, "wrong"],
      [1, 0, "right"],
      [1, 5, "!"],
    ]);
    assertSame(chat.parts[1].text, "right!", "the text");
    await request.finish();
  });
}

export function deltasComeOnlyWhenWanted(startChat) {
  return withChat(startChat, {}, async (chat) => {
    const request = await chat.ask("Q");
    await request.read(start("1"), delta("1", "before"));
    assertEqual(chat.deltas, []);
    chat.driver.wantsDeltas = true;
    await request.read(delta("1", " after"));
    assertEqual(chat.deltas.map(({ offset, delta }) => [offset, delta]), [[6, " after"]]);
    chat.driver.wantsDeltas = false;
    await request.read(delta("1", " unheard"));
    assertSame(chat.deltas.length, 1, "deltas");
    await request.finish();
  });
}

/** A page that only appends deltas shows the texts of the snapshot, at every publication. */
export async function deltasAddUpToTheTexts(startChat) {
  let checked = 0;
  for (let seed = 1; seed <= 40; seed++) {
    await withDeltas(startChat, async (chat) => {
      const random = seeded(seed);
      const request = await chat.ask("Q");
      for (let round = 0; round < 8; round++) await request.read(...randomChunks(random));
      await request.finish();
      /** Texts by part, made of deltas alone. */
      const texts = [];
      for (const { deltas, copy } of chat.published) {
        for (const { messageId, partIndex, type, offset, delta } of deltas) {
          const before = (texts[partIndex] ?? "").slice(0, offset);
          assert(before.length === offset, `seed ${seed}: a delta leaves a gap`);
          texts[partIndex] = before + delta;
          const message = copy.messages.find(({ id }) => id === messageId);
          assertSame(message.parts[partIndex].type, type, "the type of the part");
        }
        for (const [index, part] of (copy.messages[1]?.parts ?? []).entries()) {
          if (part.type !== "text" && part.type !== "reasoning") continue;
          assertSame(texts[index] ?? "", part.text, `seed ${seed}, part ${index}`);
          checked++;
        }
      }
    });
  }
  assert(checked > 300, `only ${checked} texts were compared`);
}
