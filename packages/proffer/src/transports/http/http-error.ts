import { RpcError } from "../../protocol/errors.ts";
import type { RequestId } from "../../protocol/messages.ts";
import type { Revision } from "../../protocol/revisions/revision.ts";
import { errorMessage, toErrorObject } from "../../results/encode.ts";
import type { HeaderList, HttpExchange } from "./exchange.ts";

/** What every answer with a body carries: nobody may keep it, guess its type or put it into a frame. */
export const JSON_HEADERS: HeaderList = [
  ...["content-type", "application/json"],
  ...["cache-control", "no-store"],
  ...["x-content-type-options", "nosniff"],
];

export const STREAM_HEADERS: HeaderList = [
  ...["content-type", "text/event-stream"],
  ...["cache-control", "no-store"],
  ...["x-content-type-options", "nosniff"],
  // Proxies that gather what they pass on would hold events back.
  ...["x-accel-buffering", "no"],
];

export const NO_HEADERS: HeaderList = [];

/** A refusal that HTTP has a status for; its body is a JSON-RPC error, which MCP clients show. */
export class HttpError extends Error {
  override readonly name = "HttpRefusal";
  readonly status: number;
  readonly error: RpcError;
  readonly headers: HeaderList;

  constructor(status: number, error: RpcError | string, headers: HeaderList = NO_HEADERS) {
    const rpc = typeof error === "string" ? new RpcError("invalid_request", error) : error;
    super(rpc.message);
    this.status = status;
    this.error = rpc;
    this.headers = headers;
  }
}

/** Answers with a refusal, under the request's id if it could be read. */
export function sendError(exchange: HttpExchange, refusal: HttpError, id?: RequestId, revision?: Revision): void {
  const object = toErrorObject(refusal.error, revision);
  if (exchange.logRecord !== undefined) exchange.logRecord.code = object.code;
  const headers = refusal.headers.length === 0 ? JSON_HEADERS : [...JSON_HEADERS, ...refusal.headers];
  exchange.send(refusal.status, headers, errorMessage(id ?? revision?.unreadableId, object));
}
