// @ts-check
// Study: a position, a round or a match to walk through, other moves to try, and an analysis that sharpens.

import { announce } from "./announce.js";
import { call } from "./connect.js";
import { legalOf, placedIn, stageOfView, viewAt } from "./course.js";
import { fill, h, setText } from "./dom.js";
import { effectName, moveName, seatName, tileName } from "./names.js";
import { Replay, plainSeats } from "./replay.js";
import { planOf } from "./plans.js";
import { Setup, Tray, placesFor } from "./setup.js";
import { seatOf, set, setting } from "./store.js";
import { stageOfDeal } from "./stages.js";
import { Thinking } from "./thinking.js";
import { say } from "./words.js";

/** The page. */
export class StudyPage {
  /** @param {string} from "match" to study a match of this browser @param {string} id of that match */
  constructor(from, id) {
    this.from = from;
    this.id = id;
    this.element = h("div", { class: "study" });
    this.selected = "";
    /** @type {any[]} */
    this.legal = [];
    /** @type {import("./course.js").Stage[] | null} what was loaded, while something else is tried */
    this.record = null;
    this.replay = new Replay({ moved: () => this.#moved(), choose: (place) => this.#choose(place), pick: (tile) => this.#select(tile) });
    this.thinking = new Thinking((move) => this.#try(move));
    this.tray = new Tray((tile) => this.#select(tile));
    this.enter = h("div", { class: "enter" });
    this.notice = h("p", { class: "problem", role: "alert" });
    this.back = h("button", { type: "button", hidden: true, onclick: () => this.#backToRecord() });
    /** @type {[number, number] | undefined} where the walk stood before */
    this.recordPlace = undefined;
    /** @type {any} who is to do what */
    this.turn = null;
    this.undo = h("button", { type: "button", hidden: true, onclick: () => this.#undo() });
  }

  get title() {
    return say("nav_study");
  }

  close() {
    this.thinking.stop();
  }

  async start() {
    if (this.from === "match" && this.id) return this.#fromMatch();
    const kept = this.from === "kept" ? setting("study", null) : null;
    if (kept) return this.#load(kept).catch(() => this.#choices());
    return this.#choices();
  }

  // Where it comes from

  #choices(error = "") {
    const text = h("textarea", { id: "text", rows: 5, spellcheck: "false", autocapitalize: "off" });
    const problem = h("p", { class: "problem", role: "alert" }, error);
    const players = h("select", { id: "deal-players" }, [2, 3, 4].map((count) => h("option", { value: count }, say(`players_${count}`))));
    const attempt = async (work) => {
      setText(problem, "");
      try {
        await work();
      } catch (failure) {
        setText(problem, /** @type {Error} */ (failure).message);
      }
    };
    const setup = h("div", {});
    fill(this.element, h("h1", {}, say("study_title")), h("p", { class: "lead" }, say("study_lead")), problem,
      h("div", { class: "columns" },
        h("section", { class: "card" }, h("h2", {}, say("study_deal")), h("p", { class: "note" }, say("study_deal_note")),
          h("div", { class: "pair" }, h("label", { for: "deal-players", class: "hidden" }, say("how_many")), players,
            h("button", { type: "button", class: "main", onclick: () => attempt(async () => {
              const { deal } = await call("RulesService/DealRound", { players: Number(players.value) });
              await this.#load({ deal });
            }) }, say("start")))),
        h("section", { class: "card" }, h("h2", {}, say("study_paste")), h("label", { for: "text", class: "note" }, say("study_paste_note")), text,
          h("button", { type: "button", class: "main", onclick: () => attempt(async () => this.#load(await call("RulesService/ParseText", { text: text.value }))) }, say("open"))),
        h("section", { class: "card wide" }, h("h2", {}, say("study_setup")), setup)));
    fill(setup, new Setup((view) => attempt(() => this.#load({ view }))).element);
  }

  async #fromMatch() {
    const seat = seatOf(this.id);
    if (!seat) return this.#choices(say("no_seat_help"));
    const who = { matchId: this.id, seatToken: seat.token };
    try {
      const [record, { view }] = await Promise.all([call("MatchService/ExportRecord", who), call("MatchService/GetView", who)]);
      if (record.match) await this.#load({ match: record.match }, view.seats, view.seat ?? 0);
      else await this.#load({ view: view.view }, view.seats, view.seat ?? 0);
    } catch (error) {
      this.#choices(/** @type {Error} */ (error).message);
    }
  }

  /** @param {{view?: any, deal?: any, match?: any, seatRecord?: any}} content */
  async #load(content, seats = null, own = null) {
    const { deal, match, seatRecord } = content;
    const view = content.view ?? seatRecord?.views[0];
    const stages = match ? await Promise.all(match.rounds.map(stageOfDeal)) : deal ? [await stageOfDeal(deal)] : (seatRecord?.views ?? [view]).map(stageOfView);
    const [first] = stages;
    this.seats = seats ?? plainSeats(first.players, (match ?? seatRecord)?.names);
    this.own = own ?? (view ? (view.seat ?? 0) : -1);
    this.record = null;
    this.#board();
    if (!match && !seatRecord && !seats) set("study", { view, deal });
    await this.replay.load(stages, this.seats, this.own, 0, deal || view ? first.events.length : 0);
  }

  #board() {
    this.back.hidden = true;
    setText(this.back, say("back_to_record"));
    setText(this.undo, say("undo"));
    fill(this.element, h("div", { class: "row" }, h("h1", {}, say("nav_study")), this.back, this.undo,
      h("button", { type: "button", class: "quiet", onclick: () => { this.thinking.stop(); location.hash = "#/study"; this.#choices(); } }, say("another"))),
      this.notice,
      h("div", { class: "walk" }, h("section", { class: "card" }, this.replay.element, this.enter), h("section", { class: "card" }, this.thinking.element)));
  }

  // Walking

  get stage() {
    return this.replay.stages[this.replay.stage];
  }

  async #moved() {
    const { stage, replay } = this;
    const { count } = replay;
    this.selected = "";
    this.legal = [];
    this.turn = null;
    setText(this.notice, "");
    fill(this.enter);
    this.undo.hidden = !stage.view?.record || count === 0 || count !== stage.events.length || !this.editable;
    const stamp = (this.stamp = {});
    try {
      const turn = await this.#turn();
      if (this.stamp !== stamp) return;
      this.turn = turn;
    } catch (error) {
      setText(this.notice, /** @type {Error} */ (error).message);
    }
    this.#offer();
    this.#aim();
  }

  get editable() {
    return Boolean(this.stage.view && !this.stage.view.snapshot);
  }

  /** Who is to do what here, and what is legal. */
  async #turn() {
    const { stage, replay } = this;
    let seat = replay.state.toMove;
    let deal = null;
    if (stage.deal) {
      const moves = (stage.deal.moves ?? []).slice(0, placedIn(stage, replay.count));
      deal = { ...stage.deal, moves };
      if (seat === undefined) {
        const { state } = await call("RulesService/DescribeRound", { deal });
        if (state.over) return null;
        seat = state.seatToMove ?? 0;
        replay.state.toMove = seat;
        replay.draw(true);
      }
      const view = viewAt(stage, replay.count, seat);
      const answer = await call("RulesService/ListLegalMoves", { view });
      this.legal = legalOf(answer);
      return { seat, view, deal, action: answer.action };
    }
    const own = stage.view.seat ?? 0;
    const view = viewAt(stage, replay.count, own);
    const { facts, violations } = await call("RulesService/ValidateView", { view });
    if (!facts) throw new Error(violations?.[0]?.description ?? "");
    if (facts.action === "ACTION_OVER") return null;
    seat = facts.seatToMove ?? 0;
    replay.state.toMove = seat;
    replay.draw(true);
    if (seat === own) {
      const answer = await call("RulesService/ListLegalMoves", { view });
      this.legal = legalOf(answer);
      return { seat, view, deal: null, action: answer.action };
    }
    return { seat, view, deal: null, action: "ACTION_WAIT" };
  }

  #aim() {
    const { turn, replay } = this;
    if (!turn || turn.action === "ACTION_WAIT" || turn.action === "ACTION_OVER") return this.thinking.aim(null);
    this.thinking.aim({ view: turn.view, deal: turn.deal, seat: turn.seat, seats: this.seats ?? [], own: this.own ?? -1, table: { layout: replay.layout, plan: replay.plan } });
  }

  // Trying moves

  #offer() {
    const { replay, turn, selected } = this;
    const tiles = new Set(this.legal.map((one) => one.move.tile));
    replay.mark(tiles, selected);
    if (this.legal.length) {
      const places = this.legal.filter((one) => one.move.tile === selected).map((one) => ({
        key: `${selected}@${one.move.at}`, at: one.move.at, points: one.pointsNow, count: one.countAfter, label: `${moveName(one.move, replay)}: ${effectName(one)}` }));
      replay.table.offer(places, selected ? say("places_for", { tile: tileName(selected) }) : "");
    }
    if (!turn || !this.editable) return;
    const atEnd = replay.count === this.stage.events.length;
    if (!atEnd) return;
    if (turn.action === "ACTION_WAIT") this.#enterOther(turn);
    else if (turn.action === "ACTION_DRAW") this.#enterOwnDraw();
    else if (turn.action === "ACTION_PASS") fill(this.enter, h("p", {}, say("must_pass")), h("button", { type: "button", class: "main", onclick: () => this.#append({ seat: turn.seat, pass: {} }) }, say("passes_now")));
  }

  /** What another seat did: a tile of those not seen, a draw or a pass. */
  #enterOther(turn) {
    const { replay, selected } = this;
    const unseen = this.#unseen();
    const name = seatName(this.seats ?? [], turn.seat, this.own ?? -1);
    this.tray.show((tile) => (tile === selected ? "chosen" : unseen.has(tile) ? "free" : "gone"), say("unseen"));
    fill(this.enter, h("p", {}, h("b", {}, say("what_did", { name }))), this.tray.element,
      h("div", { class: "row" },
        replay.state.talon > 0 ? h("button", { type: "button", onclick: () => this.#append({ seat: turn.seat, draw: { count: 1 } }) }, say("drew_a_tile")) : null,
        replay.state.talon === 0 ? h("button", { type: "button", onclick: () => this.#append({ seat: turn.seat, pass: {} }) }, say("passes_now")) : null));
    replay.table.offer(selected ? placesFor(selected, replay.state.placements, replay.layout, replay.plan) : [], selected ? say("places_for", { tile: tileName(selected) }) : "");
  }

  #enterOwnDraw() {
    const unseen = this.#unseen();
    this.tray.show((tile) => (unseen.has(tile) ? "free" : "gone"), say("unseen"));
    fill(this.enter, h("p", {}, h("b", {}, say("what_drew"))), this.tray.element);
  }

  #unseen() {
    const { state } = this.replay;
    const seen = new Set([...state.placements.map((move) => move.tile), ...(state.hands[this.stage.view.seat ?? 0] ?? [])]);
    return new Set([...this.tray.buttons.keys()].filter((tile) => !seen.has(tile)));
  }

  #select(tile) {
    if (this.turn?.action === "ACTION_DRAW" && this.editable) return this.#append({ seat: this.turn.seat, draw: { tiles: [tile] } });
    this.selected = this.selected === tile ? "" : tile;
    this.#offer();
    if (this.selected && document.activeElement?.closest(".hands, .tray")) {
      const keyboard = document.activeElement.matches(":focus-visible");
      if (keyboard) this.replay.table.focus();
    }
  }

  #choose(place) {
    const [tile, at] = place.key.split("@");
    this.#try({ tile, at });
  }

  async #try(move) {
    const { stage, replay, turn } = this;
    if (!turn) return;
    const next = stage.events[replay.count];
    if (next?.play && next.play.tile === move.tile && (next.play.at ?? "") === (move.at ?? "")) return replay.step(1);
    if (turn.deal) {
      try {
        const answer = await call("RulesService/ApplyMove", { deal: turn.deal, move });
        const varied = await stageOfDeal(answer.deal);
        await this.#vary(varied);
      } catch (error) {
        setText(this.notice, /** @type {Error} */ (error).message);
      }
      return;
    }
    if (!this.editable) return this.#trySnapshot(move);
    await this.#append({ seat: turn.seat, play: { tile: move.tile, at: move.at ?? "" } });
  }

  /** After a move from a position without history nothing more is known of the others: the table is shown. */
  async #trySnapshot(move) {
    const legal = this.legal.find((one) => one.move.tile === move.tile && one.move.at === (move.at ?? ""));
    if (!legal) return;
    const { state } = this.replay;
    const placements = [...state.placements, { tile: move.tile, at: move.at ?? "" }];
    const found = await planOf(placements);
    this.replay.table.offer([], "");
    this.replay.table.show({ ...found, last: move.tile, name: moveName(move, this.replay) });
    announce(`${moveName(move, this.replay)}: ${effectName(legal)}`);
    setText(this.notice, `${moveName(move, this.replay)}: ${effectName(legal)}`);
    this.back.hidden = false;
    this.record ??= this.replay.stages;
  }

  /** Adds an event to what a seat saw, where the walk stands. */
  async #append(event) {
    const { stage, replay } = this;
    const events = [...stage.events.slice(0, replay.count), event];
    const view = { ...stage.view, record: { ...stage.view.record, events } };
    try {
      const { valid, violations } = await call("RulesService/ValidateView", { view });
      if (!valid) {
        setText(this.notice, violations?.[0]?.description ?? "");
        return;
      }
    } catch (error) {
      setText(this.notice, /** @type {Error} */ (error).message);
      return;
    }
    if (replay.count === stage.events.length && !this.record) {
      // The record itself grows.
      const grown = stageOfView(view);
      await replay.load([grown], this.seats ?? [], this.own ?? -1, 0, events.length);
      set("study", { view });
      return;
    }
    await this.#vary(stageOfView(view), events.length);
  }

  async #vary(stage, count = stage.events.length) {
    this.record ??= this.replay.stages;
    this.recordPlace ??= [this.replay.stage, this.replay.count];
    this.back.hidden = false;
    await this.replay.load([stage], this.seats ?? [], this.own ?? -1, 0, count);
  }

  #backToRecord() {
    const record = this.record ?? [];
    const [stage, count] = this.recordPlace ?? [0, 0];
    this.record = null;
    this.recordPlace = undefined;
    this.back.hidden = true;
    this.replay.load(record, this.seats ?? [], this.own ?? -1, stage, count);
  }

  #undo() {
    const { stage } = this;
    const events = stage.events.slice(0, -1);
    const view = { ...stage.view, record: { ...stage.view.record, events } };
    this.replay.load([stageOfView(view)], this.seats ?? [], this.own ?? -1, 0, events.length);
  }
}
