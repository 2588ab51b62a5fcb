// @ts-check
// All legal moves as a list, and a field to type one.

import { fill, h, reconcile, setAttribute, setText } from "./dom.js";
import { effectName, moveName, portPips } from "./names.js";
import { picture } from "./tiles.js";
import { say } from "./words.js";

/** A list of moves. */
export class Moves {
  /** @param {(move: any) => void} play */
  constructor(play) {
    this.play = play;
    this.legal = [];
    this.list = h("ol", { class: "moves" });
    this.empty = h("p", { class: "note" });
    this.field = h("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", inputmode: "text", id: "typed", "aria-describedby": "typed-help typed-error" });
    this.error = h("p", { class: "problem", id: "typed-error", role: "alert" });
    this.label = h("label", { for: "typed" });
    this.button = h("button", { type: "submit" });
    this.help = h("p", { class: "note", id: "typed-help" });
    const form = h("form", { class: "typed" }, this.label, h("div", { class: "pair" }, this.field, this.button), this.error, this.help);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#typed();
    });
    this.element = h("div", {}, this.empty, this.list, form);
  }

  /** @param {any[]} legal @param {any} table */
  show(legal, table) {
    this.legal = legal;
    setText(this.label, say("type_move"));
    setText(this.button, say("play"));
    setText(this.help, say("type_help"));
    setText(this.empty, legal.length ? "" : say("not_your_turn"));
    setAttribute(this.field, "disabled", legal.length ? null : "true");
    reconcile(this.list, legal, (one) => `${one.move.tile}@${one.move.at}`,
      () => h("li", {}, h("button", { type: "button", class: "row" })),
      (item, one) => {
        const button = item.firstChild;
        button.onclick = () => this.play(one.move);
        fill(button, h("span", { class: "hidden" }, `${moveName(one.move, table)}: ${effectName(one)}`),
          h("span", { class: "drawn", "aria-hidden": "true" }, picture(one.move.tile, true),
            one.move.at ? [h("span", {}, say("line_on", { pips: portPips(one.move.at) })), picture(one.move.at.slice(0, 3), true)] : null,
            h("span", { class: "count" }, one.pointsNow ? "" : String(one.countAfter)),
            one.pointsNow ? h("span", { class: "points" }, `+${one.pointsNow}`) : null));
      });
  }

  #typed() {
    const found = parseMove(this.field.value, this.legal);
    setText(this.error, typeof found === "string" ? found : "");
    if (typeof found === "string") return this.field.focus();
    this.field.value = "";
    this.play(found);
  }
}

/**
 * Reads a move: its number in the list, or its tile, with its place where there are several.
 * @returns {any} the move, or what is wrong as a sentence
 */
export function parseMove(text, legal) {
  const plain = text.trim().toUpperCase().replace(/[／]/g, "/").replace(/[０-９]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) - 0xfee0));
  if (/^\d{1,2}$/.test(plain) && !/^[0-6]{2}$/.test(plain)) return legal[Number(plain) - 1]?.move ?? say("no_such_move");
  const found = /^([0-6])[|/\- ]?([0-6])(?:[@ ]+([0-6])[|/\-]?([0-6]):?([A-Z_]*))?$/.exec(plain);
  if (!found) return say("not_understood");
  const tile = [found[1], found[2]].sort().join("|");
  const at = found[3] ? [found[3], found[4]].sort().join("|") : "";
  const fitting = legal.filter(({ move }) => move.tile === tile && (!at || move.at.startsWith(`${at}:${found[5] ?? ""}`)));
  if (fitting.length === 1) return fitting[0].move;
  if (fitting.length) return say("which_place", { places: fitting.map(({ move }) => move.at).join(say("comma")) });
  return say("does_not_fit");
}
