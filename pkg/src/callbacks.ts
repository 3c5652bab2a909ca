/**
 * Calls of the app's callbacks.
 *
 * @module
 */

/** Calls the app and waits for it. Gives what it throws. */
export async function attempt(call: () => unknown): Promise<Error | undefined> {
  try {
    await call();
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  }
}

/** Tells the app of an error. What its handler throws is left to the environment's own report. */
export function reportError<ERROR>(
  error: ERROR,
  onError: ((error: ERROR) => void) | undefined,
): void {
  try {
    onError?.(error);
  } catch (again) {
    queueMicrotask(() => {
      throw again;
    });
  }
}
