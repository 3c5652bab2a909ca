/** @import { SourceDocumentUIPart, SourceUrlUIPart } from 'chatwire' */
import { element } from '../dom.js';
import { linkTarget } from './links.js';

/** A page or a document that an answer rests on. */
export class SourceView {
  element = element('li', { class: 'source' });

  /** @param {SourceUrlUIPart | SourceDocumentUIPart} part */
  update(part) {
    this.element.replaceChildren(part.type === 'source-url' ? page(part) : document(part));
  }
}

/** @param {SourceUrlUIPart} part */
function page({ url, title }) {
  const href = linkTarget(url);
  if (href === undefined) return element('span', { dir: 'auto' }, title || url);
  return element('a', { href, target: '_blank', rel: 'noopener noreferrer', dir: 'auto' }, title || url);
}

/** @param {SourceDocumentUIPart} part */
function document({ title, filename }) {
  return element('span', { dir: 'auto' }, filename && filename !== title ? `${title} (${filename})` : title);
}
