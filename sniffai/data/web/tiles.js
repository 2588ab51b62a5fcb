// @ts-check
// Tiles: their names, and what they look like. Nothing is shown by colour alone.

import { s } from "./dom.js";

/** All tiles, "0|0" first. */
export const TILES = Array.from({ length: 7 }, (_, low) => Array.from({ length: 7 - low }, (_, i) => `${low}|${low + i}`)).flat();

/** @returns {[number, number]} the pips of the two halves */
export const halves = (tile) => [Number(tile[0]), Number(tile[2])];
export const isDouble = (tile) => tile[0] === tile[2];
export const pipsOf = (tile) => halves(tile)[0] + halves(tile)[1];

const SPREAD = 0.56;
const RADIUS = 0.215;
const ACROSS = [
  [],
  [[0, 0]],
  [[-1, -1], [1, 1]],
  [[-1, -1], [0, 0], [1, 1]],
  [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
];

/**
 * A tile upright about the origin, the lower half above: 2 wide, 4 high.
 * @param {string} tile
 */
export function face(tile) {
  const [low, high] = halves(tile);
  return s("g", { class: "face" },
    s("rect", { class: "edge", x: -0.94, y: -1.82, width: 1.88, height: 3.76, rx: 0.36 }),
    s("rect", { class: "slab", x: -0.94, y: -1.94, width: 1.88, height: 3.76, rx: 0.36 }),
    s("line", { class: "bar", x1: -0.66, x2: 0.66, y1: -0.06, y2: -0.06 }),
    pips(low, -1), pips(high, 0.88));
}

function pips(count, y) {
  return ACROSS[count].map(([dx, dy]) =>
    s("circle", { class: "pip", cx: dx * SPREAD, cy: y + dy * SPREAD, r: RADIUS }));
}

/** A tile as a picture of its own, without a name: what it stands in says that. */
export function picture(tile, flat = false) {
  const box = flat ? "-2 -1 4 2" : "-1 -2 2 4";
  return s("svg", { viewBox: box, class: flat ? "tile flat" : "tile", "aria-hidden": "true", focusable: "false" },
    s("g", flat ? { transform: "rotate(-90)" } : {}, face(tile)));
}
