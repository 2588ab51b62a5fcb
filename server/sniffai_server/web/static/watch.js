// @ts-check
// Watches a match for as long as it goes on, through lost connections and restarts of the server.

import { CallError, stream } from "./connect.js";
import { pause } from "./dom.js";

const SILENCE = 40_000; // the server says something every 15 seconds

/**
 * @typedef {object} Watcher
 * @property {() => number} known the number of the last event received
 * @property {(message: any) => void} receive
 * @property {(connected: boolean) => void} state
 * @property {(error: CallError) => void} failed it makes no sense to try again
 */

/**
 * Watches until the match is over or the signal comes.
 * @param {{matchId: string, seatToken: string}} who
 * @param {Watcher} watcher
 * @param {AbortSignal} signal
 */
export async function watch(who, watcher, signal) {
  let failures = 0;
  while (!signal.aborted) {
    const attempt = new AbortController();
    const stop = () => attempt.abort();
    signal.addEventListener("abort", stop);
    let timer = setTimeout(stop, SILENCE);
    const wake = () => document.visibilityState === "visible" && Date.now() - heard > 20_000 && stop();
    let heard = Date.now();
    document.addEventListener("visibilitychange", wake);
    window.addEventListener("offline", stop);
    try {
      for await (const message of stream("MatchService/WatchMatch", { ...who, afterEvent: watcher.known() }, { signal: attempt.signal })) {
        clearTimeout(timer);
        timer = setTimeout(stop, SILENCE);
        heard = Date.now();
        failures = 0;
        watcher.state(true);
        watcher.receive(message);
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof CallError)) throw error;
      if (["not_found", "permission_denied", "unauthenticated", "invalid_argument", "unimplemented"].includes(error.code)) return watcher.failed(error);
      if (failures > 0 || error.code !== "canceled") watcher.state(false);
      failures += 1;
      await Promise.race([pause(Math.min(5000, 250 * 2 ** failures)), new Promise((resolve) => window.addEventListener("online", resolve, { once: true }))]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      document.removeEventListener("visibilitychange", wake);
      window.removeEventListener("offline", stop);
    }
  }
}

/** A random key: not randomUUID, which plain HTTP in a home network does not have. */
export function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A new player's token: 32 random bytes in URL-safe base64. */
export function randomToken() {
  const bytes = String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32)));
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
