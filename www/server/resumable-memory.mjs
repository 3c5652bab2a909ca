/** How many keys are kept; beyond, the one written first is forgotten: its run has ended long ago. */
const MAX_KEYS = 2000;

/** @typedef {(message: string) => void} Listener */
/** @typedef {import('resumable-stream/generic').Publisher & import('resumable-stream/generic').Subscriber} Broker */

/**
 * What `resumable-stream` needs of Redis, within one process: keys and channels. Expiry times are not kept, the number
 * of keys bounds the memory instead.
 *
 * @implements {Broker}
 */
export class MemoryBroker {
  /** @type {Map<string, string>} */
  #values = new Map();
  /** @type {Map<string, Listener>} */
  #listeners = new Map();

  async connect() {}

  /** @param {string} key */
  async get(key) {
    return this.#values.get(key) ?? null;
  }

  /**
   * @param {string} key
   * @param {string} value
   */
  async set(key, value) {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > MAX_KEYS) {
      const [oldest] = this.#values.keys();
      this.#values.delete(oldest);
    }
    return 'OK';
  }

  /** @param {string} key */
  async incr(key) {
    const value = this.#values.get(key) ?? '0';
    // In the words of Redis, which `resumable-stream` looks for.
    if (!/^-?\d+$/.test(value)) throw new Error('ERR value is not an integer or out of range');
    await this.set(key, String(Number(value) + 1));
    return Number(value) + 1;
  }

  /**
   * @param {string} channel every channel here has one listener at the most
   * @param {Listener} listener
   */
  async subscribe(channel, listener) {
    this.#listeners.set(channel, listener);
  }

  /** @param {string} channel */
  async unsubscribe(channel) {
    this.#listeners.delete(channel);
  }

  /**
   * @param {string} channel
   * @param {string} message
   * @returns how many listeners got it
   */
  async publish(channel, message) {
    const listener = this.#listeners.get(channel);
    listener?.(message);
    return listener === undefined ? 0 : 1;
  }
}
