/** @import { Scenario } from './index.mjs' */

const LONG_ANSWER =
  'This answer is long enough to be interrupted. A person has read the first words when the trouble comes, and must be told that the rest is missing. When you ask again, you get all of it, down to the last word.';

/** @type {Scenario} */
export const error = {
  name: 'error',
  title: 'Error in the middle',
  description: 'The model fails after some text. Retry succeeds.',
  prompt: 'Tell me something long.',
  script: ({ isRetry }) =>
    isRetry
      ? [{ type: 'text', text: LONG_ANSWER }]
      : [
          { type: 'text', text: 'This answer starts well and then', unfinished: true },
          { type: 'error', message: 'The model is overloaded. Please try again.' },
        ],
};

/** @type {Scenario} */
export const cut = {
  name: 'cut',
  title: 'Cut connection',
  description: 'The connection breaks in the middle of the answer. Retry succeeds.',
  prompt: 'Tell me something long.',
  script: () => [{ type: 'text', text: LONG_ANSWER }],
  cutAfter: 16,
};
