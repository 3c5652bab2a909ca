// The messages as plain objects, kept in step with the core by its lists of changes.
//
// Every value that was handed out stays as it is. A flush makes new objects for what changed and
// only for that; a value that comes out deeply equal to the one before it is the one before it.

import { InputCursor } from "./input-cursor.js";

// The numbers of `ChangeOp` in src/chat/changes.rs; a test compares them.
const MESSAGE = 1;
const PART = 2;
const TRUNCATE_PARTS = 3;
const SET_JSON = 4;
const SET_TEXT = 5;
const APPEND_TEXT = 6;
const REMOVE = 7;
const PARTIAL = 8;
const LIST = 9;
const QUEUE = 10;
const START_PARTIAL = 11;

// The names of `FieldName` in src/message/field.rs, by number; a test compares them.
export const FIELD_NAMES = [
  "type", "id", "role", "metadata", "parts", "text", "state", "providerMetadata", "citations",
  "toolCallId", "toolName", "title", "toolMetadata", "providerExecuted", "callProviderMetadata",
  "resultProviderMetadata", "input", "output", "errorText", "rawInput", "inputEncoding",
  "preliminary", "approval", "kind", "sourceId", "url", "mediaType", "filename", "data",
];
const OTHER_FIELD = 0xff;

/** @typedef {Record<string, unknown>} Fields */
/** @typedef {Fields & { id: string, role: string, parts: readonly Fields[] }} Message */
/**
 * Text that grew by one flush.
 * @typedef {{ messageId: string, partIndex: number, type: "text" | "reasoning", offset: number, delta: string }} Delta
 */
/**
 * What the view knows of one message.
 * @typedef {object} Entry
 * @property {Message} message
 * @property {number} index place in the list, -1 outside it
 * @property {Map<number, InputCursor> | undefined} inputs tool inputs that are still arriving, by part
 */

export class View {
  /** @type {Map<number, Entry>} */
  #entries = new Map();
  /** @type {readonly Message[]} */
  #messages = [];
  /** @type {readonly Message[]} */
  #queued = [];
  /** Objects of the app, by the number under which the core knows them. @type {Map<number, Message>} */
  #supplied = new Map();
  #nextSlot = 1;
  /** @type {WeakMap<object, number>} */
  #keys = new WeakMap();
  #texts;
  #freezes;
  /** @type {Delta[]} */
  #deltas = [];
  /** Deltas are collected only for listeners. */
  wantsDeltas = false;

  /**
   * @param {boolean} freezes whether what is handed out is frozen, for development
   * @param {WeakMap<object, string>} texts receives the exact JSON text behind each object
   */
  constructor(freezes, texts) {
    this.#freezes = freezes;
    this.#texts = texts;
    this.#handOut(this.#messages);
    this.#handOut(this.#queued);
  }

  get messages() {
    return this.#messages;
  }

  get queued() {
    return this.#queued;
  }

  /** Names a message through any change of its id. @param {object} message */
  keyOf(message) {
    return this.#keys.get(message);
  }

  /** The exact JSON text behind an object of a message. @param {object} value */
  textOf(value) {
    return this.#texts.get(value);
  }

  /** @param {number} key */
  message(key) {
    return this.#entries.get(key)?.message;
  }

  /** Keeps an object of the app, which the view will show as it is. @param {object} message */
  supply(message) {
    const slot = this.#nextSlot++;
    this.#supplied.set(slot, /** @type {Message} */ (message));
    return slot;
  }

  /** Hands out the texts that grew since the last call. */
  takeDeltas() {
    const deltas = this.#deltas;
    this.#deltas = [];
    return deltas;
  }

