// A proxy between the browser and the server of wasm-bindgen's test runner, which stops answering a
// browser that opens many connections at once: it begins with four threads, one for each
// connection, and a fifth connection that comes together with the fourth may be left without one
// for ever. Through this proxy it never sees more than three.
//
//   node tests/web/proxy.mjs COMMAND...
//
// Runs the command with `PROXY_PORT` in its environment, and ends as it ends.

import { spawn } from "node:child_process";
import { Agent, createServer, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 3 });

const proxy = createServer((incoming, response) => {
  const { method, headers } = incoming;
  const outgoing = request(incoming.url, { method, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  outgoing.on("error", () => response.destroy());
  incoming.pipe(outgoing);
});

proxy.listen(0, "127.0.0.1", () => {
  const [command, ...args] = process.argv.slice(2);
  const env = { ...process.env, PROXY_PORT: String(proxy.address().port) };
  spawn(command, args, { env, stdio: "inherit" }).on("exit", (code) => process.exit(code ?? 1));
});
