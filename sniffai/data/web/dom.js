// @ts-check
// Elements, made without a template language: text is always text, never markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element.
 * @param {string} tag
 * @param {Record<string, any>} props attributes; on… are listeners, false and null are left out
 * @param {...any} children elements and text; null is left out, arrays are spread
 * @returns {any}
 */
export function h(tag, props = {}, ...children) {
  return filled(document.createElement(tag), props, children);
}

/** An SVG element: as {@link h}. @returns {any} */
export function s(tag, props = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), props, children);
}

function filled(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Replaces what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Sets the text of an element, only if it is another one: screen readers announce changes. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Sets or removes an attribute. */
export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value === true ? "" : String(value));
}

/**
 * Brings the children of an element in line with a list, by key: what stays keeps its focus.
 * @param {Element} parent
 * @param {any[]} items
 * @param {(item: any) => string} keyOf
 * @param {(item: any) => Element} make
 * @param {(element: any, item: any) => void} update
 */
export function reconcile(parent, items, keyOf, make, update) {
  const before = new Map([...parent.children].map((child) => [/** @type {any} */ (child).dataset.key, child]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let element = before.get(key);
    before.delete(key);
    if (!element) {
      element = make(item);
      /** @type {any} */ (element).dataset.key = key;
      parent.insertBefore(element, place);
    } else if (element === place) {
      place = place.nextElementSibling;
    } else {
      parent.insertBefore(element, place);
    }
    update(element, item);
  }
  for (const element of before.values()) element.remove();
}

/** Whether the reader wants little motion. */
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @param {number} milliseconds */
export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