  /**
   * Applies a list of changes.
   *
   * @param {Uint32Array} ops
   * @param {string} arena
   * @returns whether anything that the app sees has changed
   */
  apply(ops, arena) {
    const reader = new ChangeReader(ops, arena);
    const before = { messages: this.#messages, queued: this.#queued };
    /** @type {Message[] | undefined} */
    let list;
    while (reader.hasMore()) {
      switch (reader.peek() & 0xff) {
        case MESSAGE: {
          const entry = this.#applyMessage(reader);
          if (entry.index >= 0 && this.#messages[entry.index] !== entry.message) {
            list ??= this.#messages.slice();
            list[entry.index] = entry.message;
          }
          break;
        }
        case LIST:
          list = this.#applyList(reader);
          if (sameElements(list, this.#messages)) list = undefined;
          break;
        case QUEUE:
          this.#queued = this.#handOut(this.#applyQueue(reader));
          break;
        default:
          throw new Error(`unknown change ${reader.peek()}`);
      }
    }
    if (list) this.#messages = this.#handOut(list);
    return this.#messages !== before.messages || this.#queued !== before.queued;
  }

  /** @param {ChangeReader} reader */
  #applyMessage(reader) {
    reader.next();
    const key = reader.next();
    const slot = reader.next();
    let entry = this.#entries.get(key);
    if (slot > 0) {
      const message = /** @type {Message} */ (this.#supplied.get(slot - 1));
      this.#supplied.delete(slot - 1);
      entry = { message, index: -1, inputs: undefined };
    } else {
      entry ??= { message: { id: "", role: "assistant", parts: [] }, index: -1, inputs: undefined };
      const before = entry.message;
      const fields = this.#applyFields(reader, before, undefined);
      const parts = this.#applyParts(reader, entry, fields.id);
      if (fields !== before || parts !== before.parts) {
        entry.message = this.#handOut({ ...fields, parts });
      }
    }
    this.#entries.set(key, entry);
    this.#keys.set(entry.message, key);
    return entry;
  }

  /**
   * @param {ChangeReader} reader
   * @param {Entry} entry
   * @param {string} messageId
   */
  #applyParts(reader, entry, messageId) {
    const old = entry.message.parts;
    /** @type {Fields[] | undefined} */
    let parts;
    let isShorter = false;
    for (;;) {
      const op = reader.peek() & 0xff;
      if (op === TRUNCATE_PARTS) {
        reader.next();
        const length = reader.next();
        parts = (parts ?? old).slice(0, length);
        isShorter = true;
        for (const index of entry.inputs?.keys() ?? []) {
          if (index >= length) entry.inputs?.delete(index);
        }
      } else if (op === PART) {
        reader.next();
        const index = reader.next();
        const before = (parts ?? old)[index];
        // A replay writes parts anew; what comes out the same is the same.
        const shown = before ?? old[index];
        const draft = this.#applyFields(reader, before ?? {}, { entry, index, messageId, shown });
        if (draft !== before) {
          parts ??= old.slice();
          parts[index] = shown && !before && sameFields(shown, draft) ? shown : this.#handOut(draft);
        }
      } else {
        // Parts that were taken away may have come again as they were.
        if (!parts || (isShorter && sameElements(parts, old))) return old;
        return this.#handOut(parts);
      }
    }
  }

  /**
   * Every field is written at most once in a flush, or appended to.
   *
   * @template {Fields} T
   * @param {ChangeReader} reader
   * @param {T} before
   * @param {{ entry: Entry, index: number, messageId: string, shown: Fields | undefined } | undefined} part
   * @returns {T} `before` when nothing changed
   */
  #applyFields(reader, before, part) {
    let draft = /** @type {Fields} */ (before);
    for (;;) {
      const word = reader.peek();
      const op = word & 0xff;
      if (op < SET_JSON || op === LIST || op === QUEUE) return /** @type {T} */ (draft);
      reader.next();
      const number = (word >>> 8) & 0xff;
      const name = number === OTHER_FIELD ? reader.text(reader.next()) : FIELD_NAMES[number];
      if (name === undefined) throw new Error(`unknown field ${number}`);
      const old = Object.hasOwn(draft, name) ? draft[name] : undefined;
      const isText = op === SET_TEXT || op === APPEND_TEXT;
      const text = isText ? reader.text(reader.next()) : "";
      const start = op === APPEND_TEXT && typeof old === "string" ? old : "";
      const shown = part?.shown ? part.shown[name] : old;
      const value = isText ? start + text : this.#readValue(reader, op, name, old, shown, part);
      if (Object.is(value, old)) continue;
      if (draft === before) draft = { ...before };
      if (value === undefined) delete draft[name];
      else draft[name] = value;
      if (part && name === "text") this.#grew(draft, part, start.length, text);
    }
  }

  /**
   * What a field becomes by an operation that brings no string; `undefined` when it goes.
   *
   * @param {ChangeReader} reader
   * @param {number} op
   * @param {string} name
   * @param {unknown} old
   * @param {unknown} shown what was handed out last
   * @param {{ entry: Entry, index: number } | undefined} part
   * @returns {unknown}
   */
  #readValue(reader, op, name, old, shown, part) {
    if (part && name === "input" && (op === SET_JSON || op === REMOVE)) {
      part.entry.inputs?.delete(part.index);
    }
    switch (op) {
      case SET_JSON:
        return this.#fromJson(shown, reader.text(reader.next()));
      case REMOVE:
        return undefined;
      case PARTIAL:
      case START_PARTIAL:
        return part && this.#readInput(reader, old, shown, part, op === START_PARTIAL);
      default:
        throw new Error(`unknown change ${op}`);
    }
  }

