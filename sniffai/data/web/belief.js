// @ts-check
// Where the hidden tiles may be: a map of shades for each place.

import { fill, h, setText } from "./dom.js";
import { tileName } from "./names.js";
import { set, setting } from "./store.js";
import { say } from "./words.js";

const HIGH = 0.66; // as in the report: from here on the other colour of letters is easier to read

/**
 * The beliefs of an analysis as maps, one for each place. Where the others' choices say more than the rules do, the reader
 * chooses between the exact belief and the inferred one; every such panel on the page starts with the last choice.
 */
export class Beliefs {
  constructor() {
    this.inferred = h("input", { type: "checkbox" });
    this.inferred.addEventListener("change", () => {
      set("inferred", this.inferred.checked);
      this.#draw();
    });
    this.label = h("label", { class: "check" }, this.inferred, h("span"));
    this.maps = h("div", {});
    this.element = h("div", {}, this.label, this.maps);
    this.clear();
  }

  /** Shows nothing but a note, or nothing at all. @param {string} [note] */
  clear(note) {
    /** @type {any} */
    this.shown = null;
    this.label.hidden = true;
    fill(this.maps, note ? h("p", { class: "note" }, note) : null);
  }

  /**
   * @param {any} analysis with `belief` and, where there is one, `inferredBelief`
   * @param {{names: string[], own: number}} who the seats' names, and the seat that knows
   */
  show(analysis, who) {
    this.shown = { analysis, who };
    this.inferred.checked = setting("inferred", false);
    this.#draw();
  }

  #draw() {
    if (!this.shown) return;
    const { analysis, who } = this.shown;
    const choices = analysis.inferredBelief;
    this.label.hidden = !choices;
    setText(this.label.lastChild, say("belief_choices"));
    const inferred = choices && this.inferred.checked;
    const note = inferred ? say("belief_inferred", { count: Math.round(choices.effectiveSampleSize) }) : say("belief_exact");
    fill(this.maps, maps(inferred ? choices : analysis.belief, who, note));
  }
}

function maps(belief, { names, own }, note) {
  const tiles = belief?.tiles ?? [];
  const places = names.map((name, seat) => ({ name, chance: (tile) => (tile.hands ?? [])[seat] ?? 0, seat }))
    .filter((place) => place.seat !== own);
  places.push({ name: say("talon"), chance: (tile) => tile.talon ?? 0, seat: -1 });
  const hidden = tiles.filter((tile) => places.some((place) => place.chance(tile) > 0));
  if (!hidden.length) return h("p", { class: "note" }, say("nothing_hidden"));
  const known = new Map(tiles.map((tile) => [tile.tile, tile]));
  return h("div", { class: "beliefs" },
    places.filter((place) => hidden.some((tile) => place.chance(tile) > 0)).map((place) => map(place, known)),
    h("p", { class: "note" }, note, " ", say("belief_note")));
}

function map(place, known) {
  const numbers = [0, 1, 2, 3, 4, 5, 6];
  const head = h("tr", {}, h("td", {}), numbers.map((low) => h("th", { scope: "col" }, String(low))));
  const rows = numbers.map((high) => h("tr", {}, h("th", { scope: "row" }, String(high)),
    numbers.map((low) => (low > high ? h("td", { class: "none" }) : cell(`${low}|${high}`, place, known)))));
  return h("table", { class: "heat" }, h("caption", {}, place.name), h("thead", {}, head), h("tbody", {}, rows));
}

function cell(tile, place, known) {
  const entry = known.get(tile);
  const chance = entry ? place.chance(entry) : 0;
  const per = Math.round(100 * chance);
  const shade = chance < 0.0005 ? 0 : 0.08 + 0.92 * chance;
  const element = h("td", { class: shade ? `shade${shade >= HIGH ? " high" : ""}` : "blank", title: `${tileName(tile)}: ${per} %` }, chance < 0.0005 ? "" : String(per));
  element.style.setProperty("--heat", shade.toFixed(2));
  return element;
}
