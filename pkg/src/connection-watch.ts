/**
 * When a lost connection is worth another try.
 *
 * @module
 */

/**
 * Calls `retry` whenever the page is looked at again or the device is back online. Returns the function
 * that ends it.
 */
export function watchConnection(retry: () => void): () => void {
  const retryIfVisible = () => {
    if (globalThis.document?.visibilityState !== "hidden") retry();
  };
  globalThis.addEventListener?.("online", retryIfVisible);
  globalThis.document?.addEventListener("visibilitychange", retryIfVisible);
  return () => {
    globalThis.removeEventListener?.("online", retryIfVisible);
    globalThis.document?.removeEventListener("visibilitychange", retryIfVisible);
  };
}
