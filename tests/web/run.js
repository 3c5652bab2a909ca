// Runs a function of a script as a test. Scripts are imported here instead of being bound by
// wasm-bindgen: a fault in one of them fails its tests by name.

/**
 * @param {string} script path from the root of the repository
 * @param {string} name of an exported function
 * @param {import("./host.js").StartChat} start
 */
export async function runTest(script, name, start) {
  const { [name]: test } = await import(script);
  if (typeof test !== "function") throw new Error(`${script} has no test ${name}`);
  await test(start);
}
