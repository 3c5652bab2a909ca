import { QuestionView } from './question.js';

/** The tools that run here, in the page, by asking the person. */
export const CLIENT_TOOLS = { ask_user_question: QuestionView };

/**
 * @param {string} name
 * @returns {name is keyof typeof CLIENT_TOOLS}
 */
export function isClientTool(name) {
  return Object.hasOwn(CLIENT_TOOLS, name);
}
