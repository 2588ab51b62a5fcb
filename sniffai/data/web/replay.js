// @ts-check
// A course on the table, with controls to walk through it.

import { fill, h, reconcile, setAttribute, setText } from "./dom.js";
import { line, sentence } from "./log.js";
import { effectName, moveName, seatName, shortName, sumText, swatch, teamName, tileName } from "./names.js";
import { planOf } from "./plans.js";
import { stateAt } from "./course.js";
import { picture } from "./tiles.js";
import { Table } from "./table.js";
import { announce } from "./announce.js";
import { say } from "./words.js";

/** A walk through stages. */
export class Replay {
  /**
   * @param {{moved: (replay: Replay) => void, choose?: (place: any) => void, pick?: (tile: string, seat: number) => void}} owner
   */
  constructor(owner) {
    this.owner = owner;
    /** @type {import("./course.js").Stage[]} */
    this.stages = [];
    this.stage = 0;
    /** Whether the table shows the place of the course. */
    this.settled = false;
    this.count = 0;
    this.seats = /** @type {any[]} */ ([]);
    this.own = -1;
    /** The one seat whose tiles are shown; -1 for all that are known. */
    this.only = -1;
    /** Whether only what the seat to move knew is shown. */
    this.veiled = false;
    /** @type {any} */
    this.state = null;
    this.plan = {};
    this.layout = {};
    this.table = new Table((place) => owner.choose?.(place));
    this.scores = h("p", { class: "scoreline" });
    this.event = h("div", { class: "event" });
    this.hands = h("div", { class: "hands" });
    this.rounds = h("select", {});
    this.rounds.addEventListener("change", () => this.go(Number(this.rounds.value), 0));
    this.slider = h("input", { type: "range", min: 0, step: 1 });
    this.slider.addEventListener("input", () => this.go(this.stage, Number(this.slider.value)));
    const button = (sign, step) => h("button", { type: "button", onclick: step }, h("span", { "aria-hidden": "true" }, sign));
    this.buttons = [
      button("|◀", () => this.go(this.stage, 0)), button("◀", () => this.step(-1)),
      button("▶", () => this.step(1)), button("▶|", () => this.go(this.stage, this.stages[this.stage]?.events.length ?? 0))];
    this.controls = h("div", { class: "controls" }, this.rounds, this.buttons.slice(0, 2), this.slider, this.buttons.slice(2));
    this.element = h("div", { class: "replay" }, this.scores, h("div", { class: "board" }, this.table.element), this.event, this.controls, this.hands);
    this.element.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step || event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.target.closest?.(".places, .hands")) return;
      event.preventDefault();
      this.step(step);
    });
  }

  /**
   * @param {import("./course.js").Stage[]} stages
   * @param {any[]} seats SeatInfo by seat
   * @param {number} own
   */
  load(stages, seats, own, stage = 0, count = 0) {
    this.stages = stages;
    this.seats = seats;
    this.own = own;
    ["first", "before", "after_step", "last_step"].forEach((key, i) => setAttribute(this.buttons[i], "aria-label", say(key)));
    setAttribute(this.slider, "aria-label", say("step"));
    setAttribute(this.rounds, "aria-label", say("round"));
    this.rounds.hidden = stages.length < 2;
    fill(this.rounds, stages.map((_, i) => h("option", { value: i }, say("round_short", { round: i + 1 }))));
    return this.go(stage, count, true);
  }

  /** Shows what one seat knows, and lets nobody walk off; -1 ends that. */
  walk(only) {
    this.only = only;
    this.controls.hidden = only >= 0;
    if (only < 0 && this.settled) this.draw(true);
  }

  /** Shows what the seat to move knew, or all that is known. */
  veil(on) {
    this.veiled = on;
    if (!this.settled) return;
    this.draw(true);
    this.owner.moved(this);
  }

  /**
   * Shows the table as another move would leave it; the walk stays where it is.
   * @param {{move: any, pointsNow?: number, countAfter?: number}} evaluation
   * @param {string} more what else is said of it
   */
  async attempt(evaluation, more = "") {
    const { state, layout, plan } = this;
    const { move } = evaluation;
    const found = await planOf([...state.placements, { tile: move.tile, at: move.at ?? "" }]);
    if (this.state !== state) return;
    const name = moveName(move, { layout, plan });
    const what = [effectName(evaluation), more].filter(Boolean).join(say("comma"));
    this.table.offer([], "");
    this.table.show({ ...found, last: move.tile, name });
    fill(this.event, h("p", { class: "line" }, say("what_if", { move: name, what })));
    announce(say("what_if", { move: name, what }));
  }

  step(by) {
    if (this.only >= 0) return undefined;
    const { events } = this.stages[this.stage] ?? { events: [] };
    const next = this.count + by;
    if (next > events.length && this.stage + 1 < this.stages.length) return this.go(this.stage + 1, 0);
    if (next < 0 && this.stage > 0) return this.go(this.stage - 1, this.stages[this.stage - 1].events.length);
    return this.go(this.stage, Math.max(0, Math.min(events.length, next)));
  }

  /** Goes to a place of the course. */
  async go(stage, count, quiet = false) {
    const there = this.stages[stage];
    if (!there) return;
    [this.stage, this.count] = [stage, count];
    this.settled = false;
    this.state = stateAt(there, count);
    const { state } = this;
    try {
      Object.assign(this, await planOf(state.placements));
    } catch {
      return;
    }
    if (this.state !== state) return;
    this.rounds.value = String(stage);
    this.slider.max = String(there.events.length);
    this.slider.value = String(count);
    this.slider.setAttribute("aria-valuetext", say("step_of", { step: count, steps: there.events.length }));
    this.settled = true;
    this.draw(quiet);
    this.owner.moved(this);
  }

  draw(quiet = false) {
    const { state, layout, seats, own } = this;
    const there = this.stages[this.stage];
    const last = state.last?.play?.tile ?? "";
    const names = state.placements.map((move) => tileName(move.tile)).join(say("comma"));
    this.table.offer([], "");
    this.table.show({ plan: this.plan, layout, last, name: state.placements.length ? say("table_name", { tiles: names, sum: sumText(layout) }) : say("table_empty") });
    const ended = this.count === there.events.length && there.after;
    const scores = ended ? (there.after ?? []) : state.scores;
    fill(this.scores, scores.map((points, team) => h("span", {}, teamName(seats, team, own), " ", h("b", {}, String(points).replace("-", "−")))),
      h("span", {}, say("talon_left", { count: state.talon })));
    const knows = this.only >= 0 ? this.only : this.veiled ? (state.toMove ?? -1) : -1;
    const hides = (seat) => knows >= 0 && seat !== knows;
    const entry = entryOf(state.last, layout);
    if (entry?.kind === "draw" && hides(entry.seat)) entry.tiles = [];
    fill(this.event, entry ? line(entry, seats, own) : h("p", { class: "line" }, leadText(there.leader, seats, own)));
    if (ended && (there.settlement ?? []).length) this.event.append(h("p", { class: "note" }, say("settled", { costs: (there.settlement ?? []).map((cost, seat) => `${seatName(seats, seat, own)} ${cost ? `−${cost}` : "0"}`).join(say("comma")) })));
    if (!quiet && entry) announce(sentence(entry, seats, own));
    reconcile(this.hands, state.hands.map((hand, seat) => ({ hand, seat })), ({ seat }) => String(seat),
      () => h("div", { class: "openhand", role: "group" }, h("p", {}), h("div", { class: "tiles" })),
      (element, { hand, seat }) => {
        element.classList.toggle("turn", state.toMove === seat);
        setAttribute(element, "aria-label", say("hand_of", { name: seatName(seats, seat, own) }));
        fill(element.firstChild, swatch(seat, seats.length, own), " ", shortName(seats, seat, own), " ", h("span", { class: "note" }, say("tiles", { count: state.sizes[seat] })));
        fill(element.lastChild, (hides(seat) ? [] : hand ?? []).map((tile) => this.#tile(tile, seat)));
      });
  }

  /** Which tiles can be picked, and which one is. */
  mark(playable, selected) {
    for (const button of this.hands.querySelectorAll("button")) {
      const tile = button.dataset.tile;
      button.disabled = !playable.has(tile);
      button.classList.toggle("selected", tile === selected);
      button.setAttribute("aria-pressed", String(tile === selected));
    }
  }

  #tile(tile, seat) {
    const pick = this.owner.pick;
    const button = h(pick ? "button" : "span", pick ? { type: "button", "data-tile": tile, "aria-label": tileName(tile), disabled: true } : { role: "img", "aria-label": tileName(tile) }, picture(tile));
    if (pick) button.addEventListener("click", () => pick(tile, seat));
    return button;
  }
}

function entryOf(event, layout) {
  if (!event) return null;
  const seat = event.seat ?? 0;
  if (event.play) return { id: 0, kind: "play", seat, tile: event.play.tile, at: event.play.at ?? "", points: event.play.points ?? 0, sniff: layout.sniff ?? "", sum: sumText(layout) };
  if (event.draw) return { id: 0, kind: "draw", seat, count: event.draw.count ?? event.draw.tiles?.length ?? 1, tiles: event.draw.tiles ?? [] };
  return { id: 0, kind: "pass", seat };
}

const leadText = (leader, seats, own) => (leader === own ? say("you_lead_now") : say("leads_now", { name: seatName(seats, leader, own) }));

/** Seats without players: a person at each. */
export const plainSeats = (players, names = []) => Array.from({ length: players }, (_, seat) => ({ name: names[seat] ?? "", level: "" }));

