import type { Services } from "./common.js";

export * from "./common.js";

export interface ConnectOptions {
  /** Milliseconds that a call may take, unless it has its own `timeoutMs`. A review may need more. Default: 10,000. */
  timeoutMs?: number;
  /** Sent with each call as `authorization: Bearer KEY`. Everyone who opens the page can read it. */
  apiKey?: string;
  /** Whether messages are sent as JSON, which is easier to read in the browser's tools. Default: binary. */
  json?: boolean;
}

/** @param baseUrl such as `https://sniff.example.com`, or `location.origin` for the server that the page comes from. */
export function connect(baseUrl: string, options?: ConnectOptions): Services;
