// A random chat in which everything is legal: some requests, their streams, and what a person and
// the tools of the app do between and meanwhile.

import { Duel } from "./duel.mjs";
import { EventWriter } from "./events.mjs";
import { randomObject, randomString, randomValue } from "./json.mjs";
import { CLIENT_TOOL, Ids, LegalStream, ODDITIES } from "./legal-stream.mjs";
import { Random } from "./random.mjs";
import { copyOf } from "./stream-state.mjs";

const MOST_STREAMS = 4;
const isTool = ({ toolCallId }) => toolCallId !== undefined;

export class LegalScenario {
  /** The types of the chunks that were sent; `data-` for all that begin so. @type {Set<string>} */
  chunkTypes = new Set();
  #seed;
  #random;
  #tally;
  #duel;
  #ids = new Ids();
  #streams = 0;
  /** The one that is under way. @type {LegalStream | undefined} */
  #stream;
  /** Tool outputs and approvals of the client since the last request. */
  #answers = 0;
  /** The messages with an approval that the client answered. */
  #approvedMessages = new Set();
  #isOver = false;

  /** @param {number} seed @param {import("./comparison.mjs").Tally} tally */
  constructor(seed, tally) {
    this.#seed = seed;
    this.#random = new Random(seed);
    this.#tally = tally;
  }

