// @ts-check
// Who plays: a plaque for each seat with its name, its tiles and its score.

import { fill, h, reconcile, setText, still } from "./dom.js";
import { shortName, swatch, teamOf } from "./names.js";
import { say } from "./words.js";

const players = (seats) => seats.length;

/** The plaques of all seats. */
export class Seats {
  constructor() {
    this.list = h("ul", { class: "seats" });
    this.element = this.list;
  }

  /** @param {import("./story.js").Shown} shown */
  show(shown) {
    const { seats, seat: own } = shown;
    const count = seats.length;
    // Clockwise from the seat after the reader's own, which comes last.
    const order = seats.map((_, i) => (own + 1 + i + count) % count);
    this.list.dataset.players = String(count);
    reconcile(this.list, order, String, (seat) => this.#make(seat), (item, seat) => this.#update(item, seat, shown));
  }

  #make(seat) {
    return h("li", { class: `seat seat${seat}` },
      h("div", { class: "who" }, h("span", { class: "mark" }), h("span", { class: "name" }), h("span", { class: "role" })),
      h("div", { class: "score" }, h("b"), h("span", { class: "gain", "aria-hidden": "true" })),
      h("div", { class: "course", "aria-hidden": "true" }, h("i")),
      h("div", { class: "backs" }),
      h("div", { class: "doing" }));
  }

  #update(item, seat, shown) {
    const { seats, seat: own, scores, target, handSizes, toMove, notes } = shown;
    const team = teamOf(seats.length, seat);
    const find = (name) => item.querySelector(name);
    item.classList.toggle("turn", toMove === seat);
    item.classList.toggle("own", seat === own);
    fill(find(".mark"), swatch(seat, players(seats), own));
    setText(find(".name"), shortName(seats, seat, own));
    const partner = players(seats) === 4 && own >= 0 && seat !== own && seat % 2 === own % 2;
    setText(find(".role"), partner ? say("partner") : "");
    const points = scores[team] ?? 0;
    const score = find("b");
    setText(score, String(points).replace("-", "−"));
    score.setAttribute("aria-label", say("score_of", { points, target }));
    score.setAttribute("role", "img");
    find(".course i").style.inlineSize = `${Math.max(0, Math.min(100, (100 * points) / target))}%`;
    const size = handSizes[seat] ?? 0;
    const backs = find(".backs");
    backs.setAttribute("role", "img");
    backs.setAttribute("aria-label", say("tiles", { count: size }));
    backs.dataset.count = String(size);
    while (backs.childElementCount < Math.min(size, 14)) backs.append(h("i"));
    while (backs.childElementCount > Math.min(size, 14)) backs.lastChild.remove();
    setText(find(".doing"), notes[seat] || (toMove === seat ? (seat === own ? say("to_move") : say("thinking")) : ""));
  }

  /** Lets a seat's gain light up beside its score. */
  gain(seat, points) {
    const mark = this.list.querySelector(`[data-key="${seat}"] .gain`);
    if (!mark) return;
    setText(mark, `${points > 0 ? "+" : "−"}${Math.abs(points)}`);
    const frames = still() ? [{ opacity: 1 }, { opacity: 1 }] : [{ opacity: 1 }, { opacity: 1, offset: 0.7 }, { opacity: 0 }];
    mark.animate(frames, { duration: 2200 }).onfinish = () => setText(mark, "");
  }
}
