/// <reference types="node" />

import type { SecureClientSessionOptions } from "node:http2";
import type { Client } from "@connectrpc/connect";
import type { AnalysisService } from "./sniffai/v1/analysis_service_pb.js";
import type { EngineService } from "./sniffai/v1/engine_service_pb.js";
import type { RulesService } from "./sniffai/v1/rules_service_pb.js";

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

export interface ConnectOptions {
  /** Milliseconds that a call may take, unless it has its own `timeoutMs`. A review may need more. Default: 10,000. */
  timeoutMs?: number;
  /** Sent with each call as `authorization: Bearer KEY`. */
  apiKey?: string;
  /** Options of Node's `http2.connect`, such as `ca`, `cert` and `key`; `{}` trusts the usual authorities. Default: no TLS. */
  tls?: SecureClientSessionOptions;
}

/** The services of a server, over one connection, which is made at the first call. */
export interface Sniffai {
  analysis: Client<typeof AnalysisService>;
  rules: Client<typeof RulesService>;
  engine: Client<typeof EngineService>;
  /** Ends the connection, and the calls in flight. A program does not exit before. */
  close(): void;
}

/** @param address `host:port`, or `[host]:port` for IPv6. */
export function connect(address: string, options?: ConnectOptions): Sniffai;

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
