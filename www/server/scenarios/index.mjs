import { approval, question, repair, tools } from './tool-calls.mjs';
import { cut, error } from './failures.mjs';
import { data, files, metadata, sources } from './message-parts.mjs';
import { markdown, plain, reasoning } from './answers.mjs';

/**
 * One kind of answer that the demo can show.
 *
 * @typedef {object} Scenario
 * @property {string} name as in `/api/chat?scenario=<name>`
 * @property {string} title
 * @property {string} description one sentence for the page
 * @property {string} prompt a user message to try it with
 * @property {import('../scripted-model.mjs').Script} script what the scripted model says
 * @property {string} [instructions] system text for a real model; the scripted one needs none
 * @property {import('../tools.mjs').ToolName[]} [tools] tools that the model may call; none by default
 * @property {(modelId: string) => MessageMetadata} [messageMetadata] makes the `messageMetadata` of `toUIMessageStream`
 * @property {WriteData} [writeData] passes the model's chunks on and adds the server's own data parts
 * @property {number} [cutAfter] the first attempt is cut off after this many events
 */

/** @typedef {NonNullable<import('ai').UIMessageStreamOptions<import('ai').UIMessage>['messageMetadata']>} MessageMetadata */
/** @typedef {(chunks: AsyncIterable<import('ai').UIMessageChunk>, writer: import('ai').UIMessageStreamWriter) => Promise<void>} WriteData */

/** @type {readonly Scenario[]} */
export const SCENARIOS = [
  plain,
  markdown,
  reasoning,
  tools,
  repair,
  question,
  approval,
  sources,
  files,
  data,
  metadata,
  error,
  cut,
];

/** What the page needs to offer the scenarios. */
export const SCENARIO_LIST = SCENARIOS.map(({ name, title, description, prompt }) => ({
  name,
  title,
  description,
  prompt,
}));

/** @param {string} name */
export function findScenario(name) {
  return SCENARIOS.find(scenario => scenario.name === name);
}
