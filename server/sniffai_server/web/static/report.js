// @ts-check
// The report of a review inside this page: its styles stay its own, and nothing in it can run.

import { h } from "./dom.js";

/**
 * The report as an element.
 * @param {string} page the HTML document
 * @param {(round: number, event: number) => void} show called when a link to a placement is followed, with numbers from 0
 */
export function embed(page, show) {
  // The page's policy refuses styles inside HTML, so they are taken out before it is parsed, and set by script.
  const styles = /** @type {string[]} */ ([]);
  const plain = page
    .replace(/<style>([^]*?)<\/style>/g, (_, style) => (styles.push(style), ""))
    .replace(/ style="([^"<>]*)"/g, ' data-style="$1"');
  const parsed = new DOMParser().parseFromString(plain, "text/html");
  const host = h("div", { class: "report" });
  const main = parsed.querySelector("main");
  if (!main) return host;
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  // The colours are those of this page, so that a choice of light or dark holds here, too.
  sheet.replaceSync(`${styles.join("\n").replace(/:root[^{]*\{[^}]*\}/g, "")}\n:host { display: block; } main { padding: 0; max-width: none; }`);
  root.adoptedStyleSheets = [sheet];
  for (const element of main.querySelectorAll("script, link, iframe, object, embed, h1, .saved")) element.remove();
  root.append(restyled(main));
  root.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest("a");
    const name = link?.getAttribute("href") ?? "";
    if (!name.startsWith("#")) return;
    event.preventDefault();
    const [round, place] = (name.match(/\d+/g) ?? []).map(Number);
    const target = root.querySelector(`[id="${CSS.escape(name.slice(1))}"]`);
    target?.setAttribute("open", "");
    if (round !== undefined && place !== undefined) show(round - 1, place - 1);
    else target?.scrollIntoView({ block: "start" });
  });
  return host;
}

/** A copy with its styles set one by one. */
function restyled(main) {
  const copy = document.importNode(main, true);
  for (const element of copy.querySelectorAll("[data-style]")) {
    for (const rule of element.dataset.style.split(";")) {
      const [name, value] = rule.split(":").map((part) => part.trim());
      if (name && value) element.style.setProperty(name, value);
    }
    element.removeAttribute("data-style");
  }
  return copy;
}
