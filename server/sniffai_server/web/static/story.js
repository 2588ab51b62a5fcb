// @ts-check
// A match as it is shown: events are told one after the other, and the server's view is the truth at their end.

import { CallError } from "./connect.js";
import { pause } from "./dom.js";
import { seatName, sumText, teamOf } from "./names.js";
import { planOf } from "./plans.js";
import { say } from "./words.js";

/** Tiles dealt to a seat, and left over, by players. */
const DEALT = { 2: [7, 14], 3: [6, 10], 4: [5, 8] };

/** More events than this at once are not told one by one. */
const MANY = 40;

/** What is shown of a match. */
export class Shown {
  constructor() {
    /** @type {any[]} */
    this.seats = [];
    this.seat = -1;
    this.event = 0;
    this.status = "";
    this.round = -1;
    this.leader = 0;
    /** @type {number[]} */
    this.scores = [];
    this.target = 250;
    /** @type {string[]} */
    this.hand = [];
    /** @type {number[]} */
    this.handSizes = [];
    this.talon = 0;
    /** @type {{tile: string, at: string}[]} */
    this.placements = [];
    /** @type {any} */
    this.plan = {};
    /** @type {any} */
    this.layout = {};
    /** @type {number | undefined} */
    this.toMove = undefined;
    this.last = "";
    this.fresh = "";
    /** @type {string[]} what each seat just did, other than placing */
    this.notes = [];
    /** @type {import("./log.js").Entry[]} */
    this.log = [];
    /** @type {any} how the round ended, until the reader goes on */
    this.result = null;
    /** @type {any} the server's view, once all events before it have been told */
    this.view = null;
  }
}

/** An answer's view with the fields that JSON leaves out. */
export function readView(view) {
  return {
    ...view,
    seat: view.seat ?? 0,
    round: view.round ?? 0,
    eventNumber: Number(view.eventNumber ?? 0),
    hand: view.hand ?? [],
    handSizes: view.handSizes ?? [],
    talonSize: view.talonSize ?? 0,
    scores: view.scores ?? [],
    seats: view.seats ?? [],
    legalMoves: (view.legalMoves ?? []).map((legal) => ({ ...legal, move: { tile: legal.move.tile, at: legal.move.at ?? "" }, pointsNow: legal.pointsNow ?? 0, countAfter: legal.countAfter ?? 0 })),
    layout: view.layout ?? {},
    action: view.action ?? "ACTION_WAIT",
  };
}

/**
 * Tells the story of a match.
 * @typedef {object} Audience
 * @property {(shown: Shown, told: import("./log.js").Entry | null) => void} show called after each step
 * @property {() => number} pace how long an event stays, in milliseconds
 */
export class Story {
  /** @param {Audience} audience */
  constructor(audience) {
    this.audience = audience;
    this.shown = new Shown();
    /** @type {({event: any, old: boolean} | {view: any})[]} */
    this.queue = [];
    this.known = 0;
    this.running = false;
    this.entries = 0;
    this.hurry = () => {};
    this.goOn = () => {};
  }

  /**
   * Takes what the server sent.
   * @param {any[]} events
   * @param {any} view
   */
  receive(events, view) {
    const fresh = (events ?? []).filter((event) => Number(event.number) > this.known);
    const state = view ? readView(view) : null;
    if (state && !this.shown.seats.length) Object.assign(this.shown, { seats: state.seats, seat: state.seat, target: state.target });
    if (state && state.eventNumber < this.known) return; // an answer that was overtaken
    const seen = this.known ? 0 : this.#seen(fresh);
    for (const [i, event] of fresh.entries()) {
      this.known = Number(event.number);
      this.queue.push({ event, old: i < seen });
    }
    if (state) {
      this.known = Math.max(this.known, state.eventNumber);
      this.queue.push({ view: state });
    }
    if (!this.running) this.#run();
  }

