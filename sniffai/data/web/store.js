// @ts-check
// What the browser keeps between visits: tokens, a move on its way, settings.

const KEY = "sniffai";

/**
 * @typedef {{seat: number, token: string, invitation: string, pending?: {move: object, event: string, key: string}}} Seat
 * @typedef {{player?: string, matches: Record<string, Seat>, settings: Record<string, any>}} Kept
 */

/** @returns {Kept} */
function read() {
  if (full) return memory;
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return { player: kept.player, matches: kept.matches ?? {}, settings: kept.settings ?? {} };
  } catch {
    return memory;
  }
}

/** @type {Kept} */
let memory = { matches: {}, settings: {} };
/** Whether the browser took nothing the last time: what it still has is too old. */
let full = false;

function change(edit) {
  const kept = read();
  edit(kept);
  memory = kept;
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
    full = false;
  } catch {
    full = true; // the page works until it is closed
  }
}

/** The token of the player, if there is one. */
export const playerToken = () => read().player;
export const keepPlayer = (token) => change((kept) => (kept.player = token));

/** @returns {Seat | undefined} */
export const seatOf = (match) => read().matches[match];
/** @type {(match: string, seat: Seat) => void} */
export const keepSeat = (match, seat) => change((kept) => (kept.matches[match] = seat));
export const forgetSeat = (match) => change((kept) => delete kept.matches[match]);

/** Keeps a move until its answer has come, so that it is sent once more after a reload. */
export const keepPending = (match, pending) =>
  change((kept) => {
    if (kept.matches[match]) kept.matches[match].pending = pending;
  });

/** Forgets a move whose answer has come, but not one that another tab has sent since. */
export const dropPending = (match, key) =>
  change((kept) => {
    if (kept.matches[match]?.pending?.key === key) delete kept.matches[match].pending;
  });

/** Forgets a setting. */
export const unset = (name) => change((kept) => delete kept.settings[name]);

/** A setting; `otherwise` if it was never set. */
export const setting = (name, otherwise) => read().settings[name] ?? otherwise;
export const set = (name, value) => change((kept) => (kept.settings[name] = value));
