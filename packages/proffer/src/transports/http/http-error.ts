import { ShareError } from "../../calls/in-flight.ts";
import { type ErrorObject, RpcError } from "../../protocol/errors.ts";
import { isObject, type RequestId } from "../../protocol/messages.ts";
import type { Revision } from "../../protocol/revisions/revision.ts";
import { errorMessage, toErrorObject } from "../../results/encode.ts";
import type { HttpExchange } from "./exchange.ts";

/** The headers of every response with a body: it must not be cached, sniffed for its type, or shown in a frame. */
export const JSON_HEADERS: readonly string[] = [
  ...["content-type", "application/json"],
  ...["cache-control", "no-store"],
  ...["x-content-type-options", "nosniff"],
];

export const STREAM_HEADERS: readonly string[] = [
  ...["content-type", "text/event-stream"],
  ...["cache-control", "no-store"],
  ...["x-content-type-options", "nosniff"],
  // Buffering proxies would hold events back.
  ...["x-accel-buffering", "no"],
];

export const NO_HEADERS: readonly string[] = [];

const RETRY: readonly string[] = ["retry-after", "1"];

export const BUSY_HEADERS: readonly string[] = [...JSON_HEADERS, ...RETRY];

/** An error with an HTTP status; its body is a JSON-RPC error, which MCP clients show. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;
  readonly error: RpcError;
  readonly headers: readonly string[];
  /** Why a caller was refused, for metrics; never sent. */
  reason: string | undefined;

  constructor(status: number, error: RpcError | string, headers: readonly string[] = NO_HEADERS) {
    const rpc = typeof error === "string" ? new RpcError("invalid_request", error) : error;
    super(rpc.message);
    this.status = status;
    this.error = rpc;
    this.headers = headers;
  }
}

export function busyError(error: RpcError): HttpError {
  return new HttpError(error instanceof ShareError ? 429 : 503, error, RETRY);
}

export function tooLargeError(limit: number): HttpError {
  return new HttpError(413, `The body is larger than ${limit} bytes.`);
}

export function notUtf8Error(): HttpError {
  return new HttpError(400, new RpcError("parse_error", "The body is not valid UTF-8."));
}

/** Answers with an error, under the request's id if it could be parsed. */
export function sendError(exchange: HttpExchange, error: HttpError, id?: RequestId, revision?: Revision): void {
  const object = toErrorObject(error.error, revision);
  if (exchange.logRecord !== undefined) exchange.logRecord.code = object.code;
  const headers = error.headers.length === 0 ? JSON_HEADERS : [...JSON_HEADERS, ...error.headers];
  exchange.send(error.status, headers, errorMessage(id ?? revision?.unreadableId, object));
}

/** The HTTP status of an error. Older revisions always use 200; the newest maps some error codes to a status. */
export function statusOf(code: number, revision: Revision): number {
  if (code === BUSY) return 503;
  if (revision.handshake) return 200;
  return STATUS.get(code) ?? 200;
}

/** The seconds after which a caller may try again whom a `Busy` refused; undefined for other errors. */
export function retryAfter({ code, data }: ErrorObject): number | undefined {
  const seconds = code === BUSY && isObject(data) ? data.retryAfter : undefined;
  return Number.isInteger(seconds) ? (seconds as number) : undefined;
}

const BUSY = -31000;
const STATUS: ReadonlyMap<number, number> = new Map([
  [-32700, 400],
  [-32600, 400],
  [-32601, 404],
  [-32020, 400],
  [-32021, 400],
  [-32022, 400],
]);
