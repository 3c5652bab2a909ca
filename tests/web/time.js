// The browser's clock in the hands of a test.

/** The browser's clock, frames and visibility in the hands of the test. */
export class TestTime {
  now = 1_000_000;
  #frames = new Map();
  #timers = new Map();
  #next = 1;
  #undo = [];

  constructor({ paints = true } = {}) {
    this.#replace(Date, "now", () => this.now);
    this.#replace(globalThis, "setTimeout", (run, after = 0) => {
      this.#timers.set(this.#next, { run, at: this.now + after });
      return this.#next++;
    });
    this.#replace(globalThis, "clearTimeout", (timer) => void this.#timers.delete(timer));
    const request = (run) => {
      this.#frames.set(this.#next, run);
      return this.#next++;
    };
    this.#replace(globalThis, "requestAnimationFrame", paints ? request : undefined);
    this.#replace(globalThis, "cancelAnimationFrame", (frame) => void this.#frames.delete(frame));
  }

  /** How many frames and timers are waited for. */
  get waiting() {
    return { frames: this.#frames.size, timers: this.#timers.size };
  }

  /** The page goes out of sight, or comes back. */
  show(isVisible) {
    const value = isVisible ? "visible" : "hidden";
    Object.defineProperty(document, "visibilityState", { value, configurable: true });
    this.#undo.push(() => delete document.visibilityState);
    document.dispatchEvent(new Event("visibilitychange"));
  }

  /** The device loses its connection, or has it back. */
  connect(isOnline) {
    Object.defineProperty(navigator, "onLine", { value: isOnline, configurable: true });
    this.#undo.push(() => delete navigator.onLine);
    globalThis.dispatchEvent(new Event(isOnline ? "online" : "offline"));
  }

  paint() {
    const frames = [...this.#frames.values()];
    this.#frames.clear();
    for (const run of frames) run(this.now);
  }

  /** Time goes by, in milliseconds. */
  pass(milliseconds) {
    const end = this.now + milliseconds;
    for (;;) {
      const due = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
      if (!due) break;
      const [timer, { run, at }] = due;
      this.#timers.delete(timer);
      this.now = Math.max(this.now, at);
      run();
    }
    this.now = end;
  }

  restore() {
    for (const undo of this.#undo.reverse()) undo();
  }

  #replace(object, name, value) {
    const before = object[name];
    object[name] = value;
    this.#undo.push(() => (object[name] = before));
  }
}
