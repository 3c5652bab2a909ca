// Runs a function of a script as a test.
//
// Scripts are imported here instead of being bound by wasm-bindgen, since the server behind the
// tests begins with four threads, one for each connection. A fifth connection that comes together
// with the fourth may be left without one, and then the page waits for ever. Once four are open,
// each further one gets a thread of its own.

/** @type {Promise<void> | undefined} */
let connected;

/** Opens four connections, which the browser keeps. */
async function connect() {
  const { name } = performance.getEntriesByType("resource").find(({ name }) => name.endsWith(".wasm"));
  const requests = [1, 2, 3, 4].map((number) => fetch(`${name}?${number}`, { cache: "no-store" }));
  // The file is large: no connection is free for another request until its body has been read.
  const responses = await Promise.all(requests);
  for (const response of responses) await response.arrayBuffer();
}

/**
 * @param {string} script path from the root of the repository
 * @param {string} name of an exported function
 * @param {import("./host.js").StartChat} start
 */
export async function runTest(script, name, start) {
  await (connected ??= connect());
  const { [name]: test } = await import(script);
  if (typeof test !== "function") throw new Error(`${script} has no test ${name}`);
  await test(start);
}
