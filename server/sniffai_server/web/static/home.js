// @ts-check
// The first page: a new match, and those that were begun.

import { call } from "./connect.js";
import { fill, h, setText } from "./dom.js";
import { teamName } from "./names.js";
import { keepPlayer, keepSeat, playerToken, seatOf, set, setting } from "./store.js";
import { randomKey, randomToken } from "./watch.js";
import { knows, levelName, say } from "./words.js";

const HUMAN = "human";
const LENGTHS = [0, 100, 50]; // points that a team needs to win; 0 for a whole match

/** The page. */
export class HomePage {
  constructor() {
    this.players = setting("players", 2);
    /** @type {string[]} who sits at seats 1 to 3: a level, or "human" */
    this.others = setting("others", []);
    /** @type {any[]} */
    this.levels = [];
    /** @type {any[]} */
    this.tables = [];
    this.choices = h("div", { class: "others" });
    this.error = h("p", { class: "problem", role: "alert" });
    this.list = h("div", {});
    this.hints = check("hints", say("with_hints"), setting("hints", true));
    this.practice = check("practice", say("with_practice"), setting("practice", true));
    this.name = h("input", { type: "text", id: "name", maxlength: 64, autocomplete: "nickname", value: setting("name", "") });
    this.length = h("select", { id: "length" }, LENGTHS.map((points) => h("option", { value: points, selected: setting("length", 0) === points }, points ? say("length_points", { points }) : say("length_whole"))));
    this.start_ = h("button", { type: "submit", class: "main large" }, say("start"));
    const counts = h("fieldset", { class: "choices" }, h("legend", {}, say("how_many")),
      [2, 3, 4].map((players) => radio("players", String(players), say(`players_${players}`), players === this.players, () => this.#count(players))));
    const form = h("form", { class: "card new" }, h("h2", {}, say("new_match")), counts, this.choices,
      h("details", {}, h("summary", {}, say("more_settings")),
        h("p", {}, h("label", { for: "name" }, say("your_name")), this.name),
        h("p", {}, h("label", { for: "length" }, say("length")), this.length), h("div", { class: "checks" }, this.hints, this.practice)),
      this.error, this.start_);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#create();
    });
    this.element = h("div", { class: "home" },
      h("section", { class: "hero" }, h("h1", {}, say("home_title")), h("p", { class: "lead" }, say("home_lead"))),
      h("div", { class: "columns" }, form, h("div", {}, h("section", { class: "card" }, h("h2", {}, say("your_matches")), this.list),
        h("section", { class: "card" }, h("h2", {}, say("rules")), h("ol", { class: "rules" }, [1, 2, 3, 4, 5].map((i) => h("li", {}, say(`rule_${i}`))))))));
  }

  get title() {
    return say("app");
  }

  close() {}

  async start() {
    try {
      const info = await call("EngineService/GetEngineInfo", {});
      this.levels = info.levels ?? [];
      this.tables = info.tables ?? [];
    } catch (error) {
      setText(this.error, `${say("no_server")} ${/** @type {Error} */ (error).message}`);
    }
    this.#draw();
    this.#matches();
  }

  #count(players) {
    this.players = players;
    this.#draw();
  }

  #draw() {
    const names = this.levels.map((level) => level.name);
    const middle = names[Math.floor((names.length - 1) / 2)] ?? "";
    const valid = (who) => who === HUMAN || names.includes(who);
    for (let i = 0; i < 3; i++) if (!valid(this.others[i])) this.others[i] = valid(this.others[i - 1]) && this.others[i - 1] !== HUMAN ? this.others[i - 1] : middle;
    fill(this.choices, Array.from({ length: this.players - 1 }, (_, i) => this.#opponent(i, names)));
  }

  #opponent(i, names) {
    const seat = i + 1;
    const partner = this.players === 4 && seat === 2;
    const label = partner ? say("partner_level") : this.players === 2 ? say("opponent_level") : say("opponent_n", { n: this.players === 4 && seat === 3 ? 2 : seat });
    const id = `level${seat}`;
    const about = h("p", { class: "note", id: `${id}-about` });
    const name = h("output", { for: id, class: "levelname" });
    const slider = h("input", { type: "range", id, min: 0, max: Math.max(0, names.length - 1), step: 1, "aria-describedby": `${id}-about` });
    const person = check(`${id}-person`, say("a_person"), this.others[i] === HUMAN);
    const box = person.querySelector("input");
    const update = () => {
      const human = box.checked;
      const level = names[Number(slider.value)] ?? "";
      this.others[i] = human ? HUMAN : level;
      slider.disabled = human;
      slider.setAttribute("aria-valuetext", levelName(level));
      setText(name, human ? say("person") : levelName(level));
      setText(about, human ? say("person_note") : knows(`about_${level}`) ? say(`about_${level}`) : this.levels[Number(slider.value)]?.description ?? "");
    };
    slider.value = String(Math.max(0, names.indexOf(this.others[i] === HUMAN ? names[Math.floor(names.length / 2)] : this.others[i])));
    slider.addEventListener("input", update);
    box.addEventListener("change", update);
    update();
    return h("div", { class: "opponent" }, h("div", { class: "row" }, h("label", { for: id }, label), name), slider, about, person);
  }

