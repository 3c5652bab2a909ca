/** Longest pause between two attempts to reach a Redis that went away, in milliseconds. */
const MAX_RECONNECT_MS = 1000;

/**
 * Connects to a Redis that several server processes may share.
 *
 * @param {string} url as in `REDIS_URL`: redis://[user:password@]host[:port][/database]
 * @param {(error: unknown) => void} logError hears of connections that are lost later; they are made again
 * @returns what `resumable-stream` needs, and a function that closes the connections
 * @throws when no Redis answers
 */
export async function connectRedis(url, logError) {
  // Imported only here: without Redis the package need not be installed.
  const { createClient } = await import('redis');
  let wasConnected = false;
  const publisher = createClient({
    url,
    socket: {
      reconnectStrategy: (retries, cause) => (wasConnected ? Math.min(retries * 50, MAX_RECONNECT_MS) : cause),
    },
  });
  // A connection that subscribes can do nothing else.
  const subscriber = publisher.duplicate();
  for (const client of [publisher, subscriber]) {
    client.on('error', error => {
      if (wasConnected) logError(error);
    });
  }
  try {
    await Promise.all([publisher.connect(), subscriber.connect()]);
  } catch (cause) {
    // Not the address itself: it may hold a password.
    throw new Error(`REDIS_URL is set, but Redis cannot be reached there: ${reason(cause)}.`, { cause });
  }
  wasConnected = true;

  return {
    publisher,
    subscriber,
    close: () => Promise.all([publisher.close(), subscriber.close()]),
  };
}

/** @param {unknown} cause a refused connection to a name with several addresses has no message of its own */
function reason(cause) {
  const { message, code } = /** @type {{ message?: string, code?: string }} */ (cause);
  return message || code || 'no connection';
}