  /** Plays it. Returns how many streams there were. */
  async play() {
    const random = this.#random;
    this.#duel = new Duel({
      rule: random.pick([undefined, "toolCalls", "toolCalls", "approvals"]),
      messages: random.chance(0.2) ? [userMessage("history", "Hi")] : [],
      onToolCall: this.#toolRunner(),
      transport: random.pick([
        {},
        { api: "/chat?x=1", headers: { "X-Team": "a" }, body: { model: "m", id: "taken" } },
      ]),
    });
    try {
      await this.#send();
      while (!this.#isOver) await this.#goOn();
      await this.#duel.end();
    } catch (error) {
      error.message = `seed ${this.#seed}: ${error.message}`;
      throw error;
    }
    return this.#streams;
  }

  /** An app that runs some tools as soon as they are called, and does not wait for it. */
  #toolRunner() {
    if (this.#random.chance(0.7)) return undefined;
    const ran = new Set();
    return ({ toolCallId, toolName }, chat) => {
      if (toolName !== CLIENT_TOOL) return;
      void chat.addToolOutput({ tool: toolName, toolCallId, output: { ran: toolCallId } });
      if (!ran.has(toolCallId)) this.#answers++;
      ran.add(toolCallId);
      this.#stream?.clientAnswered(toolCallId, "output-available");
    };
  }

  async #goOn() {
    const { plain, ours } = this.#duel;
    if (plain.request || ours.request) {
      await this.#answer();
    } else if (this.#streams >= MOST_STREAMS) {
      this.#isOver = true;
    } else if (!(this.#random.chance(0.7) && (await this.#answerOne()))) {
      await this.#command();
    }
  }

  async #answer() {
    const duel = this.#duel;
    const random = this.#random;
    duel.beginAnswer();
    this.#answers = 0;
    this.#streams++;
    const events = new EventWriter(random);
    const oddity = this.#oddity();
    const endsInResult = duel.options.rule === "toolCalls" && random.chance(0.25);
    const { continued } = duel;
    const stream = new LegalStream(random, { ids: this.#ids, continued, oddity, endsInResult });
    this.#stream = stream;
    const chunks = stream.chunks();
    for (;;) {
      const state = copyOf(stream.state);
      const { value: chunk, done } = chunks.next();
      if (done) break;
      const difference = await duel.sendChunk(chunk, events.write(chunk), state);
      if (difference) this.#tally.add(difference);
      this.chunkTypes.add(chunk.type.replace(/^data-.*/, "data-"));
      // The reference of an odd stream hears of chunks only; an error has ended the stream.
      const goesOn = duel.plain.chat.status !== "error";
      if (!oddity && goesOn && random.chance(0.03)) await this.#answerOne();
    }
    this.#stream = undefined;
    if (random.chance(0.9)) await duel.push(events.done);
    const resends = await duel.endAnswer(this.#answers === 0 && !duel.hasDiverged);
    if (resends) this.#tally.add("12");
    if (resends || duel.hasDiverged) this.#isOver = true;
  }

  #oddity() {
    const random = this.#random;
    const { continued, plain } = this.#duel;
    if (!random.chance(0.35)) return undefined;
    if (!continued) return random.pick(ODDITIES.filter((oddity) => oddity !== "new-message"));
    const isLast = plain.chat.messages.at(-1).id === continued.id;
    return isLast && continued.metadata === undefined && continued.parts.length > 0
      ? "new-message"
      : undefined;
  }

  // What people do

  async #command() {
    const random = this.#random;
    const { messages } = this.#duel.plain.chat;
    const users = messages.filter(({ role }) => role === "user");
    await random.weighted([
      [5, () => this.#send()],
      [1, () => this.#send({ messageId: random.pick(users).id })],
      [1, () => this.#regenerate(random.chance(0.5) ? undefined : random.pick(messages).id)],
      [
        this.#hasLostApproval(messages) ? 0 : 1,
        () => this.#duel.give("sendMessage()", (chat) => chat.sendMessage()),
      ],
    ])();
  }

  /** Whether the AI SDK's client would go on with a message that no longer waits for it (difference 21). */
  #hasLostApproval(messages) {
    const waits = ({ id, parts }) =>
      this.#approvedMessages.has(id) && parts.some(({ state }) => state === "approval-responded");
    const waiting = messages.filter(waits).length;
    return waiting !== this.#approvedMessages.size || waiting > 1;
  }

  async #send(more = {}) {
    const random = this.#random;
    const file = { type: "file", mediaType: "text/plain", url: "data:text/plain,hi", filename: "a.txt" };
    const message = random.pick([
      { text: randomString(random) },
      { text: "metadata", metadata: { from: "test", ...randomObject(random, 1) } },
      { text: "files", files: [file] },
      { files: [file, file] },
      {
        parts: [
          { type: "text", text: "parts" },
          { type: "data-x", data: randomValue(random) },
        ],
        more: 1,
      },
      { id: this.#ids.make("own"), role: "user", parts: [{ type: "text", text: "own id" }] },
    ]);
    const options = random.pick([
      undefined,
      { body: { extra: 1 }, headers: { "X-Once": "1" }, metadata: { a: 1 } },
    ]);
    const given = { ...message, ...more };
    await this.#duel.give(`sendMessage(${JSON.stringify(given)})`, (chat) =>
      chat.sendMessage(given, options),
    );
  }

  async #regenerate(messageId) {
    await this.#duel.give(`regenerate(${messageId})`, (chat) => chat.regenerate({ messageId }));
  }

  /** Answers a tool call or an approval request. Returns whether there was one. */
  async #answerOne() {
    const random = this.#random;
    const last = this.#duel.plain.shown.messages.at(-1);
    const open = (last?.role === "assistant" ? last.parts : []).filter(
      (part) =>
        isTool(part) &&
        (part.state === "approval-requested" || (part.state === "input-available" && !part.providerExecuted)),
    );
    if (open.length === 0) return false;
    const part = random.pick(open);
    const { toolCallId, state } = part;
    if (state === "approval-requested") {
      const answer = {
        id: part.approval.id,
        approved: random.chance(0.6),
        ...(random.chance(0.4) && { reason: randomString(random) }),
      };
      this.#answered(toolCallId, "approval-responded");
      this.#approvedMessages.add(last.id);
      await this.#duel.give(`addToolApprovalResponse(${JSON.stringify(answer)})`, (chat) =>
        chat.addToolApprovalResponse(answer),
      );
    } else {
      const result = random.chance(0.8)
        ? { output: randomValue(random) }
        : { state: "output-error", errorText: randomString(random) };
      this.#answered(toolCallId, result.state ?? "output-available");
      await this.#duel.give(`addToolOutput(${toolCallId}, ${JSON.stringify(result)})`, (chat) =>
        chat.addToolOutput({ tool: "tool", toolCallId, ...result }),
      );
    }
    return true;
  }

  #answered(toolCallId, state) {
    this.#answers++;
    this.#stream?.clientAnswered(toolCallId, state);
  }
}

function userMessage(id, text) {
  return { id, role: "user", parts: [{ type: "text", text }] };
}
