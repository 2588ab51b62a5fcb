// @ts-check
// The review of a match that is over: walk through it, with every placement judged.

import { call, CallError, stream } from "./connect.js";
import { chart } from "./chart.js";
import { fill, h, setText } from "./dom.js";
import { CLASS, Judged } from "./judged.js";
import { seatName, teamOf } from "./names.js";
import { Quiz } from "./quiz.js";
import { Replay } from "./replay.js";
import { embed } from "./report.js";
import { stageOfDeal } from "./stages.js";
import { seatOf } from "./store.js";
import { language, percent, say } from "./words.js";

/** The page. */
export class ReviewPage {
  /** @param {string} id of the match */
  constructor(id) {
    this.id = id;
    this.stop = new AbortController();
    /** @type {Map<string, any>} by round and event */
    this.decisions = new Map();
    this.replay = new Replay({ moved: () => this.#moved() });
    this.progress = h("progress", { max: 1, value: 0, "aria-label": say("reviewing") });
    this.state = h("p", { class: "note", role: "status" });
    this.chart = h("div", {});
    this.judged = new Judged(this.replay);
    this.beside = h("section", { class: "card" }, this.judged.element);
    this.mistakes = h("ol", { class: "mistakes" });
    this.order = h("select", { id: "order" }, h("option", { value: "size" }, say("by_size")), h("option", { value: "time" }, say("by_time")));
    this.order.addEventListener("change", () => this.#list());
    this.quiz = new Quiz(this.replay, () => this.#quizzed());
    this.ask = h("button", { type: "button", hidden: true, onclick: () => this.#quizzed(this.#own()) }, say("quiz_start"));
    this.list = h("section", { class: "card" }, h("div", { class: "row" }, h("h2", {}, say("mistakes")), h("label", { for: "order", class: "hidden" }, say("order")), this.order), this.ask, this.mistakes);
    this.report = h("div", {});
    this.download = h("div", { class: "row" });
    this.element = h("div", { class: "review" },
      h("h1", {}, say("review_title")), h("div", { class: "progress" }, this.progress, this.state),
      h("div", { class: "walk" }, h("section", { class: "card" }, this.replay.element),
        h("div", {}, this.beside, this.list)),
      h("section", { class: "card" }, h("h2", {}, say("chances_over_time")), this.chart),
      this.download, this.report);
  }

  get title() {
    return say("review_title");
  }

  async start() {
    const seat = seatOf(this.id);
    if (!seat) {
      fill(this.element, h("section", { class: "card" }, h("h1", {}, say("no_seat")), h("p", {}, say("no_seat_help")), h("a", { class: "button main", href: "#/" }, say("home"))));
      return;
    }
    this.seat = seat.seat;
    const who = { matchId: this.id, seatToken: seat.token };
    try {
      const [record, { view }] = await Promise.all([call("MatchService/ExportRecord", who), call("MatchService/GetView", who)]);
      if (!record.match) throw new CallError("failed_precondition", say("not_over"));
      const stages = await Promise.all(record.match.rounds.map(stageOfDeal));
      this.seats = view.seats ?? [];
      this.team = teamOf(this.seats.length, this.seat);
      await this.replay.load(stages, this.seats, this.seat);
      fill(this.download, saveButton(say("save_record"), "match.txt", "text/plain", record.text ?? ""),
        h("a", { class: "button", href: `#/study/match/${this.id}` }, say("study_this_match")));
      await this.#review(who);
    } catch (error) {
      if (this.stop.signal.aborted) return;
      setText(this.state, /** @type {Error} */ (error).message);
      this.progress.hidden = true;
    }
  }

  close() {
    this.stop.abort();
  }

  async #review(who) {
    setText(this.state, say("reviewing"));
    for await (const message of stream("MatchService/ReviewMatch", { ...who, languageCode: language(), page: true }, { signal: this.stop.signal })) {
      const { decision } = message;
      this.progress.max = message.totalCount || 1;
      this.progress.value = message.doneCount ?? 0;
      if (decision) {
        this.decisions.set(`${decision.round ?? 0}.${decision.event ?? 0}`, decision);
        this.#later();
      }
      if (message.page) this.#reported(message.page);
    }
    this.progress.hidden = true;
    setText(this.state, say("reviewed", { count: this.decisions.size }));
    this.#drawn();
  }

  /** Draws what has come, a few times a second. */
  #later() {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.#drawn();
    }, 400);
  }

  #drawn() {
    this.#list();
    this.#charted();
    this.#moved();
  }

  /** Steps before a round, in all rounds. */
  #offset(round) {
    return this.replay.stages.slice(0, round).reduce((sum, stage) => sum + stage.events.length, 0);
  }

