// When the core is called although nothing came: at the next frame, or at a time.

/** Milliseconds after which a frame that does not come is not waited for. */
const FRAME_TIMEOUT = 100;
/** Milliseconds that stand for a frame where there are none. */
const FRAME_WITHOUT_SCREEN = 16;

export class Schedule {
  #run;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;
  /** @type {number | undefined} */
  #frame = undefined;

  /** @param {() => void} run */
  constructor(run) {
    this.#run = run;
  }

  get isSet() {
    return this.#timer !== undefined;
  }

  /** Runs at the next frame, or soon where the page paints none. */
  atNextFrame() {
    const hasFrames = typeof requestAnimationFrame === "function";
    const paints =
      hasFrames && typeof document !== "undefined" && document.visibilityState !== "hidden";
    this.#set(hasFrames ? FRAME_TIMEOUT : FRAME_WITHOUT_SCREEN);
    if (paints) this.#frame = requestAnimationFrame(() => this.#now());
  }

  /** @param {number} milliseconds */
  in(milliseconds) {
    this.#set(Math.max(0, milliseconds));
  }

  clear() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
  }

  /** @param {number} milliseconds */
  #set(milliseconds) {
    this.clear();
    this.#timer = setTimeout(() => this.#now(), milliseconds);
  }

  #now() {
    this.clear();
    this.#run();
  }
}
