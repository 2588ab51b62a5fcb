// @ts-check
// The own hand: tiles as buttons, which are tapped, dragged or reached by keys.

import { h, reconcile, setAttribute } from "./dom.js";
import { picture } from "./tiles.js";

const THRESHOLD = 8; // pixels a finger may tremble

/**
 * What a hand asks of its page.
 * @typedef {object} Owner
 * @property {(tile: string, byKey: boolean) => void} select
 * @property {(tile: string) => void} lift a drag begins
 * @property {(x: number, y: number) => void} drag
 * @property {(x: number, y: number) => void} drop
 * @property {(tile: string, playable: boolean) => string} label
 */

/** A hand. */
export class Hand {
  /** @param {Owner} owner */
  constructor(owner) {
    this.owner = owner;
    this.element = h("div", { class: "hand", role: "group" });
    this.element.addEventListener("keydown", (event) => this.#keyed(event));
    /** @type {{tile: string, x: number, y: number, ghost: HTMLElement | null, id: number} | null} */
    this.held = null;
    this.dragged = false;
    for (const kind of ["pointermove", "pointerup", "pointercancel"]) this.element.addEventListener(kind, (event) => this.#moved(event));
  }

  /**
   * @param {string[]} tiles
   * @param {{playable: Set<string>, selected: string, fresh: string, label: string, waiting: boolean}} state
   */
  show(tiles, { playable, selected, fresh, label, waiting }) {
    const focused = this.element.contains(document.activeElement);
    setAttribute(this.element, "aria-label", label);
    this.element.classList.toggle("waiting", waiting);
    this.element.style.setProperty("--tiles", String(Math.max(tiles.length, 5)));
    this.element.classList.toggle("many", tiles.length > 7);
    reconcile(this.element, tiles, (tile) => tile, (tile) => this.#make(tile), (button, tile) => {
      const fits = playable.has(tile);
      setAttribute(button, "aria-label", this.owner.label(tile, fits));
      setAttribute(button, "aria-pressed", String(tile === selected));
      setAttribute(button, "aria-disabled", fits ? null : "true");
      button.classList.toggle("selected", tile === selected);
      button.classList.toggle("fresh", tile === fresh);
    });
    const buttons = this.#buttons();
    if (buttons.length && !buttons.some((button) => button.tabIndex === 0)) this.#rove(buttons.find((b) => playable.has(b.dataset.key ?? "")) ?? buttons[0]);
    if (focused && !this.element.contains(document.activeElement)) this.focus();
  }

  /** Moves the focus to a tile of the hand. */
  focus(tile = "") {
    const buttons = this.#buttons();
    const wanted = buttons.find((button) => button.dataset.key === tile) ?? buttons.find((button) => !button.hasAttribute("aria-disabled")) ?? buttons[0];
    if (!wanted) return;
    this.#rove(wanted);
    wanted.focus({ preventScroll: true });
  }

  /** Where a tile lies in the window. */
  boxOf(tile) {
    const found = this.#buttons().find((button) => button.dataset.key === tile);
    return this.held?.ghost?.getBoundingClientRect() ?? found?.getBoundingClientRect() ?? null;
  }

  #make(tile) {
    const button = h("button", { type: "button", tabindex: -1 }, picture(tile));
    button.addEventListener("click", (event) => {
      if (this.dragged) return;
      this.#rove(button);
      this.owner.select(tile, event.detail === 0);
    });
    button.addEventListener("pointerdown", (event) => {
      this.dragged = false;
      if (event.button !== 0 || button.hasAttribute("aria-disabled")) return;
      this.held = { tile, x: event.clientX, y: event.clientY, ghost: null, id: event.pointerId };
    });
    return button;
  }

  #moved(event) {
    const held = this.held;
    if (!held || event.pointerId !== held.id) return;
    if (event.type === "pointermove") {
      if (!held.ghost) {
        if (Math.hypot(event.clientX - held.x, event.clientY - held.y) < THRESHOLD) return;
        this.dragged = true;
        this.element.setPointerCapture(held.id);
        held.ghost = document.body.appendChild(h("div", { class: "ghost", "aria-hidden": "true" }, picture(held.tile)));
        this.owner.lift(held.tile);
      }
      /** @type {HTMLElement} */ (held.ghost).style.transform = `translate(${event.clientX}px, ${event.clientY}px) translate(-50%, -60%)`;
      this.owner.drag(event.clientX, event.clientY);
      return;
    }
    if (held.ghost && event.type === "pointerup") this.owner.drop(event.clientX, event.clientY);
    held.ghost?.remove();
    this.held = null;
  }

  #keyed(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const buttons = this.#buttons();
    const here = buttons.indexOf(/** @type {any} */ (document.activeElement));
    if (here < 0) return;
    event.preventDefault();
    const next = buttons[(here + step + buttons.length) % buttons.length];
    this.#rove(next);
    next.focus();
  }

  #rove(button) {
    for (const other of this.#buttons()) other.tabIndex = other === button ? 0 : -1;
  }

  #buttons() {
    return /** @type {HTMLElement[]} */ ([...this.element.children]);
  }
}
