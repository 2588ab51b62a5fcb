// Plays a match against a level at the console: node examples/opponent/play.mjs [LEVEL] [ADDRESS]
// Stop it at any moment and start it again: the match goes on. The seat is kept in seat.json.

import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Action, connect, problem } from "../../clients/node/index.js"; // in your own program: "sniffai"

const [level = "club", address = "127.0.0.1:50051"] = process.argv.slice(2);
const { matches, close } = connect(address);
const FILE = "seat.json";

// Sends a call again while the server is away. All calls here are safe to repeat.
async function call(method, request) {
  for (;;) {
    try {
      return await method(request);
    } catch (error) {
      if (!["Unavailable", "DeadlineExceeded"].includes(problem(error).code)) throw error;
      await new Promise((go) => setTimeout(go, 1000));
    }
  }
}

// Takes a seat, or goes back to it.
async function sitDown() {
  if (existsSync(FILE)) return JSON.parse(readFileSync(FILE, "utf8"));
  const seats = [{ kind: { case: "human", value: {} } }, { kind: { case: "level", value: level } }];
  const playerToken = randomBytes(32).toString("base64url");
  const { matchId, invitations } = await call(matches.createMatch, { seats, playerToken, requestId: "first" });
  const { seatToken } = await call(matches.joinMatch, { matchId, invitation: invitations[0].invitation });
  writeFileSync(FILE, JSON.stringify({ matchId, seatToken }), { mode: 0o600 });
  return { matchId, seatToken };
}

// Asks for one of the legal moves, by its number.
async function choose({ legalMoves, scores, layout, hand }, lines) {
  console.log(`\nyou ${scores[0]}, ${level} ${scores[1]}; count ${layout.count}; your hand: ${hand.join(" ")}`);
  legalMoves.forEach(({ move, pointsNow }, i) => console.log(`${i + 1}: ${move.tile} ${move.at} (${pointsNow} points)`));
  for (;;) {
    process.stdout.write("number: ");
    const { value, done } = await lines.next();
    if (done) process.exit(0); // the match stays where it is
    const chosen = legalMoves[Number(value) - 1];
    if (chosen) return chosen.move;
  }
}

// What everyone saw, in words.
function tell({ kind: { case: what, value } }) {
  if (what === "roundEvent" && value.kind.case === "play") console.log(`seat ${value.seat}: ${value.kind.value.tile}`);
  if (what === "roundEnded") console.log(`round ${value.round} ends: ${value.scores.join(" ")}`);
}

// Watches the match to its end, and moves when it is up to this seat.
async function play(seat, lines) {
  let afterEvent = 0n; // the number of the last event that was told
  for (;;) {
    // A new stream each minute, or when the server is back: it goes on after the last event.
    try {
      for await (const { events, view } of matches.watchMatch({ ...seat, afterEvent }, { timeoutMs: 60_000 })) {
        events.forEach(tell);
        if (!view) continue; // the stream only shows that it lives
        afterEvent = view.eventNumber;
        if (view.action === Action.OVER) return view;
        if (view.action !== Action.PLAY) continue;
        const move = await choose(view, lines);
        // Sent again with the same key, a move is played once.
        await call(matches.playMove, { ...seat, move, expectedEvent: afterEvent, idempotencyKey: randomUUID() });
      }
    } catch (error) {
      const { code, reason } = problem(error);
      if (reason && code !== "Unavailable") throw error; // the server has refused something
      await new Promise((go) => setTimeout(go, 1000));
    }
  }
}

const view = await play(await sitDown(), createInterface({ input: process.stdin })[Symbol.asyncIterator]());
console.log(`you ${view.scores[0]}, ${level} ${view.scores[1]}: ${view.winner === view.seat ? "you win" : "you lose"}`);
rmSync(FILE);
close();
