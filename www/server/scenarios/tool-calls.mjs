/** @import { Scenario } from './index.mjs' */
/** @import { ToolResult } from '../scripted-model.mjs' */

/** @type {Scenario} */
export const tools = {
  name: 'tools',
  title: 'Tool loop',
  description: 'Two steps: the server runs a tool, then the model answers with its result.',
  prompt: 'What is the weather in Lisbon?',
  instructions: 'Use the weather tool before you answer a question about the weather.',
  tools: ['weather'],
  script: ({ userText, toolResults }) => {
    const result = lastResult(toolResults, 'weather');
    if (result === undefined) {
      return [
        { type: 'text', text: 'Let me look that up.' },
        { type: 'tool-call', toolName: 'weather', input: { city: cityIn(userText) } },
      ];
    }
    if (result.output.type !== 'json') return [{ type: 'text', text: 'The weather service did not answer.' }];
    const { city, condition, temperature, unit } = /** @type {Record<string, unknown>} */ (result.output.value);
    return [{ type: 'text', text: `In ${city} there is ${condition} at ${temperature} ${unit}.` }];
  },
};

/** @type {Scenario} */
export const repair = {
  ...tools,
  name: 'repair',
  title: 'Tool input to mend',
  description: 'The model writes a tool’s input that is not quite JSON; the server mends it.',
  script: turn => {
    if (lastResult(turn.toolResults, 'weather') !== undefined) return tools.script(turn);
    const city = cityIn(turn.userText);
    return [{ type: 'tool-call', toolName: 'weather', inputText: `Here it is: {city: '${city}',}` }];
  },
};

/** The city after “in”, or the one of the suggested prompt. @param {string} text */
function cityIn(text) {
  return text.match(/\bin (\p{Lu}[\p{L}\p{M}'’-]*)/u)?.[1] ?? 'Lisbon';
}

const QUESTIONS = [
  { question: 'Which tone should the letter have?', options: ['Formal', 'Friendly', 'Short and direct'] },
  { question: 'In which language shall I write it?', options: ['English', 'Português', 'العربية'] },
  { question: 'How should it end?', options: ['With thanks', 'With a question'] },
];

/** @type {Scenario} */
export const question = {
  name: 'question',
  title: 'Question to the person',
  description: 'A tool that runs on the page: the model asks, you answer, the model goes on.',
  prompt: 'Help me write a letter.',
  instructions: 'Ask the person one question with the ask_user_question tool before you answer.',
  tools: ['ask_user_question'],
  script: ({ number, toolResults }) => {
    const result = lastResult(toolResults, 'ask_user_question');
    if (result === undefined) {
      return [
        { type: 'text', text: 'I need to know one thing.' },
        { type: 'tool-call', toolName: 'ask_user_question', input: QUESTIONS[(number - 1) % QUESTIONS.length] },
      ];
    }
    if (result.output.type === 'error-text') {
      return [{ type: 'text', text: `There was no answer (${result.output.value}), so I go on without it.` }];
    }
    return [{ type: 'text', text: `Noted: “${answerIn(result.output)}”. I will write it that way.` }];
  },
};

/**
 * The person's answer: the output itself when it is a text, its `answer` when it is an object.
 *
 * @param {ToolResult['output']} output
 */
function answerIn(output) {
  if (output.type === 'text') return output.value;
  if (output.type !== 'json') return '';
  const value = output.value;
  return value !== null && typeof value === 'object' && 'answer' in value ? String(value.answer) : JSON.stringify(value);
}

const PATCHES = [
  [
    { op: 'replace', path: '/title', value: 'Senior software engineer' },
    { op: 'add', path: '/skills/-', value: 'WebAssembly' },
  ],
  // An ordinary patch with values that a careless client spells anew: the approval is signed over them.
  [
    { op: 'replace', path: '/years', value: 8.25 },
    { op: 'add', path: '/languages', value: { 'português': 'C2', 'English': 'C1', '10': 1e21, '2': 1e-7 } },
  ],
  [{ op: 'replace', path: '/summary', value: 'Builds fast, accessible web applications — “from the wire to the page”.' }],
];

/** @type {Scenario} */
export const approval = {
  name: 'approval',
  title: 'Approval',
  description: 'A change to a résumé that the server makes only after you approve it; its request is signed.',
  prompt: 'Make my résumé sound more senior.',
  instructions: 'Change the résumé with the apply_resume_patch tool. It has name, title, summary, years and skills.',
  tools: ['apply_resume_patch'],
  script: ({ number, toolResults }) => {
    const result = lastResult(toolResults, 'apply_resume_patch');
    if (result === undefined) {
      return [
        { type: 'text', text: 'I suggest this change.' },
        {
          type: 'tool-call',
          toolName: 'apply_resume_patch',
          input: { patch: PATCHES[(number - 1) % PATCHES.length] },
        },
      ];
    }
    return [{ type: 'text', text: afterApproval(result.output) }];
  },
};

/** @param {ToolResult['output']} output */
function afterApproval(output) {
  switch (output.type) {
    case 'json': {
      const { changedPaths } = /** @type {{ changedPaths: string[] }} */ (output.value);
      return `Done. I changed ${changedPaths.join(' and ')}.`;
    }
    case 'execution-denied':
      return `I left the résumé as it is.${output.reason ? ` Your reason was: “${output.reason}”.` : ''}`;
    case 'error-text':
      return `The change did not work: ${output.value}`;
    default:
      return 'The change did not work.';
  }
}

/**
 * @param {ToolResult[]} results
 * @param {string} toolName
 */
function lastResult(results, toolName) {
  return results.findLast(result => result.toolName === toolName);
}