  /** How many events of a match that is opened again the reader has seen: those up to the last own placement. */
  #seen(events) {
    for (let i = events.length - 1; i >= 0; i--) {
      const event = events[i].roundEvent;
      if (event?.play && (event.seat ?? 0) === this.shown.seat) return i + 1;
    }
    return 0;
  }

  async #run() {
    this.running = true;
    try {
      while (this.queue.length) {
        const step = /** @type {any} */ (this.queue.shift());
        if (step.view) await this.#adopt(step.view);
        else await this.#tell(step.event, step.old || this.queue.length > MANY);
      }
    } finally {
      this.running = false;
    }
  }

  async #adopt(view) {
    const { shown } = this;
    const result = shown.result;
    const placements = (view.layout.placements ?? []).map((move) => ({ tile: move.tile, at: move.at ?? "" }));
    if (this.queue.some((step) => "view" in step)) return; // there is news already
    const found = await this.#planned(placements);
    Object.assign(shown, {
      event: view.eventNumber, seats: view.seats, seat: view.seat, status: view.status, round: view.round, scores: view.scores,
      target: view.target, hand: view.hand, handSizes: view.handSizes, talon: view.talonSize,
      placements, plan: found?.plan ?? {}, layout: view.layout, toMove: view.seatToMove, view,
    });
    shown.last = shown.placements.at(-1)?.tile ?? "";
    const over = !["MATCH_STATUS_PLAYING", "MATCH_STATUS_WAITING"].includes(view.status);
    shown.result = over ? (result ?? view.lastRound ?? {}) : null;
    this.audience.show(shown, null);
  }

  async #tell(event, fast) {
    const { shown } = this;
    shown.event = Number(event.number);
    shown.view = null;
    if (event.roundStarted) return this.#roundStarted(event.roundStarted, fast);
    if (event.roundEvent) return this.#roundEvent(event.roundEvent, fast);
    if (event.roundEnded) return this.#roundEnded(event.roundEnded, fast);
    if (event.takenBack) {
      shown.result = null;
      this.#note({ kind: "text", text: (event.takenBack.seat ?? 0) === shown.seat ? say("you_took_back") : say("took_back", { name: this.#name(event.takenBack.seat ?? 0) }) });
    }
    if (event.joined) {
      const seat = event.joined.seat ?? 0;
      if (shown.seats[seat]) Object.assign(shown.seats[seat], { joined: true, name: event.joined.name ?? "" });
      if (shown.seats.length && seat !== shown.seat) this.#note({ kind: "text", text: say("joined", { name: this.#name(seat) }) });
    }
    this.audience.show(shown, null);
  }

  async #roundStarted(start, fast) {
    const { shown } = this;
    const scores = start.scores ?? [];
    const players = shown.seats.length || (scores.length === 3 ? 3 : 2);
    const [dealt, talon] = DEALT[players];
    Object.assign(shown, {
      round: start.round ?? 0, leader: start.leader ?? 0, scores, hand: start.hand ?? [], talon,
      handSizes: Array(players).fill(dealt), placements: [], plan: {}, layout: {}, last: "", fresh: "",
      notes: [], result: null, toMove: start.leader ?? 0,
    });
    const leader = this.#name(shown.leader);
    const text = shown.leader === shown.seat
      ? say("round_you_lead", { round: shown.round + 1 })
      : say("round_leads", { round: shown.round + 1, name: leader });
    this.#note({ kind: "round", text });
    if (!fast) await this.#rest(0.8);
  }

  async #roundEvent(event, fast) {
    const { shown } = this;
    const seat = event.seat ?? 0;
    const own = seat === shown.seat;
    if (event.play) {
      const move = { tile: event.play.tile, at: event.play.at ?? "" };
      const points = event.play.points ?? 0;
      shown.placements = [...shown.placements, move];
      if (!fast) Object.assign(shown, await this.#planned(shown.placements));
      const team = teamOf(shown.seats.length, seat);
      shown.scores = shown.scores.map((score, i) => score + (i === team ? points : 0));
      shown.handSizes = shown.handSizes.map((size, i) => size - (i === seat ? 1 : 0));
      shown.hand = shown.hand.filter((tile) => tile !== move.tile);
      shown.last = move.tile;
      shown.fresh = "";
      shown.notes = [];
      this.#next();
      this.#note({ kind: "play", seat, ...move, points, sniff: shown.layout.sniff ?? "", sum: fast ? "" : sumText(shown.layout) });
      if (!fast) await this.#rest(this.#following() ? 1 : 0.25);
    } else if (event.draw) {
      const tiles = event.draw.tiles ?? [];
      const count = event.draw.count ?? tiles.length;
      shown.handSizes = shown.handSizes.map((size, i) => size + (i === seat ? count : 0));
      shown.talon -= count;
      if (own) {
        shown.hand = [...shown.hand, ...tiles].sort();
        shown.fresh = tiles.at(-1) ?? "";
      }
      shown.notes = [];
      shown.notes[seat] = say("draws", { count });
      shown.toMove = seat;
      this.#note({ kind: "draw", seat, count, tiles });
      if (!fast) await this.#rest(0.8);
    } else if (event.pass) {
      shown.notes = [];
      shown.notes[seat] = say("passes");
      this.#next();
      this.#note({ kind: "pass", seat });
      if (!fast) await this.#rest(0.8);
    }
  }

  async #roundEnded(result, fast) {
    const { shown } = this;
    shown.toMove = undefined;
    shown.result = { ...result, before: shown.scores };
    shown.scores = result.scores ?? shown.scores;
    const text = result.wentOut !== undefined
      ? (result.wentOut === shown.seat ? say("you_went_out") : say("went_out", { name: this.#name(result.wentOut) }))
      : result.blocked ? say("blocked") : say("target_reached");
    this.#note({ kind: "end", text });
    if (fast || result.nextLeader === undefined) return;
    await new Promise((resolve) => (this.goOn = () => resolve(undefined)));
    this.goOn = () => {};
    shown.result = null;
  }

  /** Where the tiles lie; asks again until the server answers, `null` if it does not know. */
  async #planned(placements) {
    for (let tries = 0; tries < 20; tries++) {
      try {
        return await planOf(placements);
      } catch (error) {
        if (!(error instanceof CallError) || !error.passing) return null;
        await pause(Math.min(3000, 200 * 2 ** tries));
      }
    }
    return null;
  }

  /** Whose turn seems to be next, until a view says it. */
  #next() {
    const next = /** @type {any} */ (this.queue[0]);
    this.shown.toMove = next?.view ? next.view.seatToMove : (next?.event?.roundEvent ? (next.event.roundEvent.seat ?? 0) : undefined);
  }

  #following() {
    return this.queue.some((step) => "event" in step);
  }

  #note(entry) {
    const told = { id: ++this.entries, ...entry };
    this.shown.log.push(told);
    this.audience.show(this.shown, told);
  }

  #name(seat) {
    return seatName(this.shown.seats, seat, this.shown.seat);
  }

  /** Leaves time to look, unless the reader is in a hurry. */
  async #rest(share) {
    const time = document.hidden ? 0 : this.audience.pace() * share;
    if (time > 0) await Promise.race([pause(time), new Promise((resolve) => (this.hurry = () => resolve(undefined)))]);
    this.hurry = () => {};
  }
}
