/** The build puts the file's content here, as base64. */
declare module "*.wasm" {
  const base64: string;
  export default base64;
}

/** All that is used of Node. Its own types would offer Node's globals to code that runs in browsers. */
declare module "node:fs/promises" {
  export function readFile(path: URL): Promise<Uint8Array>;
}

/** Bundlers replace `process.env.NODE_ENV`; in a page without a bundler there is no `process`. */
declare const process: { readonly env: { readonly NODE_ENV?: string } };
