// @ts-check
// Names of tiles, places and seats, as a screen reader says them and as people read them.

import { h } from "./dom.js";
import { halves } from "./tiles.js";
import { levelName, say } from "./words.js";

const SIDES = {
  HEADING_RIGHT: "side_right",
  HEADING_DOWN: "side_down",
  HEADING_LEFT: "side_left",
  HEADING_UP: "side_up",
};

/** Pips as a word: "four". */
export const pipWord = (pips) => say(`pips_${pips}`);

/** A tile as it is said: "four-six". */
export const tileName = (tile) => say("tile_name", { low: pipWord(halves(tile)[0]), high: pipWord(halves(tile)[1]) });

/** The pips of a port. */
export function portPips(at) {
  const [low, high] = halves(at);
  return at.endsWith(":HIGH") ? high : low;
}

/**
 * Where a tile is joined: "on the six of the sniff".
 * @param {string} at an attachment point
 * @param {string} sniff the sniff's tile, or ""
 */
export function joinName(at, sniff) {
  const tile = at.slice(0, 3);
  const pips = pipWord(portPips(at));
  return tile === sniff ? say("join_sniff", { pips }) : say("join_tile", { pips, tile: tileName(tile) });
}

/**
 * A move with its place on the table: "four-six, left, on the six of the sniff".
 * @param {{tile: string, at?: string}} move
 * @param {{layout?: any, plan?: any}} table
 */
export function moveName(move, table) {
  const tile = tileName(move.tile);
  if (!move.at) return say("move_lead", { tile });
  const end = table.plan?.openEnds?.find((open) => open.at === move.at);
  const place = joinName(move.at, table.layout?.sniff ?? "");
  return end ? say("move_side", { tile, side: say(SIDES[end.heading]), place }) : say("move_at", { tile, place });
}

/** What a move scores: "scores 10" or "count 13". */
export const effectName = (legal) =>
  legal.pointsNow ? say("scores", { count: legal.pointsNow }) : say("counts", { count: legal.countAfter ?? 0 });

/** The team of a seat. */
export const teamOf = (players, seat) => (players === 4 ? seat % 2 : seat);

/**
 * The name of a seat.
 * @param {any[]} seats SeatInfo by seat
 * @param {number} seat
 * @param {number} own the reader's seat, or -1
 */
export function seatName(seats, seat, own) {
  if (seat === own) return say("you");
  const base = baseName(seats[seat], seat);
  const same = seats.filter((info, other) => other !== own && baseName(info, other) === base).length;
  return same > 1 ? say("name_seat", { name: base, seat }) : base;
}

function baseName(info, seat) {
  return info?.name || (info?.level ? levelName(info.level) : say("seat", { seat }));
}

/**
 * A seat's colour, with its number where several others play.
 * @param {number} seat
 * @param {number} players
 * @param {number} own
 */
export const swatch = (seat, players, own) =>
  h("span", { class: `swatch seat${seat}`, "aria-hidden": "true" }, players > 2 && seat !== own ? String(seat) : "");

/** A seat's name without its number, to stand beside its colour. */
export const shortName = (seats, seat, own) => (seat === own ? say("you") : baseName(seats[seat], seat));

/** The name of a team: its seats' names. */
export function teamName(seats, team, own) {
  const names = seats.map((_, seat) => seat).filter((seat) => teamOf(seats.length, seat) === team);
  return names.map((seat) => seatName(seats, seat, own)).join(say("and"));
}

/** The count as a sum: "6 + 1 + 4 + 4 = 15". */
export function sumText(layout) {
  const values = (layout?.contributions ?? []).map((end) => end.value ?? 0);
  return values.length > 1 ? `${values.join(" + ")} = ${layout.count ?? 0}` : String(layout?.count ?? 0);
}
