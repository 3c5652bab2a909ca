import { tests, unmountAll } from "./harness.js";

declare global {
  var listTests: () => { name: string; only: string | undefined }[];
  var runTest: (name: string) => Promise<void>;
}

globalThis.listTests = () => tests.map(({ name, only }) => ({ name, only }));
globalThis.runTest = async (name) => {
  try {
    await tests.find((test) => test.name === name)?.run();
  } finally {
    unmountAll();
  }
};
