/** @import { DataUIPart, UIDataTypes } from 'chatwire' */
import { element, showText } from '../dom.js';
import { STRINGS } from '../strings.js';
import { JsonDetails } from './json.js';
import { isRecord } from './values.js';

/** Number of fields up to which a simple object is shown as a list of them. */
const MAX_FIELDS = 8;

/** The app's own data: a few simple fields are listed, anything else is shown as JSON. */
export class DataView {
  #name = element('span', { class: 'card-title' });
  #fields = element('dl', { class: 'fields' });
  #json = new JsonDetails(STRINGS.data);
  element = element('div', { class: 'card data', role: 'group' }, this.#name, this.#fields, this.#json.element);

  /** @param {DataUIPart<UIDataTypes>} part */
  update({ type, data }) {
    const name = type.slice('data-'.length);
    showText(this.#name, name);
    this.element.setAttribute('aria-label', `${STRINGS.data}: ${name}`);
    const fields = simpleFields(data);
    this.#fields.hidden = fields.length === 0;
    this.#fields.replaceChildren(
      ...fields.map(([label, value]) =>
        element('div', {}, element('dt', {}, label), element('dd', { dir: 'auto' }, String(value))),
      ),
    );
    this.#json.set(fields.length > 0 ? undefined : data);
  }
}

/** The fields of an object of a few simple values; none for anything else. @param {unknown} data */
function simpleFields(data) {
  const fields = isRecord(data) ? Object.entries(data) : [];
  const isSimple = fields.length <= MAX_FIELDS && fields.every(([, value]) => typeof value !== 'object');
  return isSimple ? fields : [];
}
