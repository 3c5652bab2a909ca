/** @import { Scenario } from './index.mjs' */

/** @type {Scenario} */
export const plain = {
  name: 'plain',
  title: 'Plain answer',
  description: 'A short text answer.',
  prompt: 'Hello! What is this page?',
  script: ({ number, userText }) => [
    {
      type: 'text',
      text:
        number === 1
          ? `Hello! You wrote: “${userText}” This page is a chat that runs in your browser as WebAssembly. I am a scripted model, so I always give the same kind of answer.`
          : `That was message ${number}: “${userText}” The conversation goes on for as long as you like.`,
    },
  ],
};

const MARKDOWN_ANSWER = `# Streams, in one page

An answer that **arrives in pieces** has to look right at *every* moment, not only at the end. This one has most of what Markdown offers.

## What comes over the wire

1. The server opens an event stream.
2. Each event carries one chunk:
   - a piece of text,
   - a piece of a tool call, or
   - a part that is complete at once.
3. The stream ends with \`[DONE]\`.

> A connection can break between any two bytes. A client must never call such an answer complete.

### A chunk in code

\`\`\`ts
interface TextDelta {
  type: 'text-delta';
  id: string; // which text part grows
  delta: string;
}

function append(text: string, chunk: TextDelta): string {
  return text + chunk.delta;
}
\`\`\`

### Cost for each chunk

| Length of the answer | Naive client | Incremental client |
| -------------------- | -----------: | -----------------: |
| 1,000 pieces         |       0.1 ms |            0.01 ms |
| 10,000 pieces        |         1 ms |            0.01 ms |
| 100,000 pieces       |        10 ms |            0.01 ms |

The figures only show the *shape*: the naive client reads everything again, so its cost grows with the answer.

---

#### Small print

- Names such as Zoë, Łukasz and 美咲 arrive whole, even when a chunk ends inside one. 🎉
- Inline code like \`const x = "a|b"\` keeps its bar.
- A link to [the specification of event streams](https://html.spec.whatwg.org/multipage/server-sent-events.html).
- ~~Struck out~~, and a task list:
  - [x] decode
  - [ ] render

That is all.`;

/** @type {Scenario} */
export const markdown = {
  name: 'markdown',
  title: 'Long Markdown answer',
  description: 'Headings, lists, code and a table, streamed word by word.',
  prompt: 'Explain streaming, with a table.',
  instructions: 'Answer at length in Markdown, with headings, lists, a code block and a table.',
  script: ({ number }) => [
    {
      type: 'text',
      text: number === 1 ? MARKDOWN_ANSWER : `## Once more\n\nThis is answer **${number}** of this chat:\n\n${MARKDOWN_ANSWER}`,
    },
  ],
};

/** @type {Scenario} */
export const reasoning = {
  name: 'reasoning',
  title: 'Reasoning',
  description: 'The model thinks first, then answers.',
  prompt: 'How many minutes are there in a week?',
  script: ({ number }) => [
    {
      type: 'reasoning',
      text: 'A week has 7 days. A day has 24 hours, so a week has 168 hours. An hour has 60 minutes: 168 × 60 = 10,080.',
    },
    {
      type: 'text',
      text: `${number === 1 ? '' : 'I checked it again. '}A week has 10,080 minutes.`,
    },
  ],
};
