// @ts-check
// A quiz: positions in which the player erred, to be solved again.

import { announce } from "./announce.js";
import { call } from "./connect.js";
import { legalOf, viewAt } from "./course.js";
import { fill, h } from "./dom.js";
import { Moves } from "./moves.js";
import { moveName, teamOf } from "./names.js";
import { ranking, reasons } from "./ranking.js";
import { language, say } from "./words.js";

/** For a move that the review has not judged. */
const SIMULATIONS = "20000";

/** Whether a move is one that was judged; equal attachment points lead to the same future. */
const same = (move, evaluation) => evaluation && move.tile === evaluation.move.tile
  && (move.at === (evaluation.move.at ?? "") || (evaluation.equalPoints ?? []).includes(move.at));

/** Questions one after the other, beside a replay. */
export class Quiz {
  /**
   * @param {import("./replay.js").Replay} replay
   * @param {() => void} left
   */
  constructor(replay, left) {
    this.replay = replay;
    this.left = left;
    /** @type {any[]} decisions of the review; none while there is no quiz */
    this.questions = [];
    this.number = 0;
    this.found = 0;
    this.asked = false;
    this.moves = new Moves((move) => this.#answer(move));
    this.element = h("div", { class: "quiz" });
  }

  get on() {
    return this.questions.length > 0;
  }

  /** @param {any[]} questions decisions that were mistakes */
  begin(questions) {
    [this.questions, this.number, this.found] = [questions, 0, 0];
    this.#ask();
  }

  end() {
    this.questions = [];
    this.replay.walk(-1);
    this.left();
  }

  /** Shows the question once the table shows its position. */
  async draw() {
    const { replay, number } = this;
    const decision = this.questions[number];
    if (!decision || this.asked || replay.stage !== (decision.round ?? 0) || replay.count !== (decision.event ?? 0)) return;
    const seat = decision.seat ?? 0;
    this.view = viewAt(replay.stages[replay.stage], replay.count, seat);
    const { layout, plan } = replay;
    this.asked = true;
    const answer = await call("RulesService/ListLegalMoves", { view: this.view });
    if (decision !== this.questions[this.number]) return;
    this.moves.show(legalOf(answer), { layout, plan });
    fill(this.element, this.#head(), h("p", { class: "lead" }, say("quiz_ask")), this.moves.element, this.#leave());
  }

  #head() {
    return h("h2", { tabindex: -1 }, say("quiz_title", { number: this.number + 1, count: this.questions.length }));
  }

  #leave() {
    return h("button", { type: "button", class: "quiet", onclick: () => this.end() }, say("quiz_leave"));
  }

  #ask() {
    this.asked = false;
    const decision = this.questions[this.number];
    if (!decision) {
      const result = say("quiz_end", { found: this.found, count: this.questions.length });
      fill(this.element, h("h2", {}, say("quiz_over")), h("p", { class: "lead" }, result),
        h("div", { class: "row" }, h("button", { type: "button", class: "main", onclick: () => this.begin(this.questions) }, say("quiz_again")), this.#leave()));
      announce(result);
      return;
    }
    fill(this.element, this.#head());
    this.replay.walk(decision.seat ?? 0);
    this.replay.go(decision.round ?? 0, decision.event ?? 0, true);
  }

  async #answer(move) {
    const { number, replay, view } = this;
    const decision = this.questions[number];
    const table = { layout: replay.layout, plan: replay.plan };
    const team = teamOf(view.players, decision.seat ?? 0);
    const right = same(move, decision.best);
    if (right) this.found += 1;
    const verdict = say(right ? "quiz_right" : same(move, decision.playedEvaluation) ? "quiz_same" : "quiz_other", { move: moveName(move, table) });
    announce(verdict);
    const next = h("button", { type: "button", class: "main", onclick: () => { this.number += 1; this.#ask(); } }, say("quiz_next"));
    const values = h("div", { "aria-busy": "false" });
    const shown = [decision.best, decision.playedEvaluation].filter(Boolean);
    fill(this.element, this.#head(), h("p", { class: "lead", role: "status" }, verdict), values,
      reasons({ moves: [{ reasons: decision.reasons ?? [] }] }, say("better_why")), h("div", { class: "row" }, next, this.#leave()));
    next.focus({ preventScroll: true });
    if (right || same(move, decision.playedEvaluation)) {
      fill(values, ranking({ moves: shown, action: "ACTION_PLAY" }, { team, table, played: decision.played }));
      return;
    }
    fill(values, h("p", { class: "note" }, say("quiz_searching")));
    values.setAttribute("aria-busy", "true");
    try {
      const request = { view, limits: { simulations: SIMULATIONS }, includeMoves: [decision.best.move, move], languageCode: language() };
      const { analysis } = await call("AnalysisService/Analyze", request, { timeout: 30_000 });
      fill(values, ranking(analysis, { team, table, played: decision.played }));
    } catch (error) {
      fill(values, h("p", { class: "problem" }, /** @type {Error} */ (error).message));
    }
    values.setAttribute("aria-busy", "false");
  }
}