  async #create() {
    const others = this.others.slice(0, this.players - 1);
    const human = others.includes(HUMAN);
    const hints = this.hints.querySelector("input").checked;
    const practice = this.practice.querySelector("input").checked;
    const length = Number(this.length.value);
    const table = this.tables.find((size) => size.players === this.players);
    for (const [name, value] of Object.entries({ length, players: this.players, others: this.others, hints, practice, name: this.name.value })) set(name, value);
    this.start_.disabled = true;
    try {
      await newMatch({
        seats: [{ human: {}, name: this.name.value.trim() }, ...others.map((who) => (who === HUMAN ? { human: {} } : { level: who }))],
        hints, practice: practice && !human,
        ...(length && table ? { scores: Array(table.teamCount).fill(table.target - length) } : {}),
      });
    } catch (error) {
      setText(this.error, /** @type {Error} */ (error).message);
    } finally {
      this.start_.disabled = false;
    }
  }

  async #matches() {
    const token = playerToken();
    if (!token) return fill(this.list, h("p", { class: "note" }, say("no_matches")));
    try {
      const answer = await call("MatchService/ListMatches", { playerToken: token, pageSize: 12 });
      const own = (answer.matches ?? []).filter((match) => seatOf(match.matchId));
      if (!own.length) return fill(this.list, h("p", { class: "note" }, say("no_matches")));
      fill(this.list, h("ul", { class: "matches" }, own.map((match) => item(match))));
    } catch {
      fill(this.list, h("p", { class: "note" }, say("no_matches")));
    }
  }
}

function item(match) {
  const own = seatOf(match.matchId)?.seat ?? 0;
  const seats = match.seats ?? [];
  const others = seats.map((_, seat) => seat).filter((seat) => seat !== own);
  const names = others.map((seat) => seats[seat].name || (seats[seat].level ? levelName(seats[seat].level) : say("person"))).join(say("comma"));
  const scores = (match.scores ?? []).map((points, team) => `${teamName(seats, team, own)} ${points}`).join(" · ");
  const status = { MATCH_STATUS_WAITING: "state_waiting", MATCH_STATUS_PLAYING: "state_playing", MATCH_STATUS_FINISHED: "state_over", MATCH_STATUS_RESIGNED: "state_over", MATCH_STATUS_EXPIRED: "state_expired" }[match.status] ?? "state_playing";
  return h("li", {}, h("a", { href: `#/match/${match.matchId}` }, h("b", {}, names), h("span", {}, scores), h("span", { class: "tag" }, say(status))));
}

function check(id, label, checked) {
  return h("label", { class: "check", for: id }, h("input", { type: "checkbox", id, checked: checked ? "checked" : null }), h("span", {}, label));
}

function radio(name, value, label, checked, change) {
  const id = `${name}-${value}`;
  const input = h("input", { type: "radio", name, id, value, checked: checked ? "checked" : null });
  input.addEventListener("change", change);
  return h("label", { for: id }, input, h("span", {}, label));
}

/** The token of the player, kept before the first call: if an answer gets lost, the same request gives the same match. */
function player() {
  const known = playerToken();
  if (known) return known;
  const token = randomToken();
  keepPlayer(token);
  return token;
}

/** @type {{text: string, id: string} | null} a request for a match whose answer has not come */
let asked = null;
/** @type {Promise<void> | null} a match that is being created: a second click waits for the same one */
let underWay = null;

/** Creates a match, takes its first seat and goes there, unless the reader has gone elsewhere meanwhile. */
export function newMatch(request) {
  underWay ??= create(request).finally(() => (underWay = null));
  return underWay;
}

async function create(request) {
  const here = location.hash;
  const text = JSON.stringify(request);
  if (asked?.text !== text) asked = { text, id: randomKey() };
  const created = await call("MatchService/CreateMatch", { ...request, playerToken: player(), requestId: asked.id });
  const [own, ...others] = created.invitations;
  if (others.length) set(`links.${created.matchId}`, others);
  const there = await join(created.matchId, own.invitation);
  asked = null;
  if (location.hash === here) location.hash = there;
}

/** A match like one that was played. */
export async function newMatchLike(view) {
  const seats = view.seats.map((info, seat) => (info.level ? { level: info.level, name: info.name ?? "" } : { human: {}, name: seat === view.seat ? (info.name ?? "") : "" }));
  const turned = [...seats.slice(view.seat), ...seats.slice(0, view.seat)];
  await newMatch({ seats: turned, hints: Boolean(view.hints), practice: Boolean(view.practice) });
}

/** @type {Map<string, Promise<string>>} seats that are being taken: each further token would end the one before */
const joining = new Map();

/** Takes a seat by its invitation, unless this browser has taken it already. @returns {Promise<string>} where to go then */
export function join(match, invitation) {
  const key = `${match}/${invitation}`;
  const under = joining.get(key) ?? takeSeat(match, invitation).finally(() => joining.delete(key));
  joining.set(key, under);
  return under;
}

async function takeSeat(match, invitation) {
  const there = `#/match/${match}`;
  if (seatOf(match)?.invitation === invitation) return there; // a reload on the way from the invitation to the match
  const answer = await call("MatchService/JoinMatch", { matchId: match, invitation, name: setting("name", ""), playerToken: player() });
  keepSeat(match, { seat: answer.view?.seat ?? 0, token: answer.seatToken, invitation });
  return there;
}

/** What is shown until all have joined: the links for the others. */
export function joinLink(match, shown) {
  const links = setting(`links.${match}`, []);
  return h("section", { class: "result" }, h("h2", {}, say("waiting_others")),
    links.length ? h("p", {}, say("send_links")) : null,
    links.map(({ seat, invitation }) => {
      const url = `${location.origin}${location.pathname}#/join/${match}/${invitation}`;
      const field = h("input", { type: "text", readonly: true, value: url, "aria-label": say("link_for", { seat: seat ?? 0 }) });
      field.addEventListener("focus", () => field.select());
      const copy = h("button", { type: "button", onclick: async () => {
        field.select();
        try { await navigator.clipboard.writeText(url); setText(copy, say("copied")); } catch { document.execCommand("copy"); }
      } }, say("copy"));
      return h("div", { class: "pair" }, field, copy);
    }), shown.seats.length ? null : h("p", {}, ""));
}

