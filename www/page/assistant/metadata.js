import { element, showText } from './dom.js';
import { JsonDetails } from './parts/json.js';
import { isRecord } from './parts/values.js';
import { STRINGS } from './strings.js';

/** What the server says about a message: the model and the token usage in one line, anything else as JSON. */
export class MetadataView {
  element = element('div', { class: 'metadata', hidden: true });
  #line = element('span', { class: 'usage', hidden: true });
  #rest = new JsonDetails(STRINGS.metadata);
  /** @type {unknown} */
  #shown;

  constructor() {
    this.element.append(this.#line, this.#rest.element);
  }

  /** @param {unknown} metadata */
  update(metadata) {
    if (metadata === this.#shown) return;
    this.#shown = metadata;
    const { line, rest } = describe(metadata);
    showText(this.#line, line);
    this.#rest.set(rest);
    this.element.hidden = line === '' && rest === undefined;
  }
}

/** @param {unknown} metadata */
function describe(metadata) {
  if (!isRecord(metadata)) return { line: '', rest: metadata };
  const { model, usage, ...rest } = metadata;
  const facts = [];
  if (typeof model === 'string') facts.push(model);
  if (isRecord(usage)) {
    const number = new Intl.NumberFormat();
    if (typeof usage.inputTokens === 'number') facts.push(`${number.format(usage.inputTokens)} ${STRINGS.tokensIn}`);
    if (typeof usage.outputTokens === 'number') facts.push(`${number.format(usage.outputTokens)} ${STRINGS.tokensOut}`);
  }
  return { line: facts.join(' · '), rest: Object.keys(rest).length > 0 ? rest : undefined };
}
