// What the clients for Node and for browsers share: messages, and what errors tell.

import { ConnectError, Code } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "./google/rpc/error_details_pb.js";

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

export function problem(error) {
  const failed = ConnectError.from(error);
  const [info] = failed.findDetails(ErrorInfoSchema);
  const [bad] = failed.findDetails(BadRequestSchema);
  const [retry] = failed.findDetails(RetryInfoSchema);
  return {
    code: Code[failed.code],
    message: failed.rawMessage,
    reason: info?.reason ?? "",
    violations: (bad?.fieldViolations ?? []).map(({ field, reason, description }) => ({ field, reason, description })),
    retryAfterMs: retry?.retryDelay
      ? Number(retry.retryDelay.seconds) * 1000 + retry.retryDelay.nanos / 1e6
      : undefined,
  };
}
