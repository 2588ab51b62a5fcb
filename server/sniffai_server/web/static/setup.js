// @ts-check
// Sets up what to study by clicking tiles: a round from its beginning, or the table as it lies now.

import { call } from "./connect.js";
import { fill, h, setAttribute, setText } from "./dom.js";
import { moveName, tileName } from "./names.js";
import { planOf } from "./plans.js";
import { Table } from "./table.js";
import { TILES, picture } from "./tiles.js";
import { say } from "./words.js";

const DEALT = { 2: 7, 3: 6, 4: 5 };

/** All 28 tiles as buttons, in a triangle. */
export class Tray {
  /** @param {(tile: string) => void} pick */
  constructor(pick) {
    this.buttons = new Map(TILES.map((tile) => [tile, h("button", { type: "button", "aria-label": tileName(tile), onclick: () => pick(tile) }, picture(tile, true))]));
    this.element = h("div", { class: "tray", role: "group" }, [...this.buttons.values()]);
  }

  /**
   * @param {(tile: string) => "free" | "chosen" | "gone"} state
   * @param {string} label
   */
  show(state, label) {
    setAttribute(this.element, "aria-label", label);
    for (const [tile, button] of this.buttons) {
      const now = state(tile);
      button.disabled = now === "gone";
      setAttribute(button, "aria-pressed", String(now === "chosen"));
      button.classList.toggle("selected", now === "chosen");
    }
  }
}

