// @ts-check
// Moves ranked by an analysis, with their chances and how sure those are.

import { h, s } from "./dom.js";
import { moveName, portPips } from "./names.js";
import { picture } from "./tiles.js";
import { number, percent, say } from "./words.js";

/** The value of a move for a team. */
export const valueOf = (evaluation, team) => (evaluation.values ?? []).find((value) => (value.team ?? 0) === team);

/**
 * The moves of an analysis.
 * @param {any} analysis
 * @param {{team: number, table: any, pick?: (move: any) => void, played?: any}} how
 */
export function ranking(analysis, { team, table, pick, played }) {
  const moves = analysis.moves ?? [];
  if (!moves.length) return h("p", { class: "note" }, say(analysis.action === "ACTION_DRAW" ? "must_draw" : analysis.action === "ACTION_PASS" ? "must_pass" : "no_moves"));
  const scale = scaleOf(moves, team);
  return h("div", {},
    h("ol", { class: "ranking" }, moves.map((evaluation) => row(evaluation, scale, { team, table, pick, played }))),
    scale ? h("p", { class: "note axis", "aria-hidden": "true" }, h("span", {}, percent(scale.low, 0)), h("span", {}, say("win_chance")), h("span", {}, percent(scale.high, 0))) : null);
}

function scaleOf(moves, team) {
  const ends = moves.flatMap((move) => {
    const value = valueOf(move, team);
    if (!value) return [];
    const error = 2 * (value.winProbabilityError ?? 0);
    const chance = value.winProbability ?? 0;
    return [chance - error, chance + error];
  });
  if (!ends.length) return null;
  const low = Math.max(0, Math.floor(20 * Math.min(...ends)) / 20);
  const high = Math.min(1, Math.ceil(20 * Math.max(...ends)) / 20);
  return { low, high: high > low ? high : low + 0.05 };
}

function row(evaluation, scale, { team, table, pick, played }) {
  const value = valueOf(evaluation, team);
  const { move } = evaluation;
  const name = moveName(move, table);
  const best = evaluation.rank === 1;
  const chance = value ? percent(value.winProbability ?? 0) : "–";
  const error = value && !value.errorsUnknown ? percent(value.winProbabilityError ?? 0) : "";
  const points = evaluation.pointsNow ?? 0;
  const careless = evaluation.careless ? percent(evaluation.careless.winProbability ?? 0) : "";
  const margin = value ? say("margin_points", { points: number(value.expectedMargin ?? 0, 1, true) }) : "";
  const said = [say("rank", { rank: evaluation.rank }), name, points ? say("scores", { count: points }) : say("scores_nothing"),
    value ? say("chance_is", { chance, error: error || "?" }) : "", margin, careless ? say("careless_is", { chance: careless }) : ""].filter(Boolean).join(say("comma"));
  const content = [
    h("span", { class: "rank", "aria-hidden": "true" }, best ? "★" : String(evaluation.rank)),
    h("span", { class: "what", "aria-hidden": "true" }, picture(move.tile, true),
      move.at ? [h("span", { class: "on" }, say("line_on", { pips: portPips(move.at) })), picture(move.at.slice(0, 3), true)] : null,
      points ? h("span", { class: "points" }, `+${points}`) : null,
      played && played.tile === move.tile && (evaluation.equalPoints?.includes(played.at) || (played.at ?? "") === (move.at ?? ""))
        ? h("span", { class: "tag" }, say("played")) : null),
    h("span", { class: "chance", "aria-hidden": "true" }, h("b", {}, chance), error ? h("small", {}, ` ± ${error}`) : null,
      careless ? h("small", { class: "careless" }, say("careless_is", { chance: careless })) : null),
    scale && value ? whisker(value, scale) : null,
  ];
  const body = pick
    ? h("button", { type: "button", class: "row", onclick: () => pick(move) }, h("span", { class: "hidden" }, said), content)
    : h("div", { class: "row" }, h("span", { class: "hidden" }, said), content);
  return h("li", { class: best ? "best" : "" }, body);
}

/** A chance as a dot, with whiskers of two standard errors. */
function whisker(value, { low, high }) {
  const at = (chance) => 100 * Math.max(0, Math.min(1, (chance - low) / (high - low)));
  const chance = value.winProbability ?? 0;
  const error = value.winProbabilityError ?? 0;
  return s("svg", { class: "whisker", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("line", { class: "rail", x1: 0, x2: 100, y1: 4, y2: 4 }),
    s("rect", { class: "fill", x: 0, y: 2.4, width: at(chance), height: 3.2 }),
    s("rect", { class: "error", x: at(chance - 2 * error), y: 1, width: Math.max(0.8, at(chance + 2 * error) - at(chance - 2 * error)), height: 6 }),
    s("rect", { class: "dot", x: at(chance) - 0.6, y: 0, width: 1.2, height: 8 }));
}

/** The reasons for the best move. */
export function reasons(analysis, title = say("why")) {
  const best = (analysis.moves ?? []).find((move) => (move.reasons ?? []).length);
  if (!best) return null;
  return h("div", { class: "reasons" }, h("h3", {}, title), h("ul", {}, best.reasons.map((reason) => h("li", {}, reason.text))));
}

/** What is the other way round against careless opponents, where that was asked for. */
export function contrast(analysis) {
  const turned = ((analysis.moves ?? [])[0]?.prospect ?? []).find((reason) => reason.kind === "REASON_KIND_CARELESS");
  return turned ? h("p", { class: "contrast" }, turned.text) : null;
}

/** How an analysis was made. */
export function effort(analysis) {
  const simulations = Number(analysis.effort?.simulations ?? 0);
  const source = { SOURCE_FORCED: "source_forced", SOURCE_EXACT: "source_exact" }[analysis.source];
  return source ? say(source) : say("simulations", { count: simulations.toLocaleString() });
}

/** The best move in a sentence, for screen readers. */
export function bestSentence(analysis, team, table) {
  const best = (analysis.moves ?? [])[0];
  if (!best) return "";
  const value = valueOf(best, team);
  const name = moveName(best.move, table);
  return value ? say("best_is", { move: name, chance: percent(value.winProbability ?? 0) }) : say("best_only", { move: name });
}

