// Asks for one move, from what one player has seen: npm ci, then node recommend.js [ADDRESS].
"use strict";

const path = require("node:path");
const grpc = require("@grpc/grpc-js");
const protoLoader = require("@grpc/proto-loader");

const definition = protoLoader.loadSync("sniffai/v1/analysis_service.proto", {
  includeDirs: [path.join(__dirname, "..", "..", "proto")],
  keepCase: true, // names as in the .proto files
  longs: String, // 64-bit numbers do not fit into a number
  enums: String,
  defaults: true,
});
const { AnalysisService } = grpc.loadPackageDefinition(definition).sniffai.v1;
const client = new AnalysisService(process.argv[2] || "127.0.0.1:50051", grpc.credentials.createInsecure());

const view = {
  players: 2,
  seat: 0,
  scores: [0, 0], // before the round
  hand: ["1|3", "1|5", "1|6", "2|5", "2|6", "3|3", "6|6"], // as dealt
  record: {
    leader: 0,
    events: [
      { seat: 0, play: { tile: "6|6" } }, // the lead joins nothing
      { seat: 1, play: { tile: "5|6", at: "6|6:LINE_A" } },
      { seat: 0, play: { tile: "2|6", at: "6|6:LINE_B" } },
      { seat: 1, play: { tile: "1|2", at: "2|6:LOW" } },
    ],
  },
};

client.RecommendMove(
  { view, limits: { simulations: 20_000 }, seed: 1 },
  { deadline: new Date(Date.now() + 10_000) },
  (error, answer) => {
    if (error) {
      console.error(`${grpc.status[error.code]}: ${error.details}`);
      process.exitCode = 1;
    } else {
      console.log(`${answer.move.tile} joins ${answer.move.at}`);
      answer.analysis.moves[0].reasons.forEach((reason) => console.log(reason.text));
    }
    client.close();
  },
);