  #charted() {
    const { stages } = this.replay;
    const lines = (this.seats ?? []).map((_, seat) => ({ seat, label: seatName(this.seats ?? [], seat, this.seat ?? -1), points: /** @type {any[]} */ ([]) }));
    const all = [...this.decisions.values()].sort((one, other) => (one.round ?? 0) - (other.round ?? 0) || (one.event ?? 0) - (other.event ?? 0));
    for (const decision of all) {
      const seat = decision.seat ?? 0;
      const value = (decision.values ?? []).find((one) => (one.team ?? 0) === teamOf(lines.length, seat));
      if (!value) continue;
      lines[seat].points.push({ x: this.#offset(decision.round ?? 0) + (decision.event ?? 0), chance: value.winProbability ?? 0, mark: CLASS[decision.verdict], title: this.#place(decision) });
    }
    const rounds = stages.map((_, round) => ({ x: this.#offset(round), label: String(round + 1) }));
    const length = this.#offset(stages.length);
    fill(this.chart, chart(lines, {
      rounds, length, now: this.#offset(this.replay.stage) + this.replay.count, label: say("chances_over_time"),
      pick: (x) => {
        let round = stages.length - 1;
        while (round > 0 && this.#offset(round) > x) round -= 1;
        this.replay.go(round, x - this.#offset(round));
      },
    }), h("p", { class: "note" }, say("chances_each")));
  }

  #place(decision) {
    return `${say("round_short", { round: (decision.round ?? 0) + 1 })}${say("comma")}${seatName(this.seats ?? [], decision.seat ?? 0, this.seat ?? -1)}`;
  }

  #list() {
    const found = [...this.decisions.values()].filter((decision) => CLASS[decision.verdict]);
    const bySize = this.order.value === "size";
    found.sort((one, other) => bySize ? (other.winProbabilityLoss ?? 0) - (one.winProbabilityLoss ?? 0) : (one.index ?? 0) - (other.index ?? 0));
    this.ask.hidden = !this.#own().length;
    fill(this.mistakes, found.length ? found.map((decision) => h("li", {}, h("button", { type: "button", class: "row", onclick: () => this.#show(decision) },
      h("span", { class: `verdict ${CLASS[decision.verdict]}` }, say(`verdict_${CLASS[decision.verdict]}`)),
      h("span", {}, this.#place(decision)), h("b", {}, `−${percent(decision.winProbabilityLoss ?? 0)}`)))) : h("li", { class: "note" }, say("no_mistakes")));
  }

  /** The own decisions that were mistakes, in the order of play. */
  #own() {
    return [...this.decisions.values()].filter((decision) => CLASS[decision.verdict] && (decision.seat ?? 0) === this.seat)
      .sort((one, other) => (one.index ?? 0) - (other.index ?? 0));
  }

  /** Begins a quiz, or goes back to the review. */
  #quizzed(questions = []) {
    this.list.hidden = questions.length > 0;
    fill(this.beside, questions.length ? this.quiz.element : this.judged.element);
    if (!questions.length) return this.#moved();
    return this.quiz.begin(questions);
  }

  #show(decision) {
    this.replay.go(decision.round ?? 0, decision.event ?? 0);
    this.replay.element.scrollIntoView({ block: "nearest" });
  }

  /** What is said about the placement that comes next. */
  #moved() {
    const { stage, count, settled } = this.replay;
    if (!settled) return;
    if (this.quiz.on) {
      this.quiz.draw().catch((error) => setText(this.state, error.message));
      return;
    }
    if (this.chart.querySelector(".now")) this.#charted();
    this.judged.show(this.decisions.get(`${stage}.${count}`));
  }

  #reported(page) {
    this.download.prepend(saveButton(say("save_report"), "review.html", "text/html", page));
    fill(this.report, h("details", { class: "card" }, h("summary", {}, h("h2", {}, say("whole_report"))), embed(page, (round, event) => {
      this.replay.go(round, event);
      this.replay.element.scrollIntoView({ block: "start" });
    })));
  }
}

/** A link that saves a text as a file. */
function saveButton(label, name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  return h("a", { class: "button", href: url, download: name }, label);
}

