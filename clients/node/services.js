// The services over any transport.

import { createClient } from "@connectrpc/connect";
import { AnalysisService } from "./sniffai/v1/analysis_service_pb.js";
import { EngineService } from "./sniffai/v1/engine_service_pb.js";
import { MatchService } from "./sniffai/v1/match_service_pb.js";
import { RulesService } from "./sniffai/v1/rules_service_pb.js";

export const TIMEOUT_MS = 10_000;

export function services(transport) {
  return {
    analysis: createClient(AnalysisService, transport),
    rules: createClient(RulesService, transport),
    engine: createClient(EngineService, transport),
    matches: createClient(MatchService, transport),
  };
}

/** The interceptors that send a key, if there is one. */
export function withKey(apiKey) {
  if (apiKey === undefined) return [];
  return [
    (next) => (request) => {
      request.header.set("authorization", `Bearer ${apiKey}`);
      return next(request);
    },
  ];
}
