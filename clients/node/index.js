// The client of the sniffai service for Node: its services over one gRPC connection.

import { createClient } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { services, TIMEOUT_MS, withKey } from "./services.js";
import { JobService } from "./sniffai/v1/job_service_pb.js";

export * from "./common.js";

export function connect(address, { timeoutMs = TIMEOUT_MS, apiKey, tls } = {}) {
  const baseUrl = `${tls ? "https" : "http"}://${address}`;
  const sessions = new Http2SessionManager(baseUrl, undefined, tls || undefined);
  const interceptors = withKey(apiKey);
  const transport = createGrpcTransport({ baseUrl, sessionManager: sessions, defaultTimeoutMs: timeoutMs, interceptors });
  return { ...services(transport), jobs: createClient(JobService, transport), close: () => sessions.abort() };
}
