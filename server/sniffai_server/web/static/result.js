// @ts-check
// How a round or a match ended, and what it cost.

import { h } from "./dom.js";
import { seatName, swatch, teamName, teamOf } from "./names.js";
import { say } from "./words.js";

/**
 * The panel over the table at the end of a round or match.
 * @param {import("./story.js").Shown} shown
 * @param {{next: () => void, review: () => void, again: () => void, home: () => void}} ways on
 */
export function resultPanel(shown, ways) {
  const { result, seats, seat: own } = shown;
  const over = shown.view && !["MATCH_STATUS_PLAYING", "MATCH_STATUS_WAITING"].includes(shown.status);
  const title = over ? matchTitle(shown) : roundTitle(shown);
  const rows = seats.map((_, seat) => seat);
  const settlement = result.settlement ?? [];
  const costs = settlement.length
    ? h("table", { class: "costs" },
        h("caption", {}, say("settlement_note")),
        h("tbody", {}, rows.map((seat) => h("tr", {},
          h("th", { scope: "row" }, swatch(seat, seats.length, own), seatName(seats, seat, own)),
          h("td", { class: settlement[seat] ? "loss" : "" }, settlement[seat] ? `−${settlement[seat]}` : "0")))))
    : null;
  const teams = [...new Set(rows.map((seat) => teamOf(seats.length, seat)))];
  const scores = h("dl", { class: "standing" }, teams.map((team) => [
    h("dt", {}, teamName(seats, team, own)), h("dd", {}, tallyText(shown.scores[team] ?? 0))]));
  const leads = !over && result.nextLeader !== undefined
    ? h("p", {}, result.nextLeader === own ? say("you_lead_next") : say("leads_next", { name: seatName(seats, result.nextLeader, own) })) : null;
  const buttons = over
    ? [shown.status === "MATCH_STATUS_FINISHED" || shown.status === "MATCH_STATUS_RESIGNED" ? h("button", { type: "button", class: "main", onclick: ways.review }, say("review")) : null,
       h("button", { type: "button", onclick: ways.again }, say("again")),
       h("button", { type: "button", onclick: ways.home }, say("home"))]
    : [h("button", { type: "button", class: "main", onclick: ways.next }, say("next_round"))];
  return h("section", { class: `result${over ? " over" : ""}`, role: "group", "aria-label": title },
    h("h2", {}, title), h("div", { class: "facts" }, over ? null : costs, h("div", {}, scores, leads)), h("div", { class: "row buttons" }, buttons));
}

function roundTitle({ result, seats, seat: own }) {
  if (result.wentOut !== undefined) return result.wentOut === own ? say("you_went_out") : say("went_out", { name: seatName(seats, result.wentOut, own) });
  return result.blocked ? say("blocked") : say("round_over");
}

function matchTitle({ view, seats, seat: own, status, scores }) {
  if (status === "MATCH_STATUS_EXPIRED") return say("match_expired");
  const resigned = view.resignedSeat;
  if (view.winner === undefined) return resigned === undefined ? say("match_over") : say("resigned", { name: seatName(seats, resigned, own) });
  if (resigned !== undefined && view.winner !== teamOf(seats.length, own)) return say("you_resigned");
  if (view.winner === teamOf(seats.length, own)) return say("you_win", { points: scores[view.winner] ?? 0 });
  return say("wins", { name: teamName(seats, view.winner, own), points: scores[view.winner] ?? 0 });
}

const tallyText = (points) => String(points).replace("-", "−");

