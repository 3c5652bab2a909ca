/**
 * Commands that wait for the core, in order.
 *
 * @module
 */

import type { CoreDriver } from "./core-host.js";

/** What a chat asks of its core. */
export type Command = (driver: CoreDriver) => Promise<void> | void;

/** The queue of a chat's commands before its core is there. */
export class KeptCommands {
  readonly #start: () => Promise<CoreDriver>;
  readonly #kept: KeptCommand[] = [];

  /** @param start gives the core, at once or once it is loaded */
  constructor(start: () => Promise<CoreDriver>) {
    this.#start = start;
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  /** Runs a command behind those that wait already. */
  run(command: Command): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#kept.push({ command, resolve, reject }) === 1) void this.#runAll();
    });
  }

  /** A command may lead to further ones: those wait behind. */
  async #runAll(): Promise<void> {
    for (let next = this.#kept[0]; next; next = this.#kept[0]) {
      let driver;
      try {
        driver = await this.#start();
      } catch (error) {
        for (const { reject } of this.#kept.splice(0)) reject(error);
        return;
      }
      try {
        next.resolve(next.command(driver));
      } catch (error) {
        next.reject(error);
      }
      this.#kept.shift();
    }
  }
}

/** A command that waits for the core. */
interface KeptCommand {
  readonly command: Command;
  readonly resolve: (result: Promise<void> | void) => void;
  readonly reject: (error: unknown) => void;
}
