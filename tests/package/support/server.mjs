// A real server: the chat's answer as an event stream, and the files of a built page.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const MIME_TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".wasm": "application/wasm",
};

export const answer = "You said: Hello – bye. ✓";

/**
 * @param {object} options
 * @param {string} [options.root] folder of the page
 * @param {string} [options.policy] the page's Content-Security-Policy
 * @param {boolean} [options.homeForUnknown] answer unknown paths with the page, as many servers do
 */
export async function startServer({ root, policy, homeForUnknown = false } = {}) {
  /** Bodies of the chat requests. */
  const bodies = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    // The page of a development server has another origin.
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "*");
    if (policy) response.setHeader("content-security-policy", policy);
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    if (pathname === "/api/chat") {
      bodies.push(JSON.parse(await readBody(request)));
      return streamAnswer(response);
    }
    const path = pathname === "/" ? "/index.html" : pathname;
    const file = (root && (await readPageFile(root, path))) ?? undefined;
    if (file) return response.setHeader("content-type", MIME_TYPES[extname(path)]).end(file);
    if (homeForUnknown) {
      return response.setHeader("content-type", "text/html").end(await readPageFile(root, "/index.html"));
    }
    response.writeHead(404).end();
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    origin,
    api: `${origin}/api/chat`,
    bodies,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function readPageFile(root, path) {
  try {
    return await readFile(join(root, normalize(path)));
  } catch {
    return undefined;
  }
}

/** Each event in two writes, with a pause between, cut inside a character where there is one. */
async function streamAnswer(response) {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "x-vercel-ai-ui-message-stream": "v1",
  });
  const events = [
    { type: "start", messageId: "answer-1" },
    { type: "start-step" },
    { type: "text-start", id: "1" },
    ...answer.match(/.{1,5}/gu).map((delta) => ({ type: "text-delta", id: "1", delta })),
    { type: "text-end", id: "1" },
    { type: "finish-step" },
    { type: "finish", finishReason: "stop" },
  ].map((event) => JSON.stringify(event));
  for (const data of [...events, "[DONE]"]) {
    const bytes = Buffer.from(`data: ${data}\n\n`);
    const cut = bytes.findIndex((byte) => byte > 0x7f) + 1 || 3;
    response.write(bytes.subarray(0, cut));
    await new Promise((done) => setTimeout(done, 2));
    response.write(bytes.subarray(cut));
  }
  response.end();
}
