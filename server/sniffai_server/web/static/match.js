// @ts-check
// The page of a match in play.

import { announce } from "./announce.js";
import { Beliefs } from "./belief.js";
import { call, CallError } from "./connect.js";
import { Chances } from "./chances.js";
import { fill, h, pause, setAttribute, setText } from "./dom.js";
import { Hand } from "./hand.js";
import { joinLink, newMatchLike } from "./home.js";
import { Log, sentence } from "./log.js";
import { Moves } from "./moves.js";
import { effectName, moveName, seatName, sumText, teamOf, tileName } from "./names.js";
import { Panel } from "./panel.js";
import { bestSentence, effort, ranking, reasons } from "./ranking.js";
import { resultPanel } from "./result.js";
import { Seats } from "./seats.js";
import * as sound from "./sound.js";
import { dropPending, forgetSeat, keepPending, seatOf, setting, unset } from "./store.js";
import { Story } from "./story.js";
import { Table } from "./table.js";
import { randomKey, watch } from "./watch.js";
import { language, say } from "./words.js";

const PACES = { slow: 1600, normal: 900, fast: 350 };

/** A button of a sign and a word; on a phone only the sign is seen. */
function iconButton(tag, sign) {
  return h(tag, { class: "button quiet", hidden: true, ...(tag === "button" ? { type: "button" } : {}) },
    h("span", { class: "icon", "aria-hidden": "true" }, sign), h("span", { class: "word" }));
}

