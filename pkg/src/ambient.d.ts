/** The build puts the file's content here, as base64. */
declare module "*.wasm" {
  const base64: string;
  export default base64;
}

/** All that is used of Node. Its own types would offer Node's globals to code that runs in browsers. */
declare module "node:fs/promises" {
  export function readFile(path: URL): Promise<Uint8Array>;
}
