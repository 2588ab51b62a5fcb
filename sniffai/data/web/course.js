// @ts-check
// The course of a round or a match, to walk through: what lay where after each event.

import { teamOf } from "./names.js";

/** Tiles dealt to a seat, and left over, by players. */
const DEALT = { 2: [7, 14], 3: [6, 10], 4: [5, 8] };

/**
 * One round of a course.
 * @typedef {object} Stage
 * @property {number} players
 * @property {number} leader
 * @property {number[]} scores before it
 * @property {(string[] | null)[]} hands as dealt, by seat; null where not known
 * @property {any[]} events
 * @property {any} [deal] with all tiles known
 * @property {any} [view] as one seat saw it
 * @property {number[]} [settlement]
 * @property {number[]} [after] scores after it
 */

/** A stage from what one seat saw: a record of events. @returns {Stage} */
export function stageOfView(view) {
  const seat = view.seat ?? 0;
  const record = view.record ?? {};
  return {
    players: view.players, leader: record.leader ?? 0, scores: scoresOf(view), view,
    hands: Array.from({ length: view.players }, (_, other) => (other === seat ? (view.hand ?? []) : null)), events: record.events ?? [],
  };
}

/** The scores before a deal or a view: 0 where it has none. */
export const scoresOf = (start) => (start.scores?.length ? start.scores : Array(start.players === 3 ? 3 : 2).fill(0));

/**
 * A stage after some of its events.
 * @param {Stage} stage
 * @param {number} count
 */
export function stateAt(stage, count) {
  if (stage.view?.snapshot) return snapshotState(stage);
  const [dealt, talon] = DEALT[stage.players];
  const state = {
    players: stage.players, placements: /** @type {any[]} */ ([]), scores: [...stage.scores], talon,
    hands: stage.hands.map((hand) => (hand ? [...hand] : null)), sizes: Array(stage.players).fill(dealt),
    last: /** @type {any} */ (null), toMove: stage.events[count]?.seat ?? (count < stage.events.length ? 0 : undefined),
  };
  for (const event of stage.events.slice(0, count)) {
    const seat = event.seat ?? 0;
    state.last = event;
    if (event.play) {
      state.placements.push({ tile: event.play.tile, at: event.play.at ?? "" });
      state.scores[teamOf(stage.players, seat)] += event.play.points ?? 0;
      state.sizes[seat] -= 1;
      state.hands[seat] = state.hands[seat]?.filter((tile) => tile !== event.play.tile) ?? null;
    } else if (event.draw) {
      const tiles = event.draw.tiles ?? [];
      const drawn = event.draw.count ?? tiles.length;
      state.sizes[seat] += drawn;
      state.talon -= drawn;
      if (state.hands[seat] && tiles.length) state.hands[seat] = [...state.hands[seat], ...tiles].sort();
    }
  }
  return state;
}

/** @param {Stage} stage */
function snapshotState({ players, scores, hands, view }) {
  const { placements = [], handSizes = [], talonSize = 0 } = view.snapshot;
  return {
    players, placements: placements.map((move) => ({ tile: move.tile, at: move.at ?? "" })), scores: [...scores], talon: talonSize,
    hands: hands.map((hand) => (hand ? [...hand] : null)), sizes: [...handSizes], last: null, toMove: view.seat ?? 0,
  };
}

/**
 * What a seat knew after some events.
 * @param {Stage} stage
 */
export function viewAt(stage, count, seat) {
  if (stage.view?.snapshot) return stage.view;
  const events = stage.events.slice(0, count).map((event) =>
    event.draw && (event.seat ?? 0) !== seat ? { ...event, draw: { count: event.draw.count ?? event.draw.tiles?.length } } : event);
  return { players: stage.players, seat, scores: stage.scores, hand: stage.hands[seat] ?? [], record: { leader: stage.leader, events } };
}

/** Legal moves as the page uses them: with every field. */
export const legalOf = (answer) => (answer.moves ?? []).map((one) => ({ ...one, move: { tile: one.move.tile, at: one.move.at ?? "" }, pointsNow: one.pointsNow ?? 0, countAfter: one.countAfter ?? 0 }));

/** How many placements there are among the first events. */
export const placedIn = (stage, count) => stage.events.slice(0, count).filter((event) => event.play).length;
