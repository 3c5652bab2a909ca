// Serves the built pages, and the demo's server behind them with responses that can be taken up again.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { startServer as startDemo } from "../../../www/server.mjs";

const pages = fileURLToPath(new URL("../.build", import.meta.url));
/** Headers that say how one connection carries a response, not what the response is. */
const OF_THE_CONNECTION = /^(connection|keep-alive|transfer-encoding|content-(length|encoding))$/;
const TYPES = { html: "text/html", js: "text/javascript", wasm: "application/wasm" };

/**
 * `/<variant>/<page>.html` are the pages; `/api/chat/<id>/stream` replays the response of that chat
 * that is under way, from its beginning, or is empty; all else under `/api/` is the demo's.
 *
 * @returns {Promise<{ url: string, demoUrl: string, close: () => Promise<void> }>}
 */
export async function startServer() {
  const demo = await startDemo({ record: true });
  /** The response of each chat that is under way. @type {Map<string, Broadcast>} */
  const running = new Map();

  async function handle(request, response) {
    const { pathname } = new URL(request.url, demo.url);
    const resumed = /^\/api\/chat\/(.+)\/stream$/.exec(pathname);
    if (resumed) {
      const broadcast = running.get(decodeURIComponent(resumed[1]));
      if (!broadcast) return response.writeHead(204).end();
      return broadcast.sendTo(response);
    }
    if (pathname.startsWith("/api/")) return forward(request, response);
    const file = join(pages, normalize(pathname));
    const content = await readFile(file).catch(() => undefined);
    if (!content) return response.writeHead(404).end();
    response.writeHead(200, {
      "content-type": TYPES[file.slice(file.lastIndexOf(".") + 1)] ?? "application/octet-stream",
      "content-security-policy":
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:",
    });
    response.end(content);
  }

  /** A response goes on when its reader leaves, as on any server that lets it be taken up again. */
  async function forward(request, response) {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces);
    const { "content-type": type = "" } = request.headers;
    const answer = await fetch(demo.url + request.url, {
      method: request.method,
      headers: type === "" ? {} : { "content-type": type },
      body: request.method === "POST" ? body : undefined,
    });
    const broadcast = new Broadcast(answer);
    if (request.method === "POST" && answer.ok) {
      const { id } = JSON.parse(body.toString());
      running.set(id, broadcast);
      broadcast.ended.then(() => {
        if (running.get(id) === broadcast) running.delete(id);
      });
    }
    broadcast.sendTo(response);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error) => {
      console.error(error);
      response.destroy();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    demoUrl: demo.url,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await demo.close();
    },
  };
}

/** A response that several readers get, each from its beginning. */
class Broadcast {
  #answer;
  #chunks = [];
  #readers = new Set();
  #isBroken = false;

  /** @param {Response} answer */
  constructor(answer) {
    this.#answer = answer;
    this.ended = this.#read();
  }

  async #read() {
    try {
      for await (const chunk of this.#answer.body ?? []) {
        this.#chunks.push(chunk);
        for (const reader of this.#readers) reader.write(chunk);
      }
    } catch {
      this.#isBroken = true;
    }
    for (const reader of this.#readers) this.#end(reader);
    this.#readers = undefined;
  }

  /** @param {import("node:http").ServerResponse} response */
  sendTo(response) {
    const headers = [...this.#answer.headers].filter(([name]) => !OF_THE_CONNECTION.test(name));
    response.writeHead(this.#answer.status, Object.fromEntries(headers));
    response.flushHeaders();
    for (const chunk of this.#chunks) response.write(chunk);
    if (!this.#readers) return this.#end(response);
    this.#readers.add(response);
    response.once("close", () => this.#readers?.delete(response));
  }

  /** What was written has to arrive before the connection breaks. */
  #end(response) {
    if (this.#isBroken) setTimeout(() => response.destroy(), 20);
    else response.end();
  }
}
