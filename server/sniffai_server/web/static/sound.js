// @ts-check
// Sounds, made by the browser. Off until somebody turns them on.

import { setting } from "./store.js";

/** @type {AudioContext | null} */
let context = null;

/** Plays a sound: "place", "score", "draw", "win" or "lose". */
export function play(name) {
  if (!setting("sound", false)) return;
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
  SOUNDS[name]?.();
}

const SOUNDS = {
  place: () => knock(0, 0.5),
  draw: () => { knock(0, 0.2); knock(0.09, 0.2); },
  score: () => { knock(0, 0.5); tone(0.06, 660); tone(0.16, 880); },
  win: () => [523, 659, 784, 1047].forEach((pitch, i) => tone(0.14 * i, pitch)),
  lose: () => [392, 330].forEach((pitch, i) => tone(0.2 * i, pitch)),
};

/** A tile on wood: a short burst of noise. */
function knock(after, volume) {
  if (!context) return;
  const start = context.currentTime + after;
  const noise = context.createBuffer(1, 2400, context.sampleRate);
  const data = noise.getChannelData(0);
  for (let i = 0; i < data.length; i++) data[i] = (Math.random() * 2 - 1) * Math.exp(-i / 300);
  const source = context.createBufferSource();
  source.buffer = noise;
  const filter = context.createBiquadFilter();
  filter.type = "bandpass";
  filter.frequency.value = 1400;
  const gain = context.createGain();
  gain.gain.value = volume;
  source.connect(filter).connect(gain).connect(context.destination);
  source.start(start);
}

function tone(after, pitch) {
  if (!context) return;
  const start = context.currentTime + after;
  const source = context.createOscillator();
  source.type = "triangle";
  source.frequency.value = pitch;
  const gain = context.createGain();
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(0.12, start + 0.01);
  gain.gain.exponentialRampToValueAtTime(0.001, start + 0.3);
  source.connect(gain).connect(context.destination);
  source.start(start);
  source.stop(start + 0.32);
}