/** The form. */
export class Setup {
  /** @param {(view: any) => void} done called with a view that the server holds valid */
  constructor(done) {
    this.done = done;
    this.players = 2;
    this.whole = true;
    /** @type {string[]} */
    this.hand = [];
    /** @type {{tile: string, at: string}[]} */
    this.placements = [];
    this.leader = 0;
    /** @type {number[]} */
    this.sizes = [];
    /** @type {Map<number, Set<number>>} */
    this.voids = new Map();
    this.drawn = "";
    this.picked = "";
    this.tray = new Tray((tile) => this.#hand(tile));
    this.table = new Table((place) => this.#place(place));
    this.stock = new Tray((tile) => this.#pick(tile));
    this.more = h("div", {});
    this.handNote = h("p", { class: "note", role: "status" });
    this.problem = h("ul", { class: "problem", role: "alert" });
    this.scores = h("div", { class: "row" });
    this.laying = h("div", {}, h("h3", {}, say("setup_table")), h("div", { class: "board small" }, this.table.element),
      h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.#undo() }, say("undo"))), this.stock.element);
    const radio = (name, value, label, checked, change) => {
      const input = h("input", { type: "radio", name, id: `${name}-${value}`, checked: checked ? "checked" : null });
      input.addEventListener("change", change);
      return h("label", { for: `${name}-${value}` }, input, h("span", {}, label));
    };
    this.element = h("form", { class: "setup" },
      h("fieldset", { class: "choices" }, h("legend", {}, say("how_many")), [2, 3, 4].map((players) => radio("setup-players", players, say(`players_${players}`), players === 2, () => this.#count(players)))),
      h("fieldset", { class: "choices" }, h("legend", { class: "spaced" }, say("setup_kind")),
        radio("kind", "record", say("setup_record"), true, () => this.#kind(true)), radio("kind", "now", say("setup_now"), false, () => this.#kind(false))),
      h("h3", {}, say("your_hand")), this.handNote, this.tray.element, this.laying, this.more,
      h("h3", {}, say("setup_scores")), this.scores, this.problem,
      h("button", { type: "submit", class: "main large" }, say("setup_done")));
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    this.#count(2);
  }

  #count(players) {
    this.players = players;
    this.hand = [];
    this.placements = [];
    this.sizes = Array(players).fill(DEALT[players]);
    this.voids = new Map();
    this.leader = 0;
    const teams = players === 3 ? 3 : 2;
    fill(this.scores, Array.from({ length: teams }, (_, team) => h("label", {}, say("score_team", { team: players === 4 ? (team ? "1 + 3" : "0 + 2") : team }), " ", h("input", { type: "number", class: "short", step: 5, value: 0 }))));
    this.#draw();
  }

  #kind(whole) {
    this.whole = whole;
    if (whole) this.placements = [];
    this.#draw();
  }

  #hand(tile) {
    if (this.hand.includes(tile)) this.hand = this.hand.filter((other) => other !== tile);
    else if (!this.whole || this.hand.length < DEALT[this.players]) this.hand = [...this.hand, tile].sort();
    if (!this.hand.includes(this.drawn)) this.drawn = "";
    this.#draw();
  }

  #pick(tile) {
    this.picked = this.picked === tile ? "" : tile;
    this.#draw();
  }

  #place(place) {
    const [tile, at] = place.key.split("@");
    this.placements = [...this.placements, { tile, at }];
    this.picked = "";
    this.#draw();
  }

  #undo() {
    this.placements = this.placements.slice(0, -1);
    this.picked = "";
    this.#draw();
  }

  async #draw() {
    const laid = new Set(this.placements.map((move) => move.tile));
    const hand = new Set(this.hand);
    const full = this.whole && this.hand.length >= DEALT[this.players];
    this.tray.show((tile) => (hand.has(tile) ? "chosen" : laid.has(tile) || full ? "gone" : "free"), say("setup_hand"));
    setText(this.handNote, this.whole ? say("setup_hand_count", { have: this.hand.length, need: DEALT[this.players] }) : say("setup_hand_now", { have: this.hand.length }));
    this.laying.hidden = this.whole;
    fill(this.more, this.whole ? this.#leads() : this.#now());
    if (this.whole) return;
    this.stock.show((tile) => (tile === this.picked ? "chosen" : laid.has(tile) || hand.has(tile) ? "gone" : "free"), say("setup_lay"));
    try {
      const { plan, layout } = await planOf(this.placements);
      this.table.show({ plan, layout, last: this.placements.at(-1)?.tile ?? "", name: say("setup_table") });
      this.table.offer(this.picked ? placesFor(this.picked, this.placements, layout, plan) : [], say("places_for", { tile: this.picked ? tileName(this.picked) : "" }));
    } catch (error) {
      fill(this.problem, h("li", {}, /** @type {Error} */ (error).message));
    }
  }

  #leads() {
    const select = h("select", { id: "leader" }, Array.from({ length: this.players }, (_, seat) => h("option", { value: seat, selected: seat === this.leader }, seat ? say("seat", { seat }) : say("you"))));
    select.addEventListener("change", () => (this.leader = Number(select.value)));
    return h("p", {}, h("label", { for: "leader" }, say("setup_leader")), select);
  }

  #now() {
    const others = Array.from({ length: this.players - 1 }, (_, i) => i + 1);
    const held = others.reduce((sum, seat) => sum + this.sizes[seat], 0);
    const talon = 28 - this.placements.length - this.hand.length - held;
    return h("div", {},
      h("h3", {}, say("setup_others")),
      others.map((seat) => {
        const size = h("input", { type: "number", class: "short", min: 1, max: 28, value: this.sizes[seat] });
        size.addEventListener("change", () => {
          this.sizes[seat] = Math.max(1, Number(size.value) || 1);
          this.#draw();
        });
        return h("fieldset", { class: "other" }, h("legend", {}, say("seat", { seat })),
          h("label", {}, say("setup_size"), " ", size),
          h("div", { class: "row", role: "group", "aria-label": say("setup_voids") }, h("span", { class: "note" }, say("setup_voids")), [0, 1, 2, 3, 4, 5, 6].map((suit) => {
            const has = this.voids.get(seat)?.has(suit) ?? false;
            return h("button", { type: "button", class: has ? "selected" : "", "aria-pressed": String(has), onclick: () => {
              const suits = this.voids.get(seat) ?? new Set();
              if (has) suits.delete(suit); else suits.add(suit);
              this.voids.set(seat, suits);
              this.#draw();
            } }, String(suit));
          })));
      }),
      h("p", {}, say("talon_left", { count: talon })),
      this.#drawnTile());
  }

  #drawnTile() {
    const select = h("select", { id: "drawn" }, h("option", { value: "" }, say("none_drawn")), this.hand.map((tile) => h("option", { value: tile, selected: tile === this.drawn }, tileName(tile))));
    select.addEventListener("change", () => (this.drawn = select.value));
    return h("p", {}, h("label", { for: "drawn" }, say("setup_drawn")), select);
  }

  /** The view as it would be sent. */
  get view() {
    const scores = [...this.scores.querySelectorAll("input")].map((input) => Number(/** @type {HTMLInputElement} */ (input).value) || 0);
    const base = { players: this.players, seat: 0, scores, hand: this.hand };
    if (this.whole) return { ...base, record: { leader: this.leader, events: [] } };
    const sizes = this.sizes.map((size, seat) => (seat ? size : this.hand.length));
    const voids = [...this.voids].filter(([seat, suits]) => suits.size && seat < this.players).map(([seat, suits]) => ({ seat, suits: [...suits].sort() }));
    const talonSize = 28 - this.placements.length - sizes.reduce((sum, size) => sum + size, 0);
    return { ...base, snapshot: { placements: this.placements, handSizes: sizes, talonSize, voids, ...(this.drawn ? { drawnTile: this.drawn } : {}) } };
  }

  async #send() {
    const { view } = this;
    fill(this.problem);
    try {
      const answer = await call("RulesService/ValidateView", { view });
      if (answer.valid) return this.done(view);
      fill(this.problem, (answer.violations ?? []).map((violation) => h("li", {}, violation.description)));
    } catch (error) {
      fill(this.problem, h("li", {}, /** @type {Error} */ (error).message));
    }
  }
}

/** Where a tile could be joined to a layout, by its numbers alone. */
export function placesFor(tile, placements, layout, plan) {
  if (!placements.length) return [{ key: `${tile}@`, at: "", points: 0, count: 0, label: tileName(tile) }];
  return (layout.attachmentPoints ?? [])
    .filter((point) => tile.includes(String(point.pips ?? 0)))
    .map((point) => ({ key: `${tile}@${point.name}`, at: point.name, points: 0, count: point.pips ?? 0, label: moveName({ tile, at: point.name }, { layout, plan }) }));
}
