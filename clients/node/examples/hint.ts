// Asks for one move, from what one player has seen: node examples/hint.ts [ADDRESS].

import { Action, connect, problem } from "../index.js";

const sniffai = connect(process.argv[2] ?? "127.0.0.1:50051");
try {
  const answer = await sniffai.analysis.recommendMove({
    view: {
      players: 2,
      seat: 0,
      scores: [0, 0], // before the round
      hand: ["1|3", "1|5", "1|6", "2|5", "2|6", "3|3", "6|6"], // as dealt
      position: {
        case: "record",
        value: {
          leader: 0,
          events: [
            { seat: 0, kind: { case: "play", value: { tile: "6|6" } } }, // the lead joins nothing
            { seat: 1, kind: { case: "play", value: { tile: "5|6", at: "6|6:LINE_A" } } },
            { seat: 0, kind: { case: "play", value: { tile: "2|6", at: "6|6:LINE_B" } } },
            { seat: 1, kind: { case: "play", value: { tile: "1|2", at: "2|6:LOW" } } },
          ],
        },
      },
    },
    limits: { simulations: 20_000n }, // 64-bit numbers are bigint
    seed: 1n,
  });
  if (answer.action === Action.PLAY && answer.move) {
    console.log(`${answer.move.tile} joins ${answer.move.at}`);
    answer.analysis?.moves[0]?.reasons.forEach((reason) => console.log(reason.text));
  }
} catch (error) {
  const { code, message } = problem(error);
  console.error(`${code}: ${message}`);
  process.exitCode = 1;
} finally {
  sniffai.close();
}
