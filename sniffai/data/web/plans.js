// @ts-check
// Where the tiles of a layout lie, as the page's source says; asked for once.

const KEPT = 200;
/** @type {Map<string, Promise<any>>} */
const known = new Map();

/** @type {(placements: {tile: string, at?: string}[]) => Promise<any>} */
let source = () => Promise.reject(new Error("there are no plans"));

/** Says who knows plans, with layouts: the server, or the page itself. */
export function plansFrom(known) {
  source = known;
}

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
    found = source(placements).then((answer) => ({ plan: answer.plan ?? {}, layout: answer.layout ?? {} }));
    known.set(key, found);
    found.catch(() => known.delete(key));
    if (known.size > KEPT) known.delete(known.keys().next().value ?? "");
  }
  return found;
}
