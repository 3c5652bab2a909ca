/**
 * The public types.
 *
 * @module
 */

export type * from "./chat-types.js";
export type * from "./chunk-types.js";
export type * from "./message-types.js";
