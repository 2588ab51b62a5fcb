// @ts-check
// The table: tiles where the plan says, the values of its ends, and buttons for places.

import { fill, h, reconcile, s, setText, still } from "./dom.js";
import { face } from "./tiles.js";

const MARGIN = 16; // pixels round the plan
const HEAD = 34; // and above it, for the count
const LARGEST = 24; // pixels of a grid unit, where there is room
const OUTWARD = 0.4;
const TURN = { "0,1": 0, "1,0": -90, "0,-1": 180, "-1,0": 90 };

/**
 * @typedef {{key: string, at: string, label: string, points: number, count: number, best?: boolean}} Place
 */

/** A table that animates from one plan to the next. */
export class Table {
  /** @param {(place: Place) => void} choose called when a place is chosen */
  constructor(choose) {
    this.choose = choose;
    this.plan = {};
    this.layout = {};
    /** @type {Place[]} */
    this.places = [];
    this.angles = new Map();
    this.scale = LARGEST;
    this.middle = { x: 0, y: 0 };
    this.tiles = s("g", { class: "tiles" });
    this.chips = s("g", { class: "chips" });
    this.stage = s("g", { class: "stage" }, this.tiles, this.chips);
    this.svg = s("svg", { class: "plan", role: "img", "aria-label": "" }, this.stage);
    this.buttons = h("div", { class: "places", role: "group" });
    this.sum = h("div", { class: "sum", "aria-hidden": "true" });
    this.flashes = h("div", { class: "flashes", "aria-hidden": "true" });
    this.element = h("div", { class: "table" }, this.svg, this.sum, this.buttons, this.flashes);
    this.buttons.addEventListener("click", (event) => this.#clicked(event));
    this.buttons.addEventListener("keydown", (event) => this.#keyed(event));
    new ResizeObserver(() => this.#fit(false)).observe(this.element);
  }

  /**
   * Shows a layout.
   * @param {{plan: any, layout: any, name: string, last?: string, from?: DOMRect | null, moving?: boolean}} what
   *   `from` is where the last tile comes from
   */
  show({ plan, layout, name, last = "", from = null, moving = true }) {
    this.plan = plan ?? {};
    this.layout = layout ?? {};
    const tiles = this.plan.tiles ?? [];
    this.svg.setAttribute("aria-label", name);
    this.#fit(moving);
    reconcile(this.tiles, tiles, (tile) => tile.tile, (tile) => this.#make(tile, moving ? from : null, moving), (element, tile) => {
      this.#turn(element, tile);
      element.classList.toggle("sniff", tile.tile === this.layout.sniff);
      element.classList.toggle("last", tile.tile === last);
    });
    this.#chips();
    this.#place();
    const count = this.layout.count ?? 0;
    setText(this.sum, tiles.length ? String(count) : "");
    this.sum.classList.toggle("five", count > 0 && count % 5 === 0);
  }

  /**
   * Shows where a tile can go.
   * @param {Place[]} places
   * @param {string} label of the group
   */
  offer(places, label) {
    this.places = places;
    this.buttons.setAttribute("aria-label", label);
    this.buttons.hidden = !places.length;
    this.svg.classList.toggle("offering", places.length > 0);
    const held = document.activeElement?.closest?.(".place");
    reconcile(this.buttons, places, (place) => place.key,
      () => h("button", { type: "button", class: "place", tabindex: -1 }, h("b", { class: "hidden" }), h("span", { "aria-hidden": "true" })),
      (button, place) => {
        setText(button.firstChild, place.label);
        button.classList.toggle("scores", place.points > 0);
        button.classList.toggle("best", Boolean(place.best));
        setText(button.lastChild, place.points > 0 ? `+${place.points}` : String(place.count));
      });
    const first = this.buttons.firstElementChild;
    if (first && !this.buttons.querySelector('[tabindex="0"]')) first.tabIndex = 0;
    if (held && !held.isConnected && first) first.focus();
    this.#place();
  }

  /** Moves the focus to the places; the best first. */
  focus() {
    const button = this.buttons.querySelector(".best") ?? this.buttons.firstElementChild;
    if (button) this.#focus(button);
  }

  /**
   * The place nearest to a point of the window, within reach.
   * @param {number} x
   * @param {number} y
   * @returns {Place | null}
   */
  nearest(x, y, reach = 70) {
    /** @type {Place | null} */
    let found = null;
    let least = reach;
    for (const [i, place] of this.places.entries()) {
      const box = this.buttons.children[i].getBoundingClientRect();
      const distance = Math.hypot(box.x + box.width / 2 - x, box.y + box.height / 2 - y);
      if (distance < least) [found, least] = [place, distance];
    }
    return found;
  }

  /** Marks one place while a tile is dragged over it. */
  hover(place) {
    for (const [i, one] of this.places.entries()) this.buttons.children[i].classList.toggle("over", one === place);
  }

  /** Lets a text rise from the last tile, such as "+15". */
  flash(text, tile, kind) {
    const own = this.element.getBoundingClientRect();
    const placed = (this.plan.tiles ?? []).find((one) => one.tile === tile);
    const [x, y] = placed ? this.#pose(placed) : [0, 0];
    const mark = h("div", { class: `flash ${kind}` }, text);
    mark.style.left = `${Math.max(40, Math.min(own.width - 40, this.middle.x + this.scale * x))}px`;
    mark.style.top = `${Math.max(60, this.middle.y + this.scale * (y - 1))}px`;
    fill(this.flashes, mark);
    const frames = still()
      ? [{ opacity: 1 }, { opacity: 1 }, { opacity: 0 }]
      : [
          { opacity: 0, transform: "translate(-50%, 0) scale(.6)" },
          { opacity: 1, transform: "translate(-50%, -50%) scale(1.15)", offset: 0.2 },
          { opacity: 1, transform: "translate(-50%, -60%) scale(1)", offset: 0.7 },
          { opacity: 0, transform: "translate(-50%, -120%) scale(1)" },
        ];
    mark.animate(frames, { duration: 1500, easing: "ease-out" }).onfinish = () => mark.remove();
  }

  #fit(moving) {
    const { width, height } = this.element.getBoundingClientRect();
    if (!width || !height) return;
    const box = this.plan.box ?? {};
    const [left, top, right, bottom] = [box.left ?? 0, box.top ?? 0, box.right ?? 0, box.bottom ?? 0];
    const room = Math.max(right - left, 8);
    this.scale = Math.min(LARGEST, (width - 2 * MARGIN) / room, (height - 2 * MARGIN - HEAD) / Math.max(bottom - top, 8));
    this.middle = { x: width / 2 - (this.scale * (left + right)) / 2, y: (height + HEAD) / 2 - (this.scale * (top + bottom)) / 2 };
    this.stage.classList.toggle("moving", moving && !still());
    this.stage.style.transform = `translate(${this.middle.x}px, ${this.middle.y}px) scale(${this.scale})`;
    this.#place();
  }

  #make(tile, from, moving) {
    const element = s("g", { class: "placed" },
      s("g", { class: "drop" }, face(tile.tile), s("rect", { class: "ring", x: -0.97, y: -1.97, width: 1.94, height: 3.94, rx: 0.4 }),
        s("rect", { class: "dots", x: -1.25, y: -2.25, width: 2.5, height: 4.5, rx: 0.6 })));
    if (moving && !still()) {
      const [x, y, angle] = this.#pose(tile);
      let frames = [{ opacity: 0, transform: "scale(1.5)" }, { opacity: 1, transform: "none" }];
      if (from) {
        const own = this.element.getBoundingClientRect();
        const dx = (from.x + from.width / 2 - own.x - this.middle.x) / this.scale - x;
        const dy = (from.y + from.height / 2 - own.y - this.middle.y) / this.scale - y;
        const size = Math.max(0.6, Math.min(3, from.height / (4 * this.scale)));
        frames = [{ opacity: 1, transform: `rotate(${-angle}deg) translate(${dx}px, ${dy}px) scale(${size})` }, { opacity: 1, transform: "none" }];
      }
      element.firstChild.animate(frames, { duration: from ? 320 : 240, easing: "cubic-bezier(.2,.8,.3,1)" });
    }
    return element;
  }

