// Watches an analysis grow, by HTTP as a browser would: node examples/watch.ts [URL].
// In a page, bundle it and use location.origin, or the URL of a server whose web_origins names the page's origin.

import { connect, problem } from "../browser.js";

const sniffai = connect(process.argv[2] ?? "http://127.0.0.1:8080");
try {
  const { state } = await sniffai.rules.dealRound({ players: 2, seed: 24n });
  const view = state!.views[state!.seatToMove!]; // what this seat may know, nothing else
  const request = {
    position: { case: "view" as const, value: view },
    limits: { simulations: 100_000n },
    reportInterval: { nanos: 50_000_000 },
  };
  for await (const { analysis } of sniffai.analysis.streamAnalyze(request)) {
    const [best] = analysis!.moves;
    const chance = best.values[0].winProbability ?? NaN;
    console.log(`${analysis!.final ? "final" : "so far"}: ${best.move!.tile} wins with ${(100 * chance).toFixed(1)} %`);
  }
} catch (error) {
  const { code, message } = problem(error);
  console.error(`${code}: ${message}`);
  process.exitCode = 1;
}