/** A match, seen and played from one seat. */
export class MatchPage {
  /** @param {string} id */
  constructor(id) {
    this.id = id;
    this.seat = seatOf(id);
    this.stop = new AbortController();
    this.selected = "";
    this.sending = false;
    this.takingBack = false;
    this.resigning = false;
    this.unsure = 0;
    this.connected = true;
    /** @type {any} the last hint, and the event for which it was made */
    this.hint = null;
    this.origin = /** @type {DOMRect | null} */ (null);
    this.story = new Story({ show: (shown, told) => this.#show(shown, told), pace: () => PACES[setting("pace", "normal")] ?? PACES.normal });
    this.shown = this.story.shown;
    this.seats = new Seats();
    this.table = new Table((place) => this.#choose(place));
    this.hand = new Hand({
      select: (tile, byKey) => this.#select(tile, byKey),
      lift: (tile) => this.#pick(tile),
      drag: (x, y) => this.table.hover(this.table.nearest(x, y, 90)),
      drop: (x, y) => this.#drop(x, y),
      label: (tile, fits) => this.#tileLabel(tile, fits),
    });
    this.log = new Log();
    this.moves = new Moves((move) => this.#play(move));
    this.chances = new Chances(this.#who.bind(this));
    this.status = h("p", { class: "status" });
    this.notice = h("div", { class: "notice", role: "alert", hidden: true });
    this.over = h("div", { class: "overlay", hidden: true });
    this.back = iconButton("button", "↶");
    this.back.addEventListener("click", () => this.#takeBack());
    this.resign = iconButton("button", "⚑");
    this.resign.addEventListener("click", (event) => this.#resign(event));
    this.study = iconButton("a", "⌕");
    this.hints = h("div", {});
    this.beliefs = new Beliefs();
    this.askButton = h("button", { type: "button", class: "main", onclick: () => this.#ask() });
    this.everyTurn = h("input", { type: "checkbox", id: "every" });
    this.everyTurn.addEventListener("change", () => this.everyTurn.checked && this.#ask());
    this.everyLabel = h("label", { for: "every", class: "check" }, this.everyTurn, h("span"));
    const hintBody = h("div", {}, h("div", { class: "row" }, this.askButton, this.everyLabel), this.hints);
    this.panel = new Panel([
      { id: "hint", label: () => say("tab_hint"), body: hintBody },
      { id: "belief", label: () => say("tab_belief"), body: this.beliefs.element },
      { id: "chances", label: () => say("tab_chances"), body: this.chances.element },
      { id: "moves", label: () => say("tab_moves"), body: this.moves.element },
      { id: "log", label: () => say("tab_log"), body: h("div", {}, this.log.list) },
    ], (tab) => this.#opened(tab));
    this.talon = h("div", { class: "talon" });
    this.board = h("div", { class: "board" }, this.table.element, this.talon);
    this.board.addEventListener("click", () => this.story.hurry());
    this.element = h("div", { class: "match" },
      this.notice, this.seats.element, this.board, this.log.ticker,
      h("div", { class: "mine" }, h("div", { class: "bar" }, this.status, h("div", { class: "row" }, this.back, this.study, this.resign)), this.hand.element),
      this.over, this.panel.element);
    this.element.addEventListener("keydown", (event) => this.#keyed(event));
    if (!this.panel.floating) this.panel.show("log");
  }

  get title() {
    return say("match_title");
  }

  /** Starts to watch. */
  start() {
    if (!this.seat) {
      fill(this.element, h("section", { class: "card" }, h("h1", {}, say("no_seat")), h("p", {}, say("no_seat_help")), h("p", {}, h("a", { class: "button main", href: "#/" }, say("home")))));
      return;
    }
    this.#watch();
    if (this.seat.pending) this.#send(this.seat.pending);
  }

  #watch() {
    watch(this.#who(), {
      known: () => this.story.known,
      receive: (message) => this.story.receive(message.events, message.view),
      state: (connected) => this.#connection(connected),
      failed: (error) => this.#lost(error),
    }, this.stop.signal);
  }

  close() {
    this.stop.abort();
  }

  #who() {
    return { matchId: this.id, seatToken: this.seat?.token ?? "" };
  }

  /** Whether the reader is to place a tile, and everything before has been told. */
  get turn() {
    return Boolean(this.shown.view && this.shown.view.action === "ACTION_PLAY" && !this.sending);
  }

  get legal() {
    return this.turn ? this.shown.view.legalMoves : [];
  }

  // Showing

  #show(shown, told) {
    const { seats, seat, layout } = shown;
    this.element.dataset.event = String(shown.event);
    if (told?.kind === "round") {
      this.selected = "";
      this.hint = null;
    }
    if (!this.turn || !shown.hand.includes(this.selected)) this.selected = "";
    this.seats.show(shown);
    this.table.show({
      plan: shown.plan, layout, last: shown.last, name: this.#tableName(shown),
      from: told?.kind === "play" ? (told.seat === seat ? this.origin : this.#plaque(told.seat)) : null,
    });
    this.origin = null;
    setText(this.talon, say("talon_left", { count: shown.talon }));
    this.log.show(shown.log, seats, seat, this.panel.open === "log");
    this.#offer();
    this.#told(told, shown);
    this.#status();
    this.#results(shown);
    if (this.panel.open === "moves") this.moves.show(this.legal, shown);
    this.#panels();
    this.latest = shown.view ?? this.latest;
    const view = this.latest ?? {};
    this.back.hidden = !view.practice;
    setAttribute(this.back, "aria-disabled", shown.view?.canTakeBack ? null : "true");
    setText(this.back.lastChild, say("take_back"));
    const over = view.status && !["MATCH_STATUS_PLAYING", "MATCH_STATUS_WAITING"].includes(view.status);
    this.resign.hidden = Boolean(over) || !view.status;
    this.#resignWord();
    this.study.hidden = !view.hints || Boolean(over);
    setAttribute(this.study, "aria-disabled", this.turn ? null : "true");
    setText(this.study.lastChild, say("study_this"));
    setAttribute(this.study, "href", this.turn ? `#/study/match/${this.id}` : null);
    if (this.turn && this.everyTurn.checked && view.hints && this.hint?.event !== view.eventNumber && this.panel.open) this.#ask();
  }

  #told(told, shown) {
    if (!told) return;
    if (told.kind === "play") {
      sound.play(told.points ? "score" : "place");
      if (told.points) {
        this.table.flash(`+${told.points}`, told.tile, `seat${told.seat}`);
        this.seats.gain(told.seat, told.points);
      }
    } else if (told.kind === "draw") sound.play("draw");
    announce(sentence(told, shown.seats, shown.seat));
  }

  #tableName(shown) {
    const tiles = shown.placements.map((move) => tileName(move.tile)).join(say("comma"));
    return shown.placements.length ? say("table_name", { tiles, sum: sumText(shown.layout) }) : say("table_empty");
  }

  #plaque(seat) {
    return this.seats.list.querySelector(`[data-key="${seat}"] .backs`)?.getBoundingClientRect() ?? null;
  }

  #status() {
    const { shown } = this;
    const { seats, seat, toMove, view, result } = shown;
    let text = "";
    if (!this.connected) text = say("connection_lost");
    else if (this.sending) text = say("sending");
    else if (view?.status === "MATCH_STATUS_WAITING") text = say("waiting_others");
    else if (result) text = view ? say("match_over") : say("round_over");
    else if (this.turn) {
      if (this.selected) text = say("choose_place", { tile: tileName(this.selected) });
      else if (shown.fresh && shown.hand.includes(shown.fresh)) text = say("drawn_play", { tile: tileName(shown.fresh) });
      else text = shown.placements.length ? say("your_turn") : say("your_lead");
    } else if (toMove !== undefined && toMove !== seat) text = say("is_thinking", { name: seatName(seats, toMove, seat) });
    const before = this.status.textContent;
    setText(this.status, text);
    this.status.classList.toggle("go", this.turn);
    if (this.turn && !this.selected && text !== before) announce(text);
    document.title = this.turn ? `● ${say("your_turn")}` : say("app");
  }

  #results(shown) {
    const waiting = shown.view?.status === "MATCH_STATUS_WAITING";
    const open = Boolean(shown.result) || waiting;
    if (shown.view && !waiting && setting(`links.${this.id}`)) unset(`links.${this.id}`); // all have joined
    if (!open) {
      this.over.hidden = true;
      this.shownResult = null;
      return;
    }
    const key = waiting ? "waiting" : `${shown.status}${shown.round}${shown.view ? "v" : ""}`;
    if (this.shownResult === key) return;
    const first = this.shownResult === null || this.shownResult === undefined;
    this.shownResult = key;
    this.over.hidden = false;
    if (waiting) {
      fill(this.over, joinLink(this.id, shown));
      return;
    }
    fill(this.over, resultPanel(shown, {
      next: () => {
        this.over.hidden = true;
        this.shownResult = null;
        this.story.goOn();
        this.hand.focus();
      },
      review: () => (location.hash = `#/review/${this.id}`),
      again: () => newMatchLike(shown.view).catch((error) => this.#notice(error.message)),
      home: () => (location.hash = "#/"),
    }));
    const over = shown.view;
    if (over && first) sound.play(over.winner === teamOf(shown.seats.length, shown.seat) ? "win" : "lose");
    const title = this.over.querySelector("h2")?.textContent;
    if (title && over) announce(title);
    this.over.querySelector(".main")?.focus({ preventScroll: true });
  }

  // Choosing

  #places(tile) {
    return this.legal.filter((one) => one.move.tile === tile).map((one) => ({
      key: `${tile}@${one.move.at}`, at: one.move.at, points: one.pointsNow, count: one.countAfter,
      label: `${moveName(one.move, this.shown)}: ${effectName(one)}`,
      best: this.hint?.event === this.shown.view?.eventNumber && this.#isBest(one.move),
    }));
  }

  #isBest(move) {
    const best = this.hint?.analysis.moves?.[0];
    return best && best.move.tile === move.tile && ((best.move.at ?? "") === move.at || (best.equalPoints ?? []).includes(move.at));
  }

  #tileLabel(tile, fits) {
    const name = tileName(tile);
    if (!this.turn) return name;
    if (!fits) return say("tile_no_fit", { tile: name });
    const places = this.legal.filter((one) => one.move.tile === tile);
    const most = Math.max(...places.map((one) => one.pointsNow));
    return say("tile_fits", { tile: name, places: say("places", { count: places.length }), scores: most ? say("scores", { count: most }) : say("scores_nothing") });
  }

  #offer() {
    const { shown } = this;
    const places = this.selected ? this.#places(this.selected) : [];
    const inside = this.table.element.contains(document.activeElement);
    this.table.offer(places, this.selected ? say("places_for", { tile: tileName(this.selected) }) : "");
    this.hand.show(shown.hand, {
      playable: new Set(this.legal.map((one) => one.move.tile)), selected: this.selected, fresh: shown.fresh,
      label: say("your_hand"), waiting: !this.turn,
    });
    // A place that was chosen is gone: the focus goes back to where the next choice begins.
    if (inside && !this.element.contains(document.activeElement)) this.hand.focus();
  }

  #select(tile, byKey) {
    if (!this.turn) {
      this.story.hurry();
      return;
    }
    if (!this.legal.some((one) => one.move.tile === tile)) {
      announce(say("tile_no_fit", { tile: tileName(tile) }));
      return;
    }
    this.#pick(this.selected === tile && !byKey ? "" : tile);
    if (this.selected && byKey) this.table.focus();
  }

