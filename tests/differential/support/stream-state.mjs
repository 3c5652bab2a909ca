// What is open in a response at one point of its stream: enough to know which chunks may follow,
// and which the two clients take differently.

/**
 * @typedef {object} ToolCall
 * @property {string} name
 * @property {boolean} isDynamic
 * @property {string} state of its part
 * @property {number} step in which its part is
 * @property {boolean} takesInput whether its input began in this response
 * @property {string} [approvalId]
 * @property {boolean} [isEarlier] whether the message had it before this response
 */

export class StreamState {
  /** Open parts by the id in the stream. @type {{ text: Set<string>, reasoning: Set<string> }} */
  open = { text: new Set(), reasoning: new Set() };
  /** Which kinds of text this response has begun. */
  hasOpened = { text: false, reasoning: false };
  /** The tool calls of the message. @type {Map<string, ToolCall>} */
  toolCalls = new Map();
  /** Data parts with an id: `type id`. @type {Set<string>} */
  dataParts = new Set();
  /** The number of `step-start` parts. */
  step = 0;
  /** Parts of the current step. */
  partsInStep = 0;
  /** Whether anything of the response is shown. */
  isShown = false;
  /** Whether the AI SDK's client shows a copy: what it shows first is the message that it goes on changing. */
  isCopied = false;
  /** Whether anything came that makes the status `streaming`. */
  hasContent = false;
  isStepOpen = false;
  isEnded = false;

  /** @param {object} [continued] the message that the response continues */
  constructor(continued) {
    this.isContinuation = continued !== undefined;
    this.messageId = continued?.id;
    /** Steps and tool calls before this response. */
    for (const part of continued?.parts ?? []) this.#addPart(part);
    this.stepsBefore = this.step;
    this.isShown = this.isContinuation;
    this.isCopied = this.isContinuation;
  }

  #shows() {
    this.isCopied = this.isShown;
    this.isShown = true;
  }

  #showsContent() {
    this.#shows();
    this.hasContent = true;
  }

  #addPart(part) {
    this.partsInStep++;
    if (part.type === "step-start") {
      this.step++;
      this.partsInStep = 0;
    } else if (part.toolCallId !== undefined) {
      const isDynamic = part.type === "dynamic-tool";
      this.toolCalls.set(part.toolCallId, {
        name: isDynamic ? part.toolName : part.type.slice("tool-".length),
        isDynamic,
        state: part.state,
        step: this.step,
        takesInput: false,
        approvalId: part.approval?.id,
        isEarlier: true,
      });
    } else if (part.type.startsWith("data-") && part.id !== undefined) {
      this.dataParts.add(`${part.type} ${part.id}`);
    }
  }

  /** Tool calls in one of the states. */
  toolCallIds(...states) {
    const found = [...this.toolCalls].filter(([, { state }]) => states.includes(state));
    return found.map(([id]) => id);
  }

  /** Whether text, reasoning, a tool input or a step is unfinished. */
  get isAnythingOpen() {
    return (
      this.isStepOpen ||
      this.open.text.size + this.open.reasoning.size > 0 ||
      this.toolCallIds("input-streaming").length > 0
    );
  }

  /** Goes on behind a chunk that is legal. */
  apply(chunk) {
    const [kind] = chunk.type.split("-");
    switch (chunk.type) {
      case "start":
        if (chunk.messageId !== undefined) this.messageId = chunk.messageId;
        if (chunk.messageId !== undefined || isGiven(chunk.messageMetadata)) this.#shows();
        return;
      case "start-step":
        this.step++;
        this.partsInStep = 0;
        this.isStepOpen = true;
        return;
      case "finish-step":
        this.isStepOpen = false;
        return;
      case "reset-step":
        return this.#resetStep();
      case "text-start":
      case "reasoning-start":
        this.open[kind].add(chunk.id);
        this.hasOpened[kind] = true;
        this.partsInStep++;
        break;
      case "text-end":
      case "reasoning-end":
        this.open[kind].delete(chunk.id);
        break;
      case "finish":
        this.isEnded = true;
        if (isGiven(chunk.messageMetadata)) this.#showsContent();
        return;
      case "message-metadata":
        if (isGiven(chunk.messageMetadata)) this.#showsContent();
        return;
      case "error":
      case "abort":
        this.isEnded = true;
        return;
      default:
        if (kind === "tool") this.#applyToToolCall(chunk);
        else if (kind === "data") this.#applyData(chunk);
        else if (!/-delta$/.test(chunk.type)) this.partsInStep++;
    }
    if (!(kind === "data" && chunk.transient)) this.#showsContent();
  }

  #applyData({ type, id, transient }) {
    if (transient) return;
    if (id === undefined || !this.dataParts.has(`${type} ${id}`)) this.partsInStep++;
    if (id !== undefined) this.dataParts.add(`${type} ${id}`);
  }

  #applyToToolCall(chunk) {
    const id =
      chunk.type === "tool-approval-response"
        ? [...this.toolCalls].find(([, call]) => call.approvalId === chunk.approvalId)?.[0]
        : chunk.toolCallId;
    let call = this.toolCalls.get(id);
    if (call === undefined) {
      call = { step: this.step, takesInput: false, isDynamic: chunk.dynamic === true };
      this.toolCalls.set(id, call);
      this.partsInStep++;
    }
    if (chunk.toolName !== undefined) call.name = chunk.toolName;
    switch (chunk.type) {
      case "tool-input-start":
        call.isDynamic = chunk.dynamic === true;
        call.takesInput = true;
        call.state = "input-streaming";
        break;
      case "tool-input-available":
        call.isDynamic = chunk.dynamic === true;
        call.state = "input-available";
        break;
      case "tool-input-error":
      case "tool-output-error":
        call.state = "output-error";
        break;
      case "tool-approval-request":
        call.state = "approval-requested";
        call.approvalId = chunk.approvalId;
        break;
      case "tool-approval-response":
        call.state = "approval-responded";
        break;
      case "tool-output-available":
        call.state = chunk.preliminary ? "output-preliminary" : "output-available";
        break;
      case "tool-output-denied":
        call.state = "output-denied";
        break;
    }
  }

  #resetStep() {
    this.open.text.clear();
    this.open.reasoning.clear();
    for (const [id, call] of this.toolCalls) {
      if (call.step === this.step) this.toolCalls.delete(id);
      call.takesInput = false;
    }
    // Which data parts were in the step is not known here: none of them is named again.
    this.dataParts.clear();
    if (this.partsInStep > 0) this.#showsContent();
    this.partsInStep = 0;
  }
}

/** The state as it is now: a stream goes on changing its own. @param {StreamState} state */
export function copyOf(state) {
  return Object.assign(Object.create(StreamState.prototype), structuredClone({ ...state }));
}

/** Metadata that is null changes nothing. */
function isGiven(metadata) {
  return metadata !== undefined && metadata !== null;
}
