/** @import { FileUIPart, ReasoningFileUIPart } from 'chatwire' */
import { element } from '../dom.js';
import { STRINGS } from '../strings.js';
import { isInlineImage, linkTarget } from './links.js';

/** A file: images are shown, others are linked to where that is harmless. */
export class FileView {
  element = element('div', { class: 'file' });

  /** @param {FileUIPart | ReasoningFileUIPart} part */
  update(part) {
    this.element.replaceChildren(content(part));
  }
}

/** @param {FileUIPart | ReasoningFileUIPart} part */
function content(part) {
  const { url, mediaType } = part;
  const filename = part.type === 'file' ? part.filename : undefined;
  if (isInlineImage(url)) return element('img', { src: url, alt: filename ?? STRINGS.image });

  const name = `${filename ?? STRINGS.file} (${mediaType})`;
  const href = linkTarget(url);
  if (href === undefined) return element('span', { dir: 'auto' }, name);
  return element('a', { href, target: '_blank', rel: 'noopener noreferrer', dir: 'auto' }, name);
}
