import type { ChatTransport, UIMessage, UIMessageChunk } from "ai";

/** One request, answered by the test. */
export class ManualRequest {
  readonly stream: ReadableStream<UIMessageChunk>;
  #controller!: ReadableStreamDefaultController<UIMessageChunk>;

  constructor(
    readonly messages: UIMessage[],
    readonly body: object | undefined,
    readonly signal: AbortSignal | undefined,
  ) {
    this.stream = new ReadableStream({ start: (controller) => void (this.#controller = controller) });
    signal?.addEventListener("abort", () => {
      try {
        this.#controller.error(signal.reason);
      } catch {
        // It has ended before.
      }
    });
  }

  get isAborted(): boolean {
    return this.signal?.aborted ?? false;
  }

  /** Sends chunks, all at once. */
  write(...chunks: UIMessageChunk[]): void {
    if (this.isAborted) return;
    for (const chunk of chunks) this.#controller.enqueue(chunk);
  }

  /** Opens a message and a text in it. */
  begin(messageId: string, text = ""): void {
    this.write(
      { type: "start", messageId },
      { type: "start-step" },
      { type: "text-start", id: "t" },
      { type: "text-delta", id: "t", delta: text },
    );
  }

  /** Continues the text. */
  text(delta: string): void {
    this.write({ type: "text-delta", id: "t", delta });
  }

  /** Ends text, message and stream. */
  finish(): void {
    this.write({ type: "text-end", id: "t" }, { type: "finish-step" }, { type: "finish" });
    this.end();
  }

  end(): void {
    if (!this.isAborted) this.#controller.close();
  }

  fail(error: Error): void {
    this.#controller.error(error);
  }
}

/** Keeps every request for the test to answer. */
export class ManualTransport implements ChatTransport<UIMessage> {
  readonly requests: ManualRequest[] = [];
  readonly reconnects: ManualRequest[] = [];
  readonly resumeStreamIsReplay = true;
  /** Whether there is a response to take up. */
  isResumable: boolean;

  constructor({ isResumable = false } = {}) {
    this.isResumable = isResumable;
  }

  /** The newest request. */
  get last(): ManualRequest {
    const request = this.requests.at(-1);
    if (!request) throw new Error("there was no request");
    return request;
  }

  sendMessages: ChatTransport<UIMessage>["sendMessages"] = async ({ messages, body, abortSignal }) => {
    const request = new ManualRequest([...messages], body, abortSignal);
    this.requests.push(request);
    return request.stream;
  };

  reconnectToStream: ChatTransport<UIMessage>["reconnectToStream"] = async ({ body, ...options }) => {
    const request = new ManualRequest(
      [],
      body,
      (options as { abortSignal?: AbortSignal }).abortSignal,
    );
    this.reconnects.push(request);
    return this.isResumable ? request.stream : null;
  };
}
