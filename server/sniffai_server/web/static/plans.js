// @ts-check
// Where the tiles of a layout lie, as the server says; asked for once.

import { call } from "./connect.js";

const KEPT = 200;
/** @type {Map<string, Promise<any>>} */
const known = new Map();

/**
 * The plan and the layout of placements.
 * @param {{tile: string, at?: string}[]} placements in the order of play
 * @returns {Promise<{plan: any, layout: any}>}
 */
export function planOf(placements) {
  if (!placements.length) return Promise.resolve({ plan: {}, layout: {} });
  const key = placements.map((move) => `${move.tile}@${move.at ?? ""}`).join(" ");
  let found = known.get(key);
  if (!found) {
    found = call("RulesService/PlanTable", { placements }).then((answer) => ({ plan: answer.plan ?? {}, layout: answer.layout ?? {} }));
    known.set(key, found);
    found.catch(() => known.delete(key));
    if (known.size > KEPT) known.delete(known.keys().next().value ?? "");
  }
  return found;
}
