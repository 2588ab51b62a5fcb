// Two levels of play play a match through the service; stop it at any moment, start it again, and it goes on.
//
// Usage: node examples/match.js FILE [ADDRESS] [SEED]. FILE holds the match as JSON; it is written after each move.

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { connect, fromJson, OpenDealSchema, problem, toJson } from "../index.js";

const LEVELS = ["attentive", "casual"]; // who sits at each seat

// The match: its seed, the number of the round, the deal with its moves so far.
function save(file, { seed, rounds, deal }) {
  writeFileSync(`${file}.new`, JSON.stringify({ seed, rounds, deal: toJson(OpenDealSchema, deal) }));
  renameSync(`${file}.new`, file); // at once: a crash leaves the old file or the new one
}

function load(file) {
  const { seed, rounds, deal } = JSON.parse(readFileSync(file, "utf8"));
  return { seed, rounds, deal: fromJson(OpenDealSchema, deal) };
}

// Plays on, from the file alone, to the end of the match.
async function play({ analysis, rules }, file) {
  for (;;) {
    const { seed, rounds, deal } = load(file);
    const { state } = await rules.describeRound({ deal });
    if (state.matchWinner !== undefined) {
      console.log("team", state.matchWinner, "wins the match:", ...state.scores);
      return;
    }
    if (state.over) {
      console.log("round", rounds, "ends:", ...state.scores);
      // Who went out leads; after a blocked round (wentOut is not set) the server draws lots.
      const next = { players: LEVELS.length, seed: BigInt(seed + rounds), leader: state.wentOut, scores: state.scores };
      save(file, { seed, rounds: rounds + 1, deal: (await rules.dealRound(next)).deal });
      continue;
    }
    const seat = state.seatToMove;
    const view = state.views[seat];
    const { move } = await analysis.recommendMove({ view, level: LEVELS[seat], seed: BigInt(seed) });
    const applied = await rules.applyMove({ deal, move });
    save(file, { seed, rounds, deal: applied.deal });
    console.log("seat", seat, "plays", move.tile, move.at);
  }
}

const [file, address = "127.0.0.1:50051", seed = "1"] = process.argv.slice(2);
const sniffai = connect(address);
try {
  if (!existsSync(file)) {
    const first = await sniffai.rules.dealRound({ players: LEVELS.length, seed: BigInt(seed) });
    save(file, { seed: Number(seed), rounds: 1, deal: first.deal });
  }
  await play(sniffai, file);
} catch (error) {
  const { code, message } = problem(error);
  console.error(`${code}: ${message}`);
  process.exitCode = 1;
} finally {
  sniffai.close();
}
