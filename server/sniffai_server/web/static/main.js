// @ts-check
// The page: its header, and which part of it is shown.

import { announce } from "./announce.js";
import { fill, h, setAttribute, setText } from "./dom.js";
import { call } from "./connect.js";
import { HomePage, join } from "./home.js";
import { MatchPage } from "./match.js";
import { plansFrom } from "./plans.js";
import { ReviewPage } from "./review.js";
import { set, setting } from "./store.js";
import { StudyPage } from "./study.js";
import { LANGUAGES, language, readLanguage, say } from "./words.js";

plansFrom((placements) => call("RulesService/PlanTable", { placements }));

const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const header = /** @type {HTMLElement} */ (document.querySelector("header"));
/** @type {{element: HTMLElement, title: string, start: () => any, close: () => void} | null} */
let page = null;

function drawHeader() {
  const languages = h("select", { id: "language", "aria-label": say("language") },
    Object.entries(LANGUAGES).map(([code, { name }]) => h("option", { value: code, lang: code, selected: code === language() }, name)));
  languages.addEventListener("change", () => change("language", languages.value));
  const paces = h("select", { id: "pace", "aria-label": say("pace") },
    ["slow", "normal", "fast"].map((pace) => h("option", { value: pace, selected: setting("pace", "normal") === pace }, say(`pace_${pace}`))));
  paces.addEventListener("change", () => set("pace", paces.value));
  const themes = h("select", { id: "theme", "aria-label": say("theme") },
    ["system", "light", "dark"].map((theme) => h("option", { value: theme, selected: setting("theme", "system") === theme }, say(`theme_${theme}`))));
  themes.addEventListener("change", () => {
    set("theme", themes.value);
    applyTheme();
  });
  const sounds = h("input", { type: "checkbox", id: "sound" });
  sounds.checked = setting("sound", false);
  sounds.addEventListener("change", () => set("sound", sounds.checked));
  const menu = h("details", { class: "menu" }, h("summary", { "aria-label": say("settings") }, h("span", { "aria-hidden": "true" }, "⚙")),
    h("div", { class: "card" },
      h("label", { for: "language" }, say("language")), languages,
      h("label", { for: "pace" }, say("pace")), paces,
      h("label", { for: "theme" }, say("theme")), themes,
      h("label", { for: "sound", class: "check" }, sounds, h("span", {}, say("sound")))));
  document.addEventListener("click", (event) => {
    if (!menu.contains(/** @type {Node} */ (event.target))) menu.removeAttribute("open");
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape") menu.removeAttribute("open");
  });
  fill(header, h("a", { class: "brand", href: "#/" }, h("span", { "aria-hidden": "true", class: "logo" }), h("b", {}, say("app"))),
    h("nav", { "aria-label": say("pages") }, link("#/", say("nav_play")), link("#/study", say("nav_study"))), menu);
  setText(/** @type {HTMLElement} */ (document.querySelector(".skip")), say("skip"));
}

function link(href, text) {
  return h("a", { href }, text);
}

function change(name, value) {
  set(name, value);
  readLanguage();
  drawHeader();
  route();
}

function applyTheme() {
  const theme = setting("theme", "system");
  setAttribute(document.documentElement, "data-theme", theme === "system" ? null : theme);
}

let visits = 0;

async function route() {
  const visit = ++visits;
  const [, kind = "", id = "", rest = ""] = location.hash.split("/").map(decodeURIComponent);
  page?.close();
  page = null;
  if (kind === "join" && id && rest) {
    try {
      const there = await join(id, rest);
      if (visit === visits) location.replace(there); // the way back does not lead to the invitation
    } catch (error) {
      if (visit === visits) fill(main, h("section", { class: "card" }, h("h1", {}, say("join_failed")), h("p", {}, /** @type {Error} */ (error).message), h("a", { class: "button main", href: "#/" }, say("home"))));
    }
    return;
  }
  page = kind === "match" ? new MatchPage(id) : kind === "study" ? new StudyPage(id, rest) : kind === "review" ? new ReviewPage(id) : new HomePage();
  document.title = page.title;
  document.body.dataset.page = kind || "home";
  fill(main, page.element);
  for (const item of header.querySelectorAll("nav a")) {
    const here = item.getAttribute("href") === (kind === "study" ? "#/study" : "#/");
    setAttribute(item, "aria-current", here ? "page" : null);
  }
  await page.start();
}

/** @type {HTMLElement} */ (document.querySelector(".skip")).addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
readLanguage();
applyTheme();
drawHeader();
window.addEventListener("hashchange", () => {
  route();
  main.focus({ preventScroll: true });
  announce(document.title);
});
route();
