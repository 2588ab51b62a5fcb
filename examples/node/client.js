// Four computer players play one round through the gRPC service: npm ci, then node client.js [ADDRESS] [SEED].
//
// It needs nothing of sniffai but the .proto files. The table's side (DealRound, ApplyMove) holds all hands; each
// player's side (RecommendMove) sends nothing but that seat's own view.
"use strict";

const path = require("node:path");
const grpc = require("@grpc/grpc-js");
const protoLoader = require("@grpc/proto-loader");

const PROTO = path.join(__dirname, "..", "..", "proto");
const FILES = ["sniffai/v1/analysis_service.proto", "sniffai/v1/rules_service.proto"];
const PLAYERS = 4;
const SIMULATIONS = 2000;
const TIMEOUT_MS = 10_000;

function loadServices() {
  const definition = protoLoader.loadSync(FILES, {
    includeDirs: [PROTO],
    keepCase: true, // names as in the .proto files
    longs: String, // 64-bit numbers do not fit into a number
    enums: String,
    defaults: true,
    oneofs: true, // event.kind names what event it is
  });
  return grpc.loadPackageDefinition(definition).sniffai.v1;
}

// A call as a promise, always with a deadline.
function call(client, method, request) {
  return new Promise((resolve, reject) => {
    const deadline = new Date(Date.now() + TIMEOUT_MS);
    client[method](request, { deadline }, (error, answer) => (error ? reject(error) : resolve(answer)));
  });
}

function lineOf(event) {
  switch (event.kind) {
    case "play":
      return `seat ${event.seat} plays ${event.play.tile} ${event.play.at || "as the lead"}: ${event.play.points}`;
    case "draw":
      return `seat ${event.seat} draws ${event.draw.count}`;
    default:
      return `seat ${event.seat} passes`;
  }
}

async function playRound(analysis, rules, seed) {
  let { deal, state } = await call(rules, "DealRound", { players: PLAYERS, seed });
  while (!state.over) {
    const view = state.views[state.seat_to_move];
    const { move } = await call(analysis, "RecommendMove", { view, limits: { simulations: SIMULATIONS }, seed });
    const applied = await call(rules, "ApplyMove", { deal, move });
    ({ deal, state } = applied);
    applied.events.forEach((event) => console.log(lineOf(event)));
  }
  console.log("scores", ...state.scores);
}

async function main() {
  const [address = "127.0.0.1:50051", seed = "1"] = process.argv.slice(2);
  const services = loadServices();
  const credentials = grpc.credentials.createInsecure();
  const analysis = new services.AnalysisService(address, credentials);
  const rules = new services.RulesService(address, credentials);
  try {
    await playRound(analysis, rules, seed);
  } catch (error) {
    console.error(`${grpc.status[error.code]}: ${error.details}`);
    process.exitCode = 1;
  } finally {
    analysis.close();
    rules.close();
  }
}

main();
