// @ts-check
// The reader's chance to win the match, decision by decision, from what was known then.

import { call } from "./connect.js";
import { chart } from "./chart.js";
import { fill, h, setText } from "./dom.js";
import { seatName, teamOf } from "./names.js";
import { valueOf } from "./ranking.js";
import { percent, say } from "./words.js";

const SIMULATIONS = 4000;

/** A tab that draws the chances of a match. */
export class Chances {
  /** @param {() => object} who what a request of the seat holds */
  constructor(who) {
    this.who = who;
    /** @type {Map<string, {round: number, chance: number, error: number}>} by round and number of events */
    this.known = new Map();
    this.button = h("button", { type: "button", class: "main", onclick: () => this.#fill() });
    this.note_ = h("p", { class: "note" });
    this.body = h("div", {});
    this.element = h("div", {}, this.body, h("div", { class: "row" }, this.button), this.note_);
  }

  /** Keeps the answer to a hint. */
  note(view, analysis) {
    this.#keep(view.round, (view.view?.record?.events ?? []).length, analysis, teamOf(view.seats.length, view.seat));
    this.#draw();
  }

  open(shown) {
    this.shown = shown;
    const allowed = shown.view ? shown.view.hints : true;
    this.button.hidden = !allowed;
    setText(this.button, say("chances_fill"));
    setText(this.note_, allowed ? say("chances_note") : say("no_hints"));
    this.#draw();
  }

  #keep(round, events, analysis, team) {
    const best = (analysis.moves ?? [])[0];
    const value = best && valueOf(best, team);
    if (value) this.known.set(`${round}.${events}`, { round, chance: value.winProbability ?? 0, error: value.winProbabilityError ?? 0 });
  }

  async #fill() {
    if (this.busy || !this.shown) return;
    this.busy = true;
    try {
      const record = await call("MatchService/ExportRecord", this.who());
      for (const [round, view] of (record.views ?? []).entries()) {
        const seat = view.seat ?? 0;
        const events = view.record?.events ?? [];
        for (const [i, event] of events.entries()) {
          if ((event.seat ?? 0) !== seat || !event.play || this.known.has(`${round}.${i}`)) continue;
          const before = { ...view, record: { ...view.record, events: events.slice(0, i) } };
          const answer = await call("AnalysisService/Analyze", { view: before, limits: { simulations: SIMULATIONS } });
          this.#keep(round, i, answer.analysis ?? {}, teamOf(view.players, seat));
          this.#draw();
        }
      }
    } catch (error) {
      setText(this.note_, /** @type {Error} */ (error).message);
    } finally {
      this.busy = false;
    }
  }

  #draw() {
    const { shown } = this;
    if (!shown) return;
    const keys = [...this.known.keys()].sort((one, other) => {
      const [[round, event], [round2, event2]] = [one, other].map((key) => key.split(".").map(Number));
      return round - round2 || event - event2;
    });
    if (!keys.length) return fill(this.body, h("p", { class: "note" }, say("chances_empty")));
    const points = keys.map((key, x) => ({ ...this.known.get(key), x })).map((point) => ({ ...point, title: `${percent(point.chance ?? 0)} ± ${percent(point.error ?? 0)}` }));
    const rounds = points.filter((point, i) => i === 0 || point.round !== points[i - 1].round).map((point) => ({ x: point.x, label: say("round_short", { round: (point.round ?? 0) + 1 }) }));
    const last = points.at(-1);
    fill(this.body, chart([{ label: seatName(shown.seats, shown.seat, shown.seat), seat: shown.seat, points: /** @type {any} */ (points) }],
      { rounds, length: Math.max(points.length - 1, 1), label: say("chances_label", { chance: percent(last?.chance ?? 0) }) }));
  }
}
