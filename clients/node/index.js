// The client of the sniffai service for Node: its services over one gRPC connection.

import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { services, TIMEOUT_MS, withKey } from "./services.js";

export * from "./common.js";

export function connect(address, { timeoutMs = TIMEOUT_MS, apiKey, tls } = {}) {
  const baseUrl = `${tls ? "https" : "http"}://${address}`;
  const sessions = new Http2SessionManager(baseUrl, undefined, tls || undefined);
  const interceptors = withKey(apiKey);
  const transport = createGrpcTransport({ baseUrl, sessionManager: sessions, defaultTimeoutMs: timeoutMs, interceptors });
  return { ...services(transport), close: () => sessions.abort() };
}
