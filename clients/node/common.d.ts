import type { Client } from "@connectrpc/connect";
import type { AnalysisService } from "./sniffai/v1/analysis_service_pb.js";
import type { EngineService } from "./sniffai/v1/engine_service_pb.js";
import type { MatchService } from "./sniffai/v1/match_service_pb.js";
import type { RulesService } from "./sniffai/v1/rules_service_pb.js";

export { Code, ConnectError } from "@connectrpc/connect";
export { create, fromBinary, fromJson, fromJsonString, toBinary, toJson, toJsonString } from "@bufbuild/protobuf";
export * from "./sniffai/v1/analysis_pb.js";
export * from "./sniffai/v1/analysis_service_pb.js";
export * from "./sniffai/v1/engine_service_pb.js";
export * from "./sniffai/v1/event_pb.js";
export * from "./sniffai/v1/job_service_pb.js";
export * from "./sniffai/v1/limits_pb.js";
export * from "./sniffai/v1/match_service_pb.js";
export * from "./sniffai/v1/move_pb.js";
export * from "./sniffai/v1/notice_pb.js";
export * from "./sniffai/v1/reason_pb.js";
export * from "./sniffai/v1/review_pb.js";
export * from "./sniffai/v1/round_pb.js";
export * from "./sniffai/v1/rules_service_pb.js";
export * from "./sniffai/v1/table_plan_pb.js";
export * from "./sniffai/v1/view_pb.js";

/** The services of a server. */
export interface Services {
  analysis: Client<typeof AnalysisService>;
  rules: Client<typeof RulesService>;
  engine: Client<typeof EngineService>;
  matches: Client<typeof MatchService>;
}

/** What went wrong with a call. */
export interface Problem {
  /** The status, such as `"InvalidArgument"`. */
  code: string;
  /** One sentence for people; it may change. */
  message: string;
  /** One of the reasons in the service's documentation, such as `"UNKNOWN_LEVEL"`; empty if the server gave none. */
  reason: string;
  /** The fields at fault, by their names in the .proto files, such as `"view.hand[1]"`. */
  violations: { field: string; reason: string; description: string }[];
  /** Milliseconds after which to try again, if the server says. */
  retryAfterMs?: number;
}

/** What the error of a call tells. */
export function problem(error: unknown): Problem;
