// @ts-check
// What happened, line by line, with the count explained.

import { fill, h, reconcile } from "./dom.js";
import { joinName, portPips, seatName, shortName, swatch, tileName } from "./names.js";
import { picture } from "./tiles.js";
import { say } from "./words.js";

/**
 * @typedef {object} Entry
 * @property {number} id
 * @property {"play" | "draw" | "pass" | "round" | "end" | "text"} kind
 * @property {number} [seat]
 * @property {string} [tile]
 * @property {string} [at]
 * @property {string} [sniff]
 * @property {number} [points]
 * @property {string} [sum] the count as a sum
 * @property {number} [count] of a draw
 * @property {string[]} [tiles] of an own draw
 * @property {string} [text]
 */

/** An entry as a sentence. */
export function sentence(entry, seats, own) {
  const name = entry.seat === undefined ? "" : seatName(seats, entry.seat, own);
  const mine = entry.seat === own;
  switch (entry.kind) {
    case "play": {
      const tile = tileName(entry.tile);
      const move = entry.at ? say("move_at", { tile, place: joinName(entry.at, entry.sniff ?? "") }) : say("move_lead", { tile });
      const count = entry.sum ? say("count_is", { sum: entry.sum }) : "";
      const points = entry.points ? say("scores", { count: entry.points }) : say("scores_nothing");
      return say("told", { name, what: [move, count, points].filter(Boolean).join(say("comma")) });
    }
    case "draw":
      return mine
        ? say("you_draw", { tiles: (entry.tiles ?? []).map(tileName).join(say("comma")) })
        : say("told", { name, what: say("draws", { count: entry.count ?? 1 }) });
    case "pass":
      return say("told", { name, what: say("passes") });
    default:
      return entry.text ?? "";
  }
}

/** An entry with pictures of its tiles. */
export function line(entry, seats, own) {
  if (entry.kind !== "play" && entry.kind !== "draw" && entry.kind !== "pass") return h("p", { class: `line ${entry.kind}` }, entry.text);
  const said = sentence(entry, seats, own);
  const parts = [swatch(entry.seat, seats.length, own), h("b", {}, shortName(seats, entry.seat, own))];
  if (entry.kind === "play") {
    parts.push(picture(entry.tile, true));
    if (entry.at) parts.push(h("span", { class: "on row" }, say("line_on", { pips: portPips(entry.at) }), picture(entry.at.slice(0, 3), true)));
    if (entry.sum) parts.push(h("span", { class: "count" }, entry.sum));
    if (entry.points) parts.push(h("span", { class: "points" }, `+${entry.points}`));
  } else if (entry.kind === "draw") {
    parts.push(h("span", {}, say("draws", { count: entry.count ?? 1 })), (entry.tiles ?? []).map((tile) => picture(tile, true)));
  } else {
    parts.push(h("span", {}, say("passes")));
  }
  return h("p", { class: "line" }, h("span", { class: "hidden" }, said), h("span", { class: "drawn", "aria-hidden": "true" }, parts));
}

/** The last lines, and all of them in a list. */
export class Log {
  constructor() {
    this.ticker = h("div", { class: "ticker" });
    this.list = h("ol", { class: "log", tabindex: 0 });
  }

  /**
   * @param {Entry[]} entries
   * @param {any[]} seats
   * @param {number} own
   * @param {boolean} open whether the list is seen
   */
  show(entries, seats, own, open) {
    fill(this.ticker, entries.slice(-2).map((entry) => line(entry, seats, own)));
    if (!open) return;
    const sheet = this.list.closest(".sheet");
    const atEnd = sheet && sheet.scrollHeight - sheet.scrollTop - sheet.clientHeight < 60;
    reconcile(this.list, entries, (entry) => String(entry.id), (entry) => h("li", {}, line(entry, seats, own)), () => {});
    if (atEnd) sheet.scrollTop = sheet.scrollHeight;
    this.list.setAttribute("aria-label", say("tab_log"));
  }
}
