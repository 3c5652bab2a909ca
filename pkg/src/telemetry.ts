/**
 * `chatwire/telemetry`: how long the responses, steps and tool calls of a chat took.
 *
 * @module
 */

import type { AbstractChat } from "./chat.js";
import type { ChatOutcome, ChatTraffic } from "./chat-types.js";
import type { UIMessage } from "./message-types.js";
import { getToolName, isToolUIPart } from "./predicates.js";

/** What all records say. Times are milliseconds, moments are those of `performance.now()`. */
interface Timed {
  readonly chatId: string;
  /** The assistant's message. */
  readonly messageId: string;
  readonly startedAt: number;
  readonly duration: number;
}

/** A response, from the request to its end. A continuation is a response of its own. */
export interface ResponseRecord extends Timed {
  readonly type: "response";
  readonly outcome: ChatOutcome | undefined;
  /** From the request to the first byte of the body; `undefined` when none came. */
  readonly timeToFirstByte: number | undefined;
  /** From the request to the first content that was published. */
  readonly timeToFirstOutput: number | undefined;
  /** Bytes of the body, without what HTTP or a compression adds. */
  readonly bytes: number;
  readonly events: number;
  /** How often the state was published. */
  readonly flushes: number;
  /** `totalUsage`, else `usage`, of the message's metadata, where the server puts token usage. */
  readonly usage: object | undefined;
}

/** A step of a response, up to the next one or the end of the response. */
export interface StepRecord extends Timed {
  readonly type: "step";
  /** Counts the steps of the message from 0. */
  readonly step: number;
  /** From the begin of the step to its first part. */
  readonly timeToFirstOutput: number | undefined;
}

/** A tool call, from the first of its input to its result. */
export interface ToolRecord extends Timed {
  readonly type: "tool";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly state: "output-available" | "output-error" | "output-denied";
  /** How long the input was arriving. */
  readonly inputDuration: number;
  /** How long a person was asked to approve; `undefined` when nobody was. */
  readonly approvalDuration: number | undefined;
  /** From the complete input to the result, without the time of the approval. */
  readonly executionDuration: number;
}

/** What is recorded. */
export type TelemetryRecord = ResponseRecord | StepRecord | ToolRecord;

/** See {@link recordTelemetry}. */
export interface TelemetryOptions {
  /** Receives each record when what it describes is over. */
  readonly onRecord?: (record: TelemetryRecord) => void;
  /**
   * True: each record is also an entry of `performance.measure`, named `chatwire response`,
   * `chatwire step` or `chatwire tool`, with the record as its `detail`. Default: false.
   */
  readonly measure?: boolean;
}

/**
 * Records what a chat does from now on. Nothing is sent anywhere, and nothing is kept.
 *
 * What is seen is what the chat publishes: a moment in the middle of a response is as exact as the
 * chat's `throttle`.
 *
 * @returns ends the recording.
 */
export function recordTelemetry<UI_MESSAGE extends UIMessage>(
  chat: AbstractChat<UI_MESSAGE>,
  { onRecord, measure = false }: TelemetryOptions,
): () => void {
  const recorder = new Recorder(chat as unknown as AbstractChat<UIMessage>, (record) => {
    if (measure) addMeasure(record);
    onRecord?.(record);
  });
  const endTraffic = chat.onTraffic((traffic) => recorder.read(traffic));
  const endPublications = chat.subscribe(() => recorder.published(), { resume: false });
  return () => {
    endTraffic();
    endPublications();
  };
}

type Part = UIMessage["parts"][number];

interface OpenResponse {
  readonly startedAt: number;
  firstByteAt?: number;
  firstOutputAt?: number;
  bytes: number;
  events: number;
  flushes: number;
}

interface OpenStep {
  readonly step: number;
  readonly startedAt: number;
  firstOutputAt?: number;
}

interface OpenTool {
  readonly startedAt: number;
  inputEndedAt?: number;
  askedAt?: number;
  answeredAt?: number;
}

class Recorder {
  readonly #chat: AbstractChat<UIMessage>;
  readonly #onRecord: (record: TelemetryRecord) => void;
  #response: OpenResponse | undefined;
  #step: OpenStep | undefined;
  /** Tool calls without a result, by their part's index. */
  readonly #tools = new Map<number, OpenTool>();
  /** The message that is followed, and how many of its parts were seen. */
  #messageKey: string | undefined;
  #partCount = 0;
  #stepCount = 0;

  constructor(chat: AbstractChat<UIMessage>, onRecord: (record: TelemetryRecord) => void) {
    this.#chat = chat;
    this.#onRecord = onRecord;
    // What is there already began unseen.
    const message = this.#lastAnswer();
    if (message) this.#follow(message, message.parts.length);
  }

  read({ bytes, events }: ChatTraffic): void {
    const response = this.#response;
    if (!response) return;
    response.firstByteAt ??= performance.now();
    response.bytes += bytes;
    response.events += events;
  }

