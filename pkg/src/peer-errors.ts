/**
 * The AI SDK's error classes, as far as a client meets them: to ask what kind an error is. They
 * recognise this package's errors and the AI SDK's own.
 *
 * @module
 */

import type { ChatwireError } from "./errors.js";

/** Recognises the errors of one kind: `APICallError.isInstance(error)`, or `instanceof`. */
export interface ErrorKind<ERROR extends Error = ChatwireError> {
  /** True for an error of this kind. */
  isInstance(error: unknown): error is ERROR;
  /** For `error instanceof APICallError`. */
  [Symbol.hasInstance](error: unknown): error is ERROR;
}

function errorKind<ERROR extends Error = ChatwireError>(marker: string): ErrorKind<ERROR> {
  const mark = Symbol.for(marker);
  const isInstance = (error: unknown): error is ERROR =>
    typeof error === "object" && error !== null && (error as Record<symbol, unknown>)[mark] === true;
  return { isInstance, [Symbol.hasInstance]: isInstance };
}

/** Any error that the AI SDK has a name for. */
export const AISDKError: ErrorKind<Error> = /* @__PURE__ */ errorKind<Error>("vercel.ai.error");
/** The server answered with an error status. */
export const APICallError: ErrorKind = /* @__PURE__ */ errorKind("vercel.ai.error.AI_APICallError");
/** The server answered without a body. */
export const EmptyResponseBodyError: ErrorKind = /* @__PURE__ */ errorKind(
  "vercel.ai.error.AI_EmptyResponseBodyError",
);
/** An argument of a call cannot be used. */
export const InvalidArgumentError: ErrorKind = /* @__PURE__ */ errorKind(
  "vercel.ai.error.AI_InvalidArgumentError",
);
/** An event of the stream is not JSON. */
export const JSONParseError: ErrorKind = /* @__PURE__ */ errorKind("vercel.ai.error.AI_JSONParseError");
/** A value does not have the expected shape. */
export const TypeValidationError: ErrorKind = /* @__PURE__ */ errorKind(
  "vercel.ai.error.AI_TypeValidationError",
);
/** An event of the stream names something that the response does not have. */
export const UIMessageStreamError: ErrorKind = /* @__PURE__ */ errorKind(
  "vercel.ai.error.AI_UIMessageStreamError",
);
/** The environment lacks what the call needs. */
export const UnsupportedFunctionalityError: ErrorKind = /* @__PURE__ */ errorKind(
  "vercel.ai.error.AI_UnsupportedFunctionalityError",
);

/** See the value of this name. */
export type AISDKError = Error;
/** See the value of this name. */
export type APICallError = ChatwireError;
/** See the value of this name. */
export type EmptyResponseBodyError = ChatwireError;
/** See the value of this name. */
export type InvalidArgumentError = ChatwireError;
/** See the value of this name. */
export type JSONParseError = ChatwireError;
/** See the value of this name. */
export type TypeValidationError = ChatwireError;
/** See the value of this name. */
export type UIMessageStreamError = ChatwireError;
/** See the value of this name. */
export type UnsupportedFunctionalityError = ChatwireError;