  #pick(tile) {
    this.selected = this.turn ? tile : "";
    this.#offer();
    this.#status();
  }

  #drop(x, y) {
    const place = this.table.nearest(x, y, 90);
    this.table.hover(null);
    if (place) this.#choose(place);
  }

  #choose(place) {
    const [tile, at] = place.key.split("@");
    this.#play({ tile, at });
  }

  #keyed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return;
    if (event.key === "Escape" && this.selected) {
      const tile = this.selected;
      this.#pick("");
      this.hand.focus(tile);
    } else if (/^[0-6]$/.test(event.key) && this.turn) {
      this.#digit(event.key);
    } else if (event.key === "h" && this.shown.view?.hints) {
      this.panel.show("hint");
      this.#ask();
    }
  }

  /** Two digits name a tile. */
  #digit(digit) {
    const now = Date.now();
    const first = this.digit && now - this.digit.time < 2000 ? this.digit.digit : "";
    this.digit = first ? null : { digit, time: now };
    if (!first) return;
    const tile = [first, digit].sort().join("|");
    if (!this.shown.hand.includes(tile)) return announce(say("not_in_hand", { tile: tileName(tile) }));
    this.hand.focus(tile);
    this.#select(tile, true);
  }

  // Acting

  async #play(move) {
    if (!this.turn) return;
    this.origin = this.hand.boxOf(move.tile);
    const pending = { move, event: String(this.shown.view.eventNumber), key: randomKey() };
    keepPending(this.id, pending);
    await this.#send(pending);
  }

  /** Sends a move until its answer comes, with the same key each time. */
  async #send(pending) {
    this.sending = true;
    this.#offer();
    const slow = setTimeout(() => this.#status(), 400);
    for (let tries = 0; !this.stop.signal.aborted; tries++) {
      try {
        const answer = await call("MatchService/PlayMove", { ...this.#who(), move: pending.move, expectedEvent: pending.event, idempotencyKey: pending.key }, { timeout: 10_000, signal: this.stop.signal });
        this.sending = false;
        dropPending(this.id, pending.key);
        this.story.receive(answer.events, answer.view);
        break;
      } catch (error) {
        if (error instanceof CallError && error.passing) {
          if (this.stop.signal.aborted) return;
          if (error.code === "unavailable") this.#connection(false);
          await pause(Math.min(4000, 300 * 2 ** tries));
          continue;
        }
        this.sending = false;
        dropPending(this.id, pending.key);
        this.#notice(error instanceof Error ? error.message : String(error));
        await this.#refresh();
        break;
      }
    }
    clearTimeout(slow);
    this.#status();
    this.#offer();
  }

  async #refresh() {
    try {
      const answer = await call("MatchService/GetView", { ...this.#who(), afterEvent: this.story.known });
      this.story.receive(answer.events, answer.view);
    } catch {
      // The stream brings it.
    }
  }

  async #takeBack() {
    if (!this.shown.view?.canTakeBack || this.takingBack) return;
    this.takingBack = true;
    try {
      const answer = await call("MatchService/TakeBack", { ...this.#who(), expectedEvent: String(this.shown.view.eventNumber), idempotencyKey: randomKey() });
      this.selected = "";
      this.story.receive(answer.events, answer.view);
      this.hand.focus();
    } catch (error) {
      this.#notice(/** @type {Error} */ (error).message);
    } finally {
      this.takingBack = false;
    }
  }

  async #resign(event) {
    if (this.resigning || event.detail > 1) return; // the second click of a double click says nothing
    if (!this.resign.dataset.sure) {
      this.resign.dataset.sure = "yes";
      this.#resignWord();
      clearTimeout(this.unsure);
      this.unsure = setTimeout(() => {
        delete this.resign.dataset.sure;
        this.#resignWord();
      }, 4000);
      return;
    }
    delete this.resign.dataset.sure;
    this.resigning = true;
    try {
      const answer = await call("MatchService/Resign", this.#who());
      this.story.goOn();
      this.story.receive([], answer.view);
    } catch (error) {
      this.#notice(/** @type {Error} */ (error).message);
    } finally {
      this.resigning = false;
    }
  }

  #resignWord() {
    setText(this.resign.lastChild, this.resign.dataset.sure ? say("resign_sure") : say("resign"));
    this.resign.lastChild.classList.toggle("word", !this.resign.dataset.sure);
  }

  // Hints

  #opened(tab) {
    this.#panels();
    const view = this.shown.view;
    // What nobody looks at is not drawn: phones are slow.
    const { shown } = this;
    if (tab === "chances") this.chances.open(shown);
    if (tab === "moves") this.moves.show(this.legal, shown);
    if (tab === "log") this.log.show(shown.log, shown.seats, shown.seat, true);
    if (view?.hints && this.turn && (tab === "belief" || (tab === "hint" && this.everyTurn.checked))) this.#ask();
  }

  async #ask() {
    const view = this.shown.view;
    if (!view || !this.turn || this.asking || this.hint?.event === view.eventNumber) return;
    this.asking = true;
    this.#panels();
    try {
      const answer = await call("MatchService/RequestHint", { ...this.#who(), languageCode: language() });
      if (this.shown.view?.eventNumber === view.eventNumber) {
        this.hint = { analysis: answer.analysis ?? {}, event: view.eventNumber };
        this.chances.note(view, this.hint.analysis);
        announce(bestSentence(this.hint.analysis, this.#team, this.shown));
      }
    } catch (error) {
      this.#notice(/** @type {Error} */ (error).message);
    } finally {
      this.asking = false;
      this.#panels();
      this.#offer();
    }
  }

  get #team() {
    return teamOf(this.shown.seats.length, this.shown.seat);
  }

  #panels() {
    const { shown } = this;
    const view = shown.view;
    const allowed = view ? view.hints : this.allowed;
    this.allowed = allowed;
    const fresh = this.hint && view && this.hint.event === view.eventNumber;
    setText(this.askButton, this.asking ? say("asking") : say("ask"));
    this.askButton.hidden = !allowed || Boolean(fresh);
    setAttribute(this.askButton, "aria-disabled", this.turn && !this.asking ? null : "true");
    this.everyLabel.hidden = !allowed;
    setText(this.everyLabel.lastChild, say("every_turn"));
    const key = `${this.hint?.event}${Boolean(fresh)}${allowed}${this.turn}${language()}`;
    if (key === this.panelKey) return;
    this.panelKey = key;
    if (!allowed) {
      fill(this.hints, h("p", { class: "note" }, say("no_hints")));
      this.beliefs.clear(say("no_hints"));
      return;
    }
    if (!fresh) {
      fill(this.hints, h("p", { class: "note" }, this.turn ? say("hint_help") : say("hint_wait")));
      if (!this.hint) this.beliefs.clear(say("belief_help"));
      return;
    }
    const { analysis } = this.hint;
    fill(this.hints, ranking(analysis, { team: this.#team, table: shown, pick: (move) => this.#pick(move.tile) }),
      reasons(analysis), h("p", { class: "note" }, effort(analysis)));
    const names = shown.seats.map((_, seat) => seatName(shown.seats, seat, shown.seat));
    this.beliefs.show(analysis, { names, own: shown.seat });
  }

  // Connection

  #connection(connected) {
    if (this.connected === connected) return;
    this.connected = connected;
    this.element.classList.toggle("offline", !connected);
    this.#status();
    announce(connected ? say("connected_again") : say("connection_lost"));
  }

  #lost(error) {
    const kept = seatOf(this.id);
    if (kept && kept.token !== this.seat?.token) {
      this.seat = kept; // another tab has taken the seat by the same invitation
      this.#watch();
      return;
    }
    if (error.code === "not_found" || error.code === "permission_denied" || error.code === "unauthenticated") forgetSeat(this.id);
    fill(this.element, h("section", { class: "card" }, h("h1", {}, say("match_gone")), h("p", {}, error.message), h("p", {}, h("a", { class: "button main", href: "#/" }, say("home")))));
  }

  #notice(text) {
    this.notice.hidden = false;
    setText(this.notice, text);
    setTimeout(() => (this.notice.hidden = true), 6000);
  }
}
