import type { UIMessage } from "ai";

/** The messages of the demo's server. */
export type DemoMessage = UIMessage<
  { model?: string; usage?: { totalTokens?: number } },
  {
    progress: { done: number; total: number };
    result: { shelf: number; title: string };
    notice: { text: string };
  },
  {
    weather: {
      input: { city: string };
      output: { city: string; condition: string; temperature: number; unit: string };
    };
    ask_user_question: {
      input: { question: string; options: string[] };
      output: { answer: string };
    };
    apply_resume_patch: {
      input: { patch: { op: string; path: string; value?: unknown }[] };
      output: { changedPaths: string[] };
    };
  }
>;
