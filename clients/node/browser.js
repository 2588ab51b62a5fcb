// The client of the sniffai service for browsers, and whatever else has fetch: its services by HTTP.

import { createConnectTransport } from "@connectrpc/connect-web";
import { services, TIMEOUT_MS, withKey } from "./services.js";

export * from "./common.js";

export function connect(baseUrl, { timeoutMs = TIMEOUT_MS, apiKey, json = false } = {}) {
  const interceptors = withKey(apiKey);
  return services(
    createConnectTransport({ baseUrl, useBinaryFormat: !json, defaultTimeoutMs: timeoutMs, interceptors }),
  );
}