  published(): void {
    const now = performance.now();
    const { status } = this.#chat;
    const isActive = status === "submitted" || status === "streaming";
    if (isActive) this.#response ??= { startedAt: now, bytes: 0, events: 0, flushes: 0 };
    if (this.#response) this.#response.flushes++;
    if (status === "streaming" && this.#response) this.#response.firstOutputAt ??= now;

    const message = this.#lastAnswer();
    if (message) this.#look(message, now);
    if (!isActive && this.#response) this.#end(this.#response, message, now);
  }

  #lastAnswer(): UIMessage | undefined {
    const message = this.#chat.messages.at(-1);
    return message?.role === "assistant" ? message : undefined;
  }

  #follow(message: UIMessage, partCount: number): void {
    this.#messageKey = this.#chat.keyOf(message);
    this.#partCount = partCount;
    this.#stepCount = message.parts.slice(0, partCount).filter(isStepStart).length;
    this.#tools.clear();
  }

  #look(message: UIMessage, now: number): void {
    if (this.#chat.keyOf(message) !== this.#messageKey) this.#follow(message, 0);
    const { parts } = message;
    // A step that was reset takes its parts with it.
    for (const index of this.#tools.keys()) if (index >= parts.length) this.#tools.delete(index);
    for (let index = Math.min(this.#partCount, parts.length); index < parts.length; index++) {
      const part = parts[index] as Part;
      if (isStepStart(part)) {
        this.#endStep(message, now);
        this.#step = { step: this.#stepCount++, startedAt: now };
      } else {
        if (this.#step) this.#step.firstOutputAt ??= now;
        if (isToolUIPart(part)) this.#tools.set(index, { startedAt: now });
      }
    }
    this.#partCount = parts.length;
    for (const [index, tool] of this.#tools) this.#lookAtTool(message, index, tool, now);
  }

  #lookAtTool(message: UIMessage, index: number, tool: OpenTool, now: number): void {
    const part = message.parts[index];
    if (!part || !isToolUIPart(part)) return void this.#tools.delete(index);
    if (part.state === "input-streaming") return;
    tool.inputEndedAt ??= now;
    if (part.state === "input-available") return;
    if (part.state === "approval-requested") return void (tool.askedAt ??= now);
    if (tool.askedAt !== undefined) tool.answeredAt ??= now;
    if (part.state === "approval-responded") return;
    if (part.state === "output-available" && part.preliminary) return;
    this.#tools.delete(index);
    const approvalDuration =
      tool.askedAt === undefined ? undefined : (tool.answeredAt ?? now) - tool.askedAt;
    this.#onRecord({
      type: "tool",
      chatId: this.#chat.id,
      messageId: message.id,
      startedAt: tool.startedAt,
      duration: now - tool.startedAt,
      toolCallId: part.toolCallId,
      toolName: getToolName(part),
      state: part.state,
      inputDuration: tool.inputEndedAt - tool.startedAt,
      approvalDuration,
      executionDuration: now - tool.inputEndedAt - (approvalDuration ?? 0),
    });
  }

  #endStep(message: UIMessage, now: number): void {
    const step = this.#step;
    this.#step = undefined;
    if (!step) return;
    this.#onRecord({
      type: "step",
      chatId: this.#chat.id,
      messageId: message.id,
      startedAt: step.startedAt,
      duration: now - step.startedAt,
      step: step.step,
      timeToFirstOutput: since(step.startedAt, step.firstOutputAt),
    });
  }

  #end(response: OpenResponse, message: UIMessage | undefined, now: number): void {
    if (message) this.#endStep(message, now);
    this.#step = undefined;
    this.#response = undefined;
    const { startedAt, firstByteAt, firstOutputAt, ...counts } = response;
    this.#onRecord({
      type: "response",
      chatId: this.#chat.id,
      messageId: message?.id ?? "",
      startedAt,
      duration: now - startedAt,
      outcome: this.#chat.outcome,
      timeToFirstByte: since(startedAt, firstByteAt),
      timeToFirstOutput: since(startedAt, firstOutputAt),
      ...counts,
      usage: usageOf(message?.metadata),
    });
  }
}

function isStepStart(part: Part): boolean {
  return part.type === "step-start";
}

function since(start: number, moment: number | undefined): number | undefined {
  return moment === undefined ? undefined : moment - start;
}

function usageOf(metadata: unknown): object | undefined {
  if (typeof metadata !== "object" || metadata === null) return undefined;
  const { totalUsage, usage } = metadata as { totalUsage?: unknown; usage?: unknown };
  const found = totalUsage ?? usage;
  return typeof found === "object" && found !== null ? found : undefined;
}

function addMeasure(record: TelemetryRecord): void {
  performance.measure(`chatwire ${record.type}`, {
    start: record.startedAt,
    end: record.startedAt + record.duration,
    detail: record,
  });
}
