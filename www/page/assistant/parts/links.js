const LINK_PROTOCOLS = new Set(['http:', 'https:', 'mailto:']);

const INLINE_IMAGE = /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/i;

/**
 * The address to link to, if it is of a harmless kind.
 *
 * @param {string} url from the conversation, so from anyone
 * @returns {string | undefined} undefined when it must not become a link
 */
export function linkTarget(url) {
  const target = URL.parse(url);
  return target !== null && LINK_PROTOCOLS.has(target.protocol) ? target.href : undefined;
}

/**
 * Whether an image may be loaded. Only those that carry their own content are: a request to another server could be
 * made to carry the conversation out.
 *
 * @param {string} url
 */
export function isInlineImage(url) {
  return INLINE_IMAGE.test(url);
}
