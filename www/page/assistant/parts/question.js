/** @import { DynamicToolUIPart, ToolUIPart } from 'chatwire' */
/** @import { PartActions } from './index.js' */
import { getToolName } from 'chatwire';

import { button, element } from '../dom.js';
import { STRINGS } from '../strings.js';
import { DecisionForm } from './decision.js';
import { isRecord } from './values.js';

/** @typedef {ToolUIPart | DynamicToolUIPart} ToolPart */
/** @typedef {{ question: string, options: string[] }} Question */

/** Name of the form field that holds the answer. */
const ANSWER = 'answer';

/** The tool `ask_user_question`: its input is `{ question, options }`, its output `{ answer }`. */
export class QuestionView {
  element = element('div', { class: 'question' });
  #actions;
  /** @type {string | undefined} */
  #shown;

  /** @param {PartActions} actions */
  constructor(actions) {
    this.#actions = actions;
  }

  /** @param {ToolPart} part */
  update(part) {
    if (part.state === 'input-streaming') return;
    // An open form is left alone while its question is the same: a redraw would lose what is chosen.
    const shown = JSON.stringify([part.state, part.input, part.output]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const question = readQuestion(part.input);
    if (part.state === 'input-available') this.element.replaceChildren(this.#form(part, question));
    else this.element.replaceChildren(...answered(question, part.output));
  }

  /**
   * @param {ToolPart} part
   * @param {Question} question
   */
  #form(part, { question, options }) {
    const call = { tool: getToolName(part), toolCallId: part.toolCallId };
    const submit = element('button', { type: 'submit', class: 'button primary', disabled: true }, STRINGS.answer);
    const skip = button(STRINGS.skip, () =>
      form.run(() => this.#actions.failTool({ ...call, errorText: STRINGS.skipped })),
    );
    const form = new DecisionForm(
      element('legend', { dir: 'auto' }, question),
      ...(options.length > 0 ? options.map(choice) : [freeAnswer()]),
      element('div', { class: 'actions' }, submit, skip),
    );
    const answer = () => String(new FormData(form.element).get(ANSWER) ?? '').trim();
    form.element.addEventListener('input', () => {
      submit.disabled = answer() === '';
    });
    form.element.addEventListener('submit', () => {
      const output = { answer: answer() };
      form.run(() => this.#actions.answerTool({ ...call, output }));
    });
    return form.element;
  }
}

/** @param {unknown} input */
function readQuestion(input) {
  const { question, options } = isRecord(input) ? input : {};
  if (typeof question !== 'string') return { question: STRINGS.unreadableQuestion, options: [] };
  return { question, options: Array.isArray(options) ? options.map(String) : [] };
}

/** @param {string} option */
function choice(option) {
  return element(
    'label',
    { class: 'choice' },
    element('input', { type: 'radio', name: ANSWER, value: option }),
    element('span', { dir: 'auto' }, option),
  );
}

function freeAnswer() {
  return element('input', { type: 'text', class: 'input', name: ANSWER, dir: 'auto', 'aria-label': STRINGS.answer });
}

/**
 * @param {Question} question
 * @param {unknown} output
 */
function answered({ question }, output) {
  const asked = element('p', { class: 'asked', dir: 'auto' }, question);
  if (!isRecord(output) || typeof output.answer !== 'string') return [asked];
  return [asked, element('p', {}, `${STRINGS.yourAnswer} `, element('strong', { dir: 'auto' }, output.answer))];
}
