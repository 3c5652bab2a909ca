import type { DemoMessage } from "./message.js";

/** The messages of a conversation as they were when the page was left. */
export function loadMessages(id: string): DemoMessage[] {
  return JSON.parse(sessionStorage.getItem(`conversation ${id}`) ?? "[]") as DemoMessage[];
}

export function saveMessages(id: string, messages: DemoMessage[]): void {
  sessionStorage.setItem(`conversation ${id}`, JSON.stringify(messages));
}
