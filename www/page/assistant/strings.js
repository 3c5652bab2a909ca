/** Every text of the assistant that does not come from the conversation. */
export const STRINGS = {
  conversation: 'Conversation',
  welcome: 'What would you like to know?',
  suggestions: 'Suggestions',
  sender: { user: 'You:', assistant: 'Assistant:', system: 'System:' },

  message: 'Message',
  messagePlaceholder: 'Write a message…',
  send: 'Send',
  stop: 'Stop',
  jumpToLatest: 'Jump to latest',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'The browser did not allow copying.',
  regenerate: 'Regenerate',
  retry: 'Retry',
  dismiss: 'Dismiss',

  waiting: 'Waiting for the answer…',
  generating: 'Generating…',
  responseComplete: 'Response complete',
  approvalNeeded: 'Your approval is needed',
  answerNeeded: 'The assistant has a question for you',
  messageQueued: 'Your message waits until the answer is finished',

  queue: 'Waiting messages',
  queuePaused: 'Waiting messages are paused.',
  resumeQueue: 'Send them now',
  removeFromQueue: 'Remove',

  reasoning: 'Reasoning',
  thinking: 'Thinking…',
  sources: 'Sources',
  input: 'Input',
  output: 'Output',
  data: 'Data',
  metadata: 'Metadata',
  image: 'Image',
  file: 'File',
  tokensIn: 'tokens in',
  tokensOut: 'tokens out',

  toolState: {
    preparing: 'Preparing…',
    running: 'Running…',
    waiting: 'Waiting for you',
    unfinished: 'Not finished',
    approved: 'Approved',
    denied: 'Denied',
    done: 'Done',
    failed: 'Failed',
  },

  approve: 'Approve',
  deny: 'Deny',
  reason: 'Reason (optional)',
  denialReason: 'Reason:',
  answer: 'Answer',
  skip: 'Skip',
  unreadableQuestion: 'The question could not be read. You can answer in your own words, or skip it.',
  yourAnswer: 'Your answer:',
  skipped: 'The person did not answer.',

  /** What is noted under a message whose response did not end well. */
  ending: {
    stopped: 'Stopped',
    aborted: 'The server ended this answer early',
    truncated: 'The stream ended early – answer incomplete',
    disconnect: 'Connection was cut – answer incomplete',
    error: 'Ended by an error – answer incomplete',
    interrupted: 'Waiting for a decision',
    cancelled: 'Cancelled',
  },

  /** What is said beside Retry: when a part of the answer has arrived, when nothing has, and when no words came. */
  incomplete: {
    aborted: 'The answer is incomplete: the server ended it early.',
    truncated: 'The answer is incomplete: the stream ended before the server said that it was finished.',
    disconnect: 'The answer is incomplete: the connection was cut.',
  },
  noAnswer: {
    aborted: 'There is no answer: the server ended the response before it began.',
    truncated: 'There is no answer: the stream ended before it began.',
    disconnect: 'There is no answer: the server could not be reached, or the connection was cut.',
  },
  failed: 'Something went wrong.',
};
