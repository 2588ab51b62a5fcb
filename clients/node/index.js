// The client of the sniffai service for Node: its three services over one gRPC connection, and what its errors tell.

import { ConnectError, Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "./google/rpc/error_details_pb.js";
import { AnalysisService } from "./sniffai/v1/analysis_service_pb.js";
import { EngineService } from "./sniffai/v1/engine_service_pb.js";
import { RulesService } from "./sniffai/v1/rules_service_pb.js";

export { Code, ConnectError } from "@connectrpc/connect";
export { create, fromBinary, fromJson, fromJsonString, toBinary, toJson, toJsonString } from "@bufbuild/protobuf";
export * from "./sniffai/v1/analysis_pb.js";
export * from "./sniffai/v1/analysis_service_pb.js";
export * from "./sniffai/v1/engine_service_pb.js";
export * from "./sniffai/v1/event_pb.js";
export * from "./sniffai/v1/limits_pb.js";
export * from "./sniffai/v1/move_pb.js";
export * from "./sniffai/v1/notice_pb.js";
export * from "./sniffai/v1/reason_pb.js";
export * from "./sniffai/v1/review_pb.js";
export * from "./sniffai/v1/round_pb.js";
export * from "./sniffai/v1/rules_service_pb.js";
export * from "./sniffai/v1/view_pb.js";

const TIMEOUT_MS = 10_000;

export function connect(address, { timeoutMs = TIMEOUT_MS, apiKey, tls } = {}) {
  const baseUrl = `${tls ? "https" : "http"}://${address}`;
  const sessions = new Http2SessionManager(baseUrl, undefined, tls || undefined);
  const interceptors = apiKey === undefined ? [] : [withKey(apiKey)];
  const transport = createGrpcTransport({ baseUrl, sessionManager: sessions, defaultTimeoutMs: timeoutMs, interceptors });
  return {
    analysis: createClient(AnalysisService, transport),
    rules: createClient(RulesService, transport),
    engine: createClient(EngineService, transport),
    close: () => sessions.abort(),
  };
}

function withKey(apiKey) {
  return (next) => (request) => {
    request.header.set("authorization", `Bearer ${apiKey}`);
    return next(request);
  };
}

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
