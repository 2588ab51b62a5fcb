// @ts-check
// An analysis that sharpens while one looks: a stream of answers, each better than the one before.

import { announce } from "./announce.js";
import { Beliefs } from "./belief.js";
import { CallError, stream } from "./connect.js";
import { fill, h, setText } from "./dom.js";
import { seatName, teamOf } from "./names.js";
import { bestSentence, contrast, effort, ranking, reasons } from "./ranking.js";
import { set, setting } from "./store.js";
import { language, percent, say } from "./words.js";

const TIMES = [1, 3, 10, 30];

/** The panel of an analysis. */
export class Thinking {
  /** @param {(move: any) => void} pick called with a move of the list */
  constructor(pick) {
    this.pick = pick;
    /** @type {AbortController | null} */
    this.running = null;
    this.button = h("button", { type: "button", class: "main", onclick: () => (this.running ? this.stop() : this.start()) });
    this.time = h("select", { id: "time" }, TIMES.map((seconds) => h("option", { value: seconds, selected: setting("seconds", 3) === seconds }, say("seconds", { count: seconds }))));
    this.time.addEventListener("change", () => set("seconds", Number(this.time.value)));
    this.open = h("input", { type: "checkbox", id: "open" });
    this.open.addEventListener("change", () => this.target && this.start());
    this.openLabel = h("label", { for: "open", class: "check" }, this.open, h("span", {}, say("all_known")));
    this.auto = h("input", { type: "checkbox", id: "auto" });
    this.auto.checked = setting("auto", true);
    this.auto.addEventListener("change", () => set("auto", this.auto.checked));
    this.careless = h("input", { type: "checkbox", id: "careless" });
    this.careless.checked = setting("careless", false);
    this.careless.addEventListener("change", () => {
      set("careless", this.careless.checked);
      if (this.target) this.start();
    });
    this.carelessLabel = h("label", { for: "careless", class: "check" }, this.careless, h("span", {}, say("against_careless")));
    this.body = h("div", { "aria-busy": "false" });
    this.beliefs = new Beliefs();
    this.belief = h("details", { class: "card-details" }, h("summary", {}, say("hidden_tiles")), this.beliefs.element);
    this.element = h("div", { class: "thinking" },
      h("div", { class: "row" }, this.button, h("label", { for: "time", class: "hidden" }, say("think_for")), this.time,
        h("label", { for: "auto", class: "check" }, this.auto, h("span", {}, say("at_once")))),
      this.openLabel, this.carelessLabel, this.body, this.belief);
    /** @type {any} */
    this.target = null;
    this.#words();
  }

  /**
   * What to analyse from now on; null for nothing.
   * @param {{view: any, deal: any, seat: number, seats: any[], own: number, table: any} | null} target
   */
  aim(target) {
    this.stop();
    this.target = target;
    this.openLabel.hidden = !target?.deal;
    this.button.hidden = !target;
    this.belief.hidden = true;
    fill(this.body, target ? null : h("p", { class: "note" }, say("nothing_to_judge")));
    if (target && this.auto.checked) this.start();
  }

  async start() {
    const { target } = this;
    if (!target) return;
    this.stop();
    const run = new AbortController();
    this.running = run;
    this.#words();
    this.body.setAttribute("aria-busy", "true");
    const open = this.open.checked && target.deal;
    const position = open ? { deal: target.deal } : { view: target.view, careless: this.careless.checked };
    const request = { ...position, limits: { time: `${this.time.value}s` }, languageCode: language(), reportInterval: "0.25s" };
    try {
      for await (const { analysis } of stream("AnalysisService/StreamAnalyze", request, { signal: run.signal })) {
        if (this.running !== run) return;
        this.#draw(analysis, target);
        if (analysis.final) announce(bestSentence(analysis, teamOf(target.seats.length, target.seat), target.table));
      }
    } catch (error) {
      if (run.signal.aborted) return;
      fill(this.body, h("p", { class: "problem", role: "alert" }, error instanceof CallError ? error.message : String(error)));
    } finally {
      if (this.running === run) {
        this.running = null;
        this.body.setAttribute("aria-busy", "false");
        this.#words();
      }
    }
  }

  stop() {
    this.running?.abort();
    this.running = null;
    this.#words();
  }

  #draw(analysis, { seats, seat, own, table }) {
    const team = teamOf(seats.length, seat);
    const value = (analysis.rootValues ?? []).find((one) => (one.team ?? 0) === team);
    const focused = document.activeElement?.closest?.(".ranking button");
    const place = focused ? [...this.body.querySelectorAll(".ranking button")].indexOf(focused) : -1;
    fill(this.body,
      value ? h("p", { class: "lead" }, say("chance_now", { name: seatName(seats, seat, own), chance: percent(value.winProbability ?? 0), error: percent(value.winProbabilityError ?? 0) })) : null,
      ranking(analysis, { team, table, pick: this.pick }), reasons(analysis), contrast(analysis),
      h("p", { class: "note" }, effort(analysis)));
    if (place >= 0) this.body.querySelectorAll(".ranking button")[place]?.focus();
    const belief = analysis.belief && !(this.open.checked && this.target?.deal);
    this.belief.hidden = !belief;
    if (belief) this.beliefs.show(analysis, { names: seats.map((_, other) => seatName(seats, other, own)), own: seat });
  }

  #words() {
    setText(this.button, this.running ? say("stop") : say("analyse"));
    this.button.classList.toggle("busy", Boolean(this.running));
  }
}
