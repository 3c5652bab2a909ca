// The built package in a page of its own, whose WebAssembly and network the test watches.

const HEADERS = { "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" };

/** The package as it is published, and over a debug build of the crate. */
export const INLINE = "/pkg/dist/inline.js";
export const BY_URL = "/pkg/dist/index.js";
export const DEBUG = "/tests/web/generated/debug.js";

/** Opens an empty page, runs a test in it and takes it away. @param {(page: Page) => Promise<void>} test */
export async function inPage(test) {
  const frame = document.createElement("iframe");
  document.body.append(frame);
  try {
    await test(new Page(frame.contentWindow));
  } finally {
    frame.remove();
  }
}

export class Page {
  /** Memories of the instances that were made, in order. @type {WebAssembly.Memory[]} */
  memories = [];
  #window;

  constructor(window) {
    this.#window = window;
    const { WebAssembly } = window;
    const { instantiate, Instance } = WebAssembly;
    const note = (instance) => {
      this.memories.push(instance.exports.memory);
      return instance;
    };
    WebAssembly.instantiate = async (...given) => {
      const made = await instantiate(...given);
      note(made.instance ?? made);
      return made;
    };
    WebAssembly.Instance = new Proxy(Instance, {
      construct: (target, given) => note(new target(...given)),
    });
  }

  get window() {
    return this.#window;
  }

  /** Imports a module of the page's own. */
  load(path) {
    return this.#window.eval(`import(${JSON.stringify(path)})`);
  }

  /** Bytes of the WebAssembly memory that is in use. */
  get memoryBytes() {
    return this.memories.at(-1).buffer.byteLength;
  }
}

/** The answer of a server to a request. @param {unknown[]} chunks */
export function answer(...chunks) {
  const events = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"];
  return new Response(events.map((event) => `data: ${event}\n\n`).join(""), { headers: HEADERS });
}

/** An answer of which the test delivers the events, to nobody once it is cancelled. */
export function openAnswer() {
  let controller;
  const opened = {
    isCancelled: false,
    response: undefined,
    send: (...chunks) => {
      if (opened.isCancelled) return;
      const text = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
      controller.enqueue(new TextEncoder().encode(text));
    },
    end: () => {
      if (!opened.isCancelled) controller.close();
    },
  };
  const body = new ReadableStream({
    start: (given) => (controller = given),
    cancel: () => (opened.isCancelled = true),
  });
  opened.response = new Response(body, { headers: HEADERS });
  return opened;
}

/** The chunks of a whole answer. */
export const textAnswer = (text, id = "a") => [
  { type: "start", messageId: id },
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: text },
  { type: "text-end", id: "1" },
  { type: "finish" },
];
