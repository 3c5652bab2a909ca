/** A call of fetch, answered by the test. */
export class ManualCall {
  readonly headers: Headers;
  readonly #encoder = new TextEncoder();
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #respond!: (response: Response) => void;
  readonly response = new Promise<Response>((resolve) => (this.#respond = resolve));

  constructor(
    readonly url: string,
    readonly init: RequestInit,
  ) {
    this.headers = new Headers(init.headers);
    init.signal?.addEventListener("abort", () => {
      try {
        this.#controller.error(init.signal?.reason);
      } catch {
        // It has ended before.
      }
    });
  }

  get body(): unknown {
    return JSON.parse(String(this.init.body));
  }

  get isAborted(): boolean {
    return this.init.signal?.aborted ?? false;
  }

  /** Answers with a stream of this type. */
  open(type: string, headers: Record<string, string> = {}): void {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (this.#controller = controller),
    });
    this.#respond(new Response(body, { headers: { "content-type": type, ...headers } }));
  }

  /** Answers with a UI message stream. */
  openEvents(): void {
    this.open("text/event-stream", { "x-vercel-ai-ui-message-stream": "v1" });
  }

  /** Answers at once. */
  answer(text: string, status: number): void {
    this.#respond(new Response(text, { status, headers: { "content-type": "text/plain" } }));
  }

  text(text: string): void {
    this.#controller.enqueue(this.#encoder.encode(text));
  }

  events(...chunks: object[]): void {
    this.text(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(""));
  }

  end(): void {
    this.#controller.close();
  }

  fail(error: Error): void {
    this.#controller.error(error);
  }
}

/** A fetch that leaves the answers to the test. */
export class ManualFetch {
  readonly calls: ManualCall[] = [];

  readonly fetch: typeof globalThis.fetch = (url, init) => {
    const call = new ManualCall(String(url), init ?? {});
    this.calls.push(call);
    return call.response;
  };

  /** The newest call. */
  get last(): ManualCall {
    const call = this.calls.at(-1);
    if (!call) throw new Error("fetch was not called");
    return call;
  }
}