  #pose(tile) {
    const low = { x: tile.low?.x ?? 0, y: tile.low?.y ?? 0 };
    const high = { x: tile.high?.x ?? 0, y: tile.high?.y ?? 0 };
    const way = `${Math.sign(high.x - low.x)},${Math.sign(high.y - low.y)}`;
    return [(low.x + high.x) / 2, (low.y + high.y) / 2, TURN[way] ?? 0];
  }

  #turn(element, tile) {
    const [x, y, angle] = this.#pose(tile);
    const before = this.angles.get(tile.tile) ?? angle;
    const turned = before + ((((angle - before) % 360) + 540) % 360) - 180;
    this.angles.set(tile.tile, turned);
    element.style.transform = `translate(${x}px, ${y}px) rotate(${turned}deg)`;
  }

  #chips() {
    const ends = this.plan.openEnds ?? [];
    reconcile(this.chips, ends, (end) => end.at,
      () => s("g", { class: "chip" }, s("circle", { r: 0.82 }), s("text", { y: 0.4, "text-anchor": "middle" })),
      (chip, end) => {
        const { x, y } = middleOf(end.room);
        chip.style.transform = `translate(${x}px, ${y}px)`;
        const counted = end.value !== undefined && end.value !== null;
        chip.classList.toggle("empty", !counted);
        setText(chip.lastChild, counted ? String(end.value) : "");
      });
  }

  #place() {
    const rooms = new Map((this.plan.openEnds ?? []).map((end) => [end.at, beyond(end)]));
    for (const [i, place] of this.places.entries()) {
      const { x, y } = rooms.get(place.at) ?? { x: 0, y: 0 };
      const button = /** @type {HTMLElement} */ (this.buttons.children[i]);
      if (!button) continue;
      button.hidden = Boolean(place.at) && !rooms.has(place.at); // the plan is on its way
      button.style.left = `${this.middle.x + this.scale * x}px`;
      button.style.top = `${this.middle.y + this.scale * y}px`;
    }
  }

  #clicked(event) {
    const button = event.target.closest(".place");
    if (!button) return;
    // Large targets may overlap: the nearest middle counts.
    const near = event.detail > 0 ? this.nearest(event.clientX, event.clientY) : null;
    const place = near ?? this.places.find((one) => one.key === button.dataset.key);
    if (place) this.choose(place);
  }

  #keyed(event) {
    const ways = { ArrowRight: [1, 0], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowUp: [0, -1] };
    const way = ways[event.key];
    if (!way || !event.target.closest(".place")) return;
    event.preventDefault();
    event.stopPropagation();
    const here = event.target.closest(".place");
    const from = here.getBoundingClientRect();
    let found = null;
    let least = Infinity;
    for (const other of this.buttons.children) {
      if (other === here) continue;
      const to = other.getBoundingClientRect();
      const [dx, dy] = [to.x - from.x, to.y - from.y];
      const along = dx * way[0] + dy * way[1];
      const aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
      // What lies that way comes first; with nothing there, the order of the list.
      const cost = along > 4 ? along + 2 * aside : 1e6 + (along > -4 ? aside : -along * 1e-3);
      if (cost < least) [found, least] = [other, cost];
    }
    if (found) this.#focus(found);
  }

  #focus(button) {
    for (const other of this.buttons.children) /** @type {HTMLElement} */ (other).tabIndex = other === button ? 0 : -1;
    button.focus();
  }
}

/** The middle of a place: a little farther out than the mark of its end. */
function beyond(end) {
  const { x, y } = middleOf(end.room);
  const [dx, dy] = { HEADING_RIGHT: [1, 0], HEADING_DOWN: [0, 1], HEADING_LEFT: [-1, 0], HEADING_UP: [0, -1] }[end.heading] ?? [0, 0];
  return { x: x + OUTWARD * dx, y: y + OUTWARD * dy };
}

function middleOf(room) {
  return { x: ((room?.left ?? 0) + (room?.right ?? 0)) / 2, y: ((room?.top ?? 0) + (room?.bottom ?? 0)) / 2 };
}

