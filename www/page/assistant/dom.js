/**
 * Makes an element. Strings among the children become text nodes: nothing is ever read as HTML.
 *
 * @template {keyof HTMLElementTagNameMap} TAG
 * @param {TAG} tag
 * @param {Record<string, string | boolean>} [attributes] `true` sets an attribute without a value, `false` none
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[TAG]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

/**
 * Makes a button that does not submit a form.
 *
 * @param {string} label
 * @param {() => void} onClick
 * @param {string} [className]
 */
export function button(label, onClick, className = 'button') {
  const made = element('button', { type: 'button', class: className }, label);
  made.addEventListener('click', onClick);
  return made;
}

/**
 * Sets a text only when it is another one, so that live regions and the layout see real changes only. An element
 * without text is hidden.
 *
 * @param {HTMLElement} target
 * @param {string} text
 */
export function showText(target, text) {
  if (target.textContent !== text) target.textContent = text;
  target.hidden = text === '';
}
