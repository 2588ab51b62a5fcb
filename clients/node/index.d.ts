/// <reference types="node" />

import type { Client } from "@connectrpc/connect";
import type { SecureClientSessionOptions } from "node:http2";
import type { JobService, Services } from "./common.js";

export * from "./common.js";

export interface ConnectOptions {
  /** Milliseconds that a call may take, unless it has its own `timeoutMs`. A review may need more. Default: 10,000. */
  timeoutMs?: number;
  /** Sent with each call as `authorization: Bearer KEY`. */
  apiKey?: string;
  /** Options of Node's `http2.connect`, such as `ca`, `cert` and `key`; `{}` trusts the usual authorities. Default: no TLS. */
  tls?: SecureClientSessionOptions;
}

/** The services of a server, over one connection, which is made at the first call. */
export interface Sniffai extends Services {
  /** Bulk work, by gRPC only. */
  jobs: Client<typeof JobService>;
  /** Ends the connection, and the calls in flight. A program does not exit before. */
  close(): void;
}

/** @param address `host:port`, or `[host]:port` for IPv6. */
export function connect(address: string, options?: ConnectOptions): Sniffai;
