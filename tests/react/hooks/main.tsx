import "./hydration.js";
import "./use-completion.js";
import "./use-object.js";
import "./use-chat.js";
import "./use-chat-renders.js";
import "./selectors.js";
import "./markdown.js";
import "./markdown-elements.js";
import { tests, unmountAll } from "./harness.js";

declare global {
  var listTests: () => { name: string; only: string | undefined }[];
  var runTest: (name: string) => Promise<void>;
}

globalThis.listTests = () => tests.map(({ name, only }) => ({ name, only }));
globalThis.runTest = async (name) => {
  try {
    const test = tests.find((test) => test.name === name);
    if (!test) throw new Error(`there is no test "${name}"`);
    await test.run();
  } finally {
    unmountAll();
  }
};
