// @ts-check
// Words in the reader's language.

import { en } from "./words/en.js";
import { ja } from "./words/ja.js";
import { zh } from "./words/zh.js";
import { setting } from "./store.js";

/** By code of BCP 47, as the server knows them. */
/** @type {Record<string, {name: string, words: Record<string, string>}>} */
export const LANGUAGES = {
  en: { name: "English", words: en },
  ja: { name: "日本語", words: ja },
  "zh-Hans": { name: "简体中文", words: zh },
};

/** @returns {string} the language of a saved report; else the one chosen, or the first of the browser's that there is */
export function language() {
  if (document.documentElement.dataset.saved !== undefined) return document.documentElement.lang;
  const chosen = setting("language", "");
  if (LANGUAGES[chosen]) return chosen;
  for (const wanted of navigator.languages) {
    const first = wanted.toLowerCase().split("-")[0];
    if (first === "ja" || first === "en") return first;
    if (first === "zh") return "zh-Hans";
  }
  return "en";
}

let code = language();
let plural = new Intl.PluralRules(code);

/** Reads the language again. */
export function readLanguage() {
  code = language();
  plural = new Intl.PluralRules(code);
  document.documentElement.lang = code;
}

/**
 * A message. Where it differs by number, `count` decides: its key then has `_one` and `_other`.
 * @param {string} key
 * @param {Record<string, string | number>} values
 * @returns {string}
 */
export function say(key, values = {}) {
  const words = /** @type {Record<string, string>} */ (LANGUAGES[code].words);
  let text = words[key];
  if (text === undefined && "count" in values) {
    text = words[`${key}_${plural.select(Number(values.count))}`] ?? words[`${key}_other`];
  }
  if (text === undefined) throw new Error(`there is no message ${key}`);
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/** Whether there is such a message. */
export const knows = (key) => key in LANGUAGES[code].words;

/** A number with digits behind the point; a real minus sign, and a plus if wanted. */
export function number(value, digits = 0, signed = false) {
  const text = Math.abs(value).toFixed(digits);
  const zero = Number(text) === 0;
  const sign = zero ? "" : value < 0 ? "−" : signed ? "+" : "";
  return sign + text;
}

/** A chance in per cent. */
export const percent = (chance, digits = 1) => `${number(100 * chance, digits)}%`;

/** A level's name as people say it. */
export const levelName = (level) => (knows(`level_${level}`) ? say(`level_${level}`) : level);
