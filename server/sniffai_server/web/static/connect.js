// @ts-check
// Calls over the Connect protocol in JSON, by fetch: unary ones and server streams.

const PACKAGE = "sniffai.v1";
const END = 2; // flag of the last envelope of a stream

/** A call that failed. */
export class CallError extends Error {
  /**
   * @param {string} code a Connect code, such as "invalid_argument"; "unavailable" without a connection
   * @param {string} message
   * @param {any[]} details
   */
  constructor(code, message, details = []) {
    super(message);
    this.code = code;
    this.details = details;
  }

  /** Whether the same call may succeed later. */
  get passing() {
    return ["unavailable", "deadline_exceeded", "resource_exhausted", "aborted", "canceled"].includes(this.code);
  }
}

/**
 * Makes a unary call.
 * @param {string} method such as "RulesService/PlanTable"
 * @param {object} request
 * @param {{signal?: AbortSignal, timeout?: number}} options timeout in milliseconds
 * @returns {Promise<any>} the answer; fields with their default value may be missing
 */
export async function call(method, request, { signal, timeout = 30_000 } = {}) {
  const limit = new AbortController();
  const stop = () => limit.abort(signal?.reason);
  signal?.addEventListener("abort", stop);
  const timer = setTimeout(() => limit.abort(new DOMException("", "TimeoutError")), timeout);
  try {
    const answer = await send(method, "application/json", JSON.stringify(request), limit.signal);
    const body = await guarded(answer.json());
    if (!answer.ok) throw errorOf(body, answer.status);
    return body;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/**
 * Makes a call whose answer is a stream.
 * @param {string} method
 * @param {object} request
 * @param {{signal?: AbortSignal}} options
 * @returns {AsyncGenerator<any, void, void>} the messages
 */
export async function* stream(method, request, { signal } = {}) {
  const answer = await send(method, "application/connect+json", envelope(request), signal);
  if (!answer.ok || !answer.body) throw errorOf(await guarded(answer.json()), answer.status);
  const reader = answer.body.getReader();
  try {
    let held = new Uint8Array();
    for (;;) {
      const { done, value } = await guarded(reader.read());
      if (done) throw new CallError("unavailable", "the stream ended too early");
      held = concat(held, value);
      for (;;) {
        const size = held.length < 5 ? Infinity : new DataView(held.buffer, held.byteOffset).getUint32(1);
        if (held.length < 5 + size) break;
        const message = JSON.parse(new TextDecoder().decode(held.subarray(5, 5 + size)));
        if (held[0] & END) {
          if (message.error) throw errorOf(message.error, 200);
          return;
        }
        held = held.subarray(5 + size);
        yield message;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function send(method, type, body, signal) {
  const headers = { "content-type": type, "connect-protocol-version": "1" };
  return guarded(fetch(`/${PACKAGE}.${method}`, { method: "POST", headers, body, signal, credentials: "omit" }));
}

/** Turns failures of the network into errors of the call. */
async function guarded(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof CallError) throw error;
    const name = error instanceof Error ? error.name : "";
    if (name === "TimeoutError") throw new CallError("deadline_exceeded", "the server did not answer in time");
    if (name === "AbortError") throw new CallError("canceled", "canceled");
    throw new CallError("unavailable", error instanceof Error ? error.message : String(error));
  }
}

function errorOf(body, status) {
  const code = body?.code ?? (status >= 500 ? "unavailable" : "unknown");
  return new CallError(code, body?.message ?? `HTTP ${status}`, body?.details ?? []);
}

function envelope(request) {
  const body = new TextEncoder().encode(JSON.stringify(request));
  const whole = new Uint8Array(5 + body.length);
  new DataView(whole.buffer).setUint32(1, body.length);
  whole.set(body, 5);
  return whole;
}

function concat(first, second) {
  if (!first.length) return second;
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
