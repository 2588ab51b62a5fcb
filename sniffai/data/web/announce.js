// @ts-check
// What a screen reader says politely when something has changed.

import { h } from "./dom.js";

const region = h("div", { class: "hidden", role: "status", "aria-live": "polite", "aria-atomic": "false" });
document.body.append(region);

/** Says a sentence after those before it. */
export function announce(text) {
  region.append(h("p", {}, text));
  while (region.childElementCount > 6) region.firstElementChild.remove();
}
