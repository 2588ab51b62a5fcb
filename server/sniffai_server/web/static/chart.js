// @ts-check
// Chances over time, as lines.

import { h, s } from "./dom.js";
import { percent } from "./words.js";

const [HEIGHT, LEFT, BOTTOM, TOP] = [240, 52, 26, 10];

/**
 * A chart of chances.
 * @param {{label: string, seat: number, points: {x: number, chance: number, error?: number, mark?: string, title?: string}[]}[]} lines
 * @param {{rounds: {x: number, label: string}[], length: number, now?: number, pick?: (x: number) => void, label: string}} how
 */
export function chart(lines, { rounds, length, now, pick, label }) {
  const width = matchMedia("(max-width: 599px)").matches ? 360 : 640;
  const x = (place) => LEFT + ((width - LEFT - 8) * place) / Math.max(1, length);
  const y = (chance) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - chance);
  const grid = [0, 0.25, 0.5, 0.75, 1].map((chance) => [
    s("line", { class: chance === 0.5 ? "axis" : "grid", x1: LEFT, x2: width - 8, y1: y(chance), y2: y(chance) }),
    s("text", { x: LEFT - 6, y: y(chance) + 4, "text-anchor": "end" }, percent(chance, 0))]);
  const borders = rounds.map((round) => [
    s("line", { class: "grid", x1: x(round.x), x2: x(round.x), y1: TOP, y2: HEIGHT - BOTTOM }),
    s("text", { x: x(round.x) + 4, y: HEIGHT - 8 }, round.label)]);
  const drawn = lines.map(({ seat, points }) => [
    points.some((point) => point.error) ? s("polygon", { class: `band seat${seat}`, points: band(points, x, y) }) : null,
    s("polyline", { class: `line seat${seat}`, points: points.map((point) => `${x(point.x)},${y(point.chance)}`).join(" ") }),
    points.map((point) => s("circle", { class: `dot seat${seat} ${point.mark ?? ""}`, cx: x(point.x), cy: y(point.chance), r: point.mark ? 5.5 : 3 },
      s("title", {}, point.title ?? percent(point.chance))))]);
  const here = now === undefined ? null : s("line", { class: "now", x1: x(now), x2: x(now), y1: TOP, y2: HEIGHT - BOTTOM });
  const svg = s("svg", { class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": label }, grid, borders, here, drawn);
  if (pick) {
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const place = ((((event.clientX - box.x) / box.width) * width - LEFT) / (width - LEFT - 8)) * length;
      pick(Math.max(0, Math.min(length, Math.round(place))));
    });
    svg.classList.add("pickable");
  }
  const keys = lines.length > 1 || lines[0]?.label
    ? h("p", { class: "keys" }, lines.map((line) => h("span", {}, h("span", { class: `swatch seat${line.seat}` }), line.label))) : null;
  return h("figure", { class: "chances" }, keys, svg);
}

function band(points, x, y) {
  const edge = (point, sign) => `${x(point.x)},${y(Math.max(0, Math.min(1, point.chance + sign * 2 * (point.error ?? 0))))}`;
  return [...points.map((point) => edge(point, 1)), ...[...points].reverse().map((point) => edge(point, -1))].join(" ");
}