  /**
   * @param {ChangeReader} reader
   * @param {unknown} old
   * @param {unknown} shown
   * @param {{ entry: Entry, index: number }} part
   * @param {boolean} startsOver
   */
  #readInput(reader, old, shown, { entry, index }, startsOver) {
    const inputs = (entry.inputs ??= new Map());
    let cursor = inputs.get(index);
    const isNew = !cursor || startsOver;
    if (!cursor || startsOver) {
      cursor = new InputCursor();
      inputs.set(index, cursor);
    }
    const before = cursor.value;
    const value = cursor.apply(reader, reader.next());
    // What is shown may be an earlier value that is equal to the cursor's.
    if (!isNew && Object.is(value, before)) return old;
    return this.#handOut(isNew || cursor.repeatsKeys ? reuse(shown, value) : value);
  }

  /**
   * @param {Fields} part
   * @param {{ index: number, messageId: string }} where
   * @param {number} offset
   * @param {string} delta
   */
  #grew(part, { index, messageId }, offset, delta) {
    const type = part["type"];
    if (!this.wantsDeltas || delta === "" || (type !== "text" && type !== "reasoning")) return;
    const last = this.#deltas.at(-1);
    // The second half of a surrogate pair comes on its own, and what follows it.
    if (last?.messageId === messageId && last.partIndex === index && offset > 0) last.delta += delta;
    else this.#deltas.push({ messageId, partIndex: index, type, offset, delta });
  }

  /** @param {unknown} old @param {string} text */
  #fromJson(old, text) {
    const value = reuse(old, JSON.parse(text));
    if (typeof value === "object" && value !== null) {
      this.#texts.set(value, text);
      this.#handOut(value);
    }
    return value;
  }

  /** @param {ChangeReader} reader */
  #applyList(reader) {
    reader.next();
    /** @type {Message[]} */
    const list = [];
    /** @type {Map<number, Entry>} */
    const entries = new Map();
    for (let left = reader.next(); left > 0; left--) {
      const key = reader.next();
      const entry = /** @type {Entry} */ (this.#entries.get(key));
      entry.index = list.length;
      entries.set(key, entry);
      list.push(entry.message);
    }
    this.#entries = entries;
    return list;
  }

  /** @param {ChangeReader} reader */
  #applyQueue(reader) {
    reader.next();
    /** @type {Message[]} */
    const queue = [];
    for (let left = reader.next(); left > 0; left--) {
      queue.push(/** @type {Message} */ (this.#supplied.get(reader.next())));
    }
    return queue;
  }

  /**
   * @template T
   * @param {T} value
   * @returns {T}
   */
  #handOut(value) {
    if (this.#freezes) deepFreeze(value, this.#keys);
    return value;
  }
}

/** Reads operations, and the arena's texts in their order. */
export class ChangeReader {
  #ops;
  #arena;
  #at = 0;
  #textAt = 0;

  /** @param {Uint32Array} ops @param {string} arena */
  constructor(ops, arena) {
    this.#ops = ops;
    this.#arena = arena;
  }

  hasMore() {
    return this.#at < this.#ops.length;
  }

  /** The next number; a list where none is left. */
  peek() {
    return this.#ops[this.#at] ?? LIST;
  }

  next() {
    return /** @type {number} */ (this.#ops[this.#at++]);
  }

  /** @param {number} length in UTF-16 units */
  text(length) {
    const text = this.#arena.slice(this.#textAt, this.#textAt + length);
    this.#textAt += length;
    return text;
  }
}

/**
 * `next`, with every part of it that is deeply equal to its counterpart in `old` replaced by that.
 *
 * @param {unknown} old
 * @param {unknown} next
 * @returns {unknown}
 */
export function reuse(old, next) {
  if (Object.is(old, next)) return old;
  if (typeof old !== "object" || typeof next !== "object" || old === null || next === null) return next;
  if (Array.isArray(old) !== Array.isArray(next)) return next;
  const before = /** @type {Record<string, unknown>} */ (old);
  const after = /** @type {Record<string, unknown>} */ (next);
  const keys = Object.keys(after);
  let isEqual = keys.length === Object.keys(before).length;
  for (const key of keys) {
    if (Object.hasOwn(before, key)) after[key] = reuse(before[key], after[key]);
    if (!Object.hasOwn(before, key) || !Object.is(after[key], before[key])) isEqual = false;
  }
  return isEqual ? old : next;
}

/** @param {readonly unknown[]} a @param {readonly unknown[]} b */
function sameElements(a, b) {
  return a.length === b.length && a.every((element, index) => element === b[index]);
}

/** @param {Fields} a @param {Fields} b */
function sameFields(a, b) {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && Object.is(a[key], b[key]))
  );
}

/**
 * @param {unknown} value
 * @param {WeakMap<object, number>} isMessage messages of the app are its own, and stay as they are
 */
function deepFreeze(value, isMessage) {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const child of Object.values(value)) {
    if (typeof child === "object" && child !== null && !isMessage.has(child)) {
      deepFreeze(child, isMessage);
    }
  }
}
