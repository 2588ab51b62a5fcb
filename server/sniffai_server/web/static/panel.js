// @ts-check
// A panel with tabs: beside the table where there is room, else a sheet over its lower part.

import { h, setAttribute, setText } from "./dom.js";
import { say } from "./words.js";

/** @typedef {{id: string, label: () => string, body: HTMLElement, icon?: string}} Tab */

export class Panel {
  /**
   * @param {Tab[]} tabs
   * @param {(id: string) => void} opened
   */
  constructor(tabs, opened = () => {}) {
    this.tabs = tabs;
    this.opened = opened;
    this.list = h("div", { class: "tabs", role: "tablist" });
    this.close = h("button", { type: "button", class: "quiet close" }, "✕");
    this.close.addEventListener("click", () => this.hide());
    this.sheet = h("div", { class: "sheet" }, this.close, tabs.map((tab) => tab.body));
    this.element = h("div", { class: "panel" }, this.list, this.sheet);
    for (const tab of tabs) {
      tab.body.id = `tab-${tab.id}-body`;
      setAttribute(tab.body, "role", "tabpanel");
      setAttribute(tab.body, "aria-labelledby", `tab-${tab.id}`);
      tab.body.classList.add("tabbody");
      const button = h("button", { type: "button", role: "tab", id: `tab-${tab.id}`, "aria-controls": tab.body.id }, h("span"));
      button.addEventListener("click", () => (this.open === tab.id && this.floating ? this.hide() : this.show(tab.id)));
      this.list.append(button);
    }
    this.list.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      const buttons = [...this.list.children];
      const next = buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length];
      this.show(next.id.slice(4));
      next.focus();
    });
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.floating || !this.open) return;
      event.stopPropagation();
      const button = document.getElementById(`tab-${this.open}`);
      this.hide();
      button?.focus();
    });
    this.open = "";
    this.words();
    this.#update();
  }

  /** Whether the panel lies over the table, as on a phone. */
  get floating() {
    return matchMedia("(max-width: 899px)").matches;
  }

  words() {
    setAttribute(this.list, "aria-label", say("panel"));
    setAttribute(this.close, "aria-label", say("close"));
    for (const tab of this.tabs) setText(document.getElementById(`tab-${tab.id}`) ?? this.list.children[this.tabs.indexOf(tab)], tab.label());
  }

  show(id) {
    this.open = id;
    this.#update();
    this.opened(id);
  }

  hide() {
    this.open = "";
    this.#update();
  }

  #update() {
    for (const [i, tab] of this.tabs.entries()) {
      const on = tab.id === this.open;
      tab.body.hidden = !on;
      const button = this.list.children[i];
      setAttribute(button, "aria-selected", String(on));
      /** @type {HTMLElement} */ (button).tabIndex = on || (!this.open && i === 0) ? 0 : -1;
    }
    this.sheet.hidden = !this.open;
  }
}
