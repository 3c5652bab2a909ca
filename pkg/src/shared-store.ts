/**
 * State that several views may show: a small store, and stores that components share by name.
 *
 * @module
 */

/** Holds one immutable state. */
export class Store<STATE extends object> {
  /** The state at the beginning: what a server renders. */
  readonly initial: STATE;
  readonly #listeners = new Set<() => void>();
  #state: STATE;

  constructor(initial: STATE) {
    this.initial = initial;
    this.#state = initial;
  }

  /** The state: the same object until something has changed. */
  getSnapshot = (): STATE => this.#state;

  /** The state at the beginning. */
  getInitialSnapshot = (): STATE => this.initial;

  /** Calls `listener` after each change. Returns the function that ends it. */
  subscribe = (listener: () => void): (() => void) => {
    const entry = () => listener();
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  };

  /** Changes some members. */
  set(changes: Partial<STATE>): void {
    const keys = Object.keys(changes) as (keyof STATE)[];
    if (keys.every((key) => Object.is(this.#state[key], changes[key]))) return;
    this.#state = { ...this.#state, ...changes };
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Gives what was made under a name before. */
export class Registry<T> {
  readonly #made = new Map<string, T>();

  /** On a server each call makes a new one: what one visitor sees is no other's. */
  get(name: string, make: () => T): T {
    if (typeof document === "undefined") return make();
    const made = this.#made.get(name) ?? make();
    this.#made.set(name, made);
    return made;
  }
}
