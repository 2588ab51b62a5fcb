// @ts-check
// What a review says about one placement, beside a replay of the match.

import { Beliefs } from "./belief.js";
import { fill, h } from "./dom.js";
import { moveName, seatName, teamOf } from "./names.js";
import { ranking, reasons, valueOf } from "./ranking.js";
import { percent, say } from "./words.js";

/** The classes of placements that are named, by the wire's names. */
export const CLASS = { VERDICT_DOUBTFUL: "doubtful", VERDICT_ERROR: "error", VERDICT_BLUNDER: "blunder" };

/** A panel about the placement that comes next in a replay. */
export class Judged {
  /** @param {import("./replay.js").Replay} replay */
  constructor(replay) {
    this.replay = replay;
    this.knew = h("input", { type: "checkbox" });
    this.knew.addEventListener("change", () => replay.veil(this.knew.checked));
    /** Whether the hidden tiles were looked at: they stay open from placement to placement. */
    this.opened = false;
    this.body = h("div", {});
    this.element = h("div", { class: "judged" }, h("label", { class: "check" }, this.knew, h("span", {}, say("only_known"))), this.body);
  }

  /** @param {any} decision of the placement that comes next, or undefined */
  show(decision) {
    const { replay } = this;
    const { seats, own } = replay;
    const next = replay.stages[replay.stage]?.events[replay.count];
    if (!next?.play || !decision) {
      fill(this.body, h("p", { class: "note" }, say(!next ? "round_over" : next.play ? "not_judged_yet" : "no_choice_here")));
      return;
    }
    const table = { layout: replay.layout, plan: replay.plan };
    const seat = decision.seat ?? 0;
    const team = teamOf(seats.length, seat);
    const verdict = CLASS[decision.verdict];
    fill(this.body, h("h2", {}, say("next_placement")), head(decision, verdict, seatName(seats, seat, own), table),
      decision.refined ? this.#compared(decision, { team, table }) : null,
      (decision.reasons ?? []).length ? reasons({ moves: [{ reasons: decision.reasons }] }, say("better_why")) : null,
      decision.careless?.contrast ? h("p", { class: "contrast" }, decision.careless.contrast.text) : null,
      this.#moves(decision, { team, table }),
      decision.belief ? this.#hidden(decision, seat) : null);
    if (decision.best?.move && verdict) this.#offer(decision.best, table);
  }

  /** The best move and the one played, by the searches that measured the loss. */
  #compared(decision, { team, table }) {
    const moves = [decision.best, decision.playedEvaluation];
    return h("div", {}, h("h3", {}, say("measured")), ranking({ moves, action: "ACTION_PLAY" }, { team, table, played: decision.played }));
  }

  /** All moves, by the first search; each can be tried. */
  #moves(decision, { team, table }) {
    const listed = decision.moves ?? [];
    const moves = listed.length ? listed : [decision.best, decision.playedEvaluation].filter((one, i, all) => one && (i === 0 || one.rank !== all[0].rank));
    if (!moves.length || (decision.refined && !listed.length)) return null;
    const pick = (move) => this.#attempt(moves.find((one) => one.move === move), team);
    return h("div", {}, h("h3", {}, say(decision.refined ? "surveyed" : "all_moves")), h("p", { class: "note" }, say("try_them")),
      ranking({ moves, action: "ACTION_PLAY" }, { team, table, pick, played: decision.played }));
  }

  /** Where the hidden tiles might have been. */
  #hidden(decision, seat) {
    const { seats, own } = this.replay;
    const beliefs = new Beliefs();
    beliefs.show(decision, { names: seats.map((_, other) => seatName(seats, other, own)), own: seat });
    const element = h("details", { open: this.opened }, h("summary", {}, say("hidden_tiles")), beliefs.element);
    element.addEventListener("toggle", () => { this.opened = element.open; });
    return element;
  }

  #attempt(evaluation, team) {
    const value = valueOf(evaluation, team);
    const more = value ? say("chance_is", { chance: percent(value.winProbability ?? 0), error: value.errorsUnknown ? "?" : percent(value.winProbabilityError ?? 0) }) : "";
    return this.replay.attempt(evaluation, more);
  }

  #offer(best, table) {
    this.replay.table.offer([{ key: "best", at: best.move.at ?? "", label: say("best_only", { move: moveName(best.move, table) }), points: best.pointsNow ?? 0, count: best.countAfter ?? 0, best: true }], say("best_move"));
  }
}

function head(decision, verdict, name, table) {
  const judged = verdict
    ? h("span", { class: `verdict ${verdict}` }, `${say(`verdict_${verdict}`)} −${percent(decision.winProbabilityLoss ?? 0)} ± ${percent(decision.winProbabilityLossError ?? 0)}`)
    : h("span", { class: "tag" }, say(decision.source === "SOURCE_FORCED" ? "verdict_forced" : "verdict_good"));
  return h("p", {}, h("b", {}, name), " ", moveName(decision.played, table), " ", judged);
}
