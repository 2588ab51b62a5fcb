// @ts-check
// The replayer in a saved report: the match and its stored analyses, without a server.

import { fill, h, setText } from "./dom.js";
import { Judged } from "./judged.js";
import { plansFrom } from "./plans.js";
import { Replay } from "./replay.js";
import { TILES } from "./tiles.js";
import { say } from "./words.js";

const HEADINGS = ["HEADING_RIGHT", "HEADING_DOWN", "HEADING_LEFT", "HEADING_UP"];
const key = (placements) => placements.map((move) => `${move.tile}@${move.at ?? ""}`).join(" ");

/** The plans of a report by their placements: each holds what the one before lacks. */
class Plans {
  /** @param {{tile: string, at: string}[]} placements @param {any} packed @param {any} before */
  static unpacked(placements, packed, before) {
    const [[left, top, right, bottom], ends, tiles, sniff, values] = packed;
    const fresh = tiles.map(([tile, x, y, highX, highY]) => ({ tile, low: { x, y }, high: { x: highX, y: highY } }));
    const openEnds = ends.map(([at, pips, value, l, t, r, b, heading]) => ({ at, pips, value, room: { left: l, top: t, right: r, bottom: b }, heading: HEADINGS[heading] }));
    return {
      plan: { box: { left, top, right, bottom }, openEnds, tiles: fresh.length === placements.length ? fresh : [...before.plan.tiles, ...fresh] },
      layout: { sniff, contributions: values.map((value) => ({ value })), count: values.reduce((sum, value) => sum + value, 0) },
    };
  }

  constructor(rounds) {
    /** @type {Map<string, any>} */
    this.known = new Map();
    for (const round of rounds) this.#add(round);
  }

  #add({ events, plans, decisions }) {
    let placements = /** @type {any[]} */ ([]);
    let before = { plan: { tiles: [] } };
    const tried = new Map(decisions.map((decision) => [decision.event, decision]));
    let number = 0;
    for (const [i, event] of events.entries()) {
      if (!event.play) continue;
      for (const one of tried.get(i)?.moves ?? []) this.#keep([...placements, one.move], one.plan, before);
      placements = [...placements, event.play];
      before = this.#keep(placements, plans[number], before);
      number += 1;
    }
  }

  #keep(placements, packed, before) {
    const found = Plans.unpacked(placements, packed, before);
    this.known.set(key(placements), found);
    return found;
  }

  /** The plan after placements. */
  async of(placements) {
    const found = this.known.get(key(placements));
    if (!found) throw new Error("the report has no such plan");
    return found;
  }
}

/** Beliefs as the panel takes them. */
function belief(packed, rest = {}) {
  if (!packed) return undefined;
  return { ...rest, tiles: packed.map((row, i) => ({ tile: TILES[i], hands: row.slice(0, -1).map(share), talon: share(row.at(-1)) })) };
}
const share = (thousandths) => thousandths / 1000;

/** A review in a page of its own. */
class Saved {
  constructor(data) {
    const plans = new Plans(data.rounds);
    plansFrom((placements) => plans.of(placements));
    this.decisions = new Map(data.rounds.flatMap((round, i) => round.decisions.map((decision) => [`${i}.${decision.event}`, {
      ...decision, belief: belief(decision.belief), inferredBelief: belief(decision.inferred, { effectiveSampleSize: decision.worlds }),
    }])));
    this.replay = new Replay({ moved: () => this.#moved() });
    this.judged = new Judged(this.replay);
    this.data = data;
    this.element = h("div", { class: "walk" }, this.replay.element, this.judged.element);
  }

  start() {
    return this.replay.load(this.data.rounds, this.data.seats, this.data.own);
  }

  #moved() {
    const { stage, count, settled } = this.replay;
    if (settled) this.judged.show(this.decisions.get(`${stage}.${count}`));
  }
}

/** A button in each mistake that shows it on the table. */
function linked(saved, section) {
  for (const mistake of document.querySelectorAll("details.mistake")) {
    const [round, event] = (mistake.id.match(/\d+/g) ?? []).map(Number);
    const show = h("button", { type: "button", class: "replayed" }, say("on_table"));
    show.addEventListener("click", async () => {
      section.scrollIntoView({ block: "start" });
      await saved.replay.go(round - 1, event - 1);
      saved.replay.slider.focus({ preventScroll: true });
    });
    mistake.querySelector(".said")?.append(show);
  }
}

const section = document.querySelector("#replay");
const stored = document.querySelector("#replay-data");
if (section instanceof HTMLElement && stored) {
  const saved = new Saved(JSON.parse(stored.textContent ?? ""));
  const root = section.querySelector(".shown");
  const shadow = /** @type {Element} */ (root).attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(document.querySelector("#replay-style")?.textContent ?? "");
  shadow.adoptedStyleSheets = [sheet];
  shadow.append(saved.element);
  section.hidden = false;
  saved.start();
  linked(saved, section);
}
