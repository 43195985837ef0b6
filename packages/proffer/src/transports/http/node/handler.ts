import type { IncomingMessage, ServerResponse } from "node:http";
import { RpcError } from "../../../protocol/errors.ts";
import type { Server } from "../../../server/server.ts";
import { HttpEndpoint } from "../endpoint.ts";
import { HttpError, sendError } from "../http-error.ts";
import type { HttpOptions } from "../options.ts";
import { NodeExchange } from "./exchange.ts";

/** Handles requests of node:http, and of the frameworks that are built on it. */
export interface NodeHandler {
  (request: IncomingMessage, response: ServerResponse): void;
  /** Lets requests in work finish for so many milliseconds (default: 5,000), then ends every stream and session. */
  close(drainTimeout?: number): Promise<void>;
}

/** To wait for a body that is gone would be to wait for ever. */
const BODY_GONE =
  "The body was read before it came to the MCP handler; its operator must mount the handler before express.json() and its like.";

/** How long work in progress gets when a server is told to stop, in milliseconds. */
export const DRAIN_TIMEOUT = 5000;

/**
 * Makes a handler that serves MCP wherever it is mounted; the body must not have been read before it.
 * @throws {UsageError} for options that make no sense.
 */
export function createNodeHandler(server: Server, options: HttpOptions = {}): NodeHandler {
  const endpoint = new HttpEndpoint(server, options, "createNodeHandler()");
  const handler = (request: IncomingMessage, response: ServerResponse) =>
    handleNode(endpoint, request, response, pathOf(request));
  return Object.assign(handler, { close: (drainTimeout = DRAIN_TIMEOUT) => endpoint.close(drainTimeout) });
}

/** Gives a request of Node to an endpoint. */
export function handleNode(
  endpoint: HttpEndpoint,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): void {
  const exchange = new NodeExchange(request, response, path, endpoint);
  if (exchange.ambiguous) sendError(exchange, new HttpError(400, "A header that must come once came twice."));
  else if (request.readableDidRead) sendError(exchange, new HttpError(500, new RpcError("internal_error", BODY_GONE)));
  else endpoint.handle(exchange);
}

/** The path of a request, as it was written: nothing is decoded or resolved, so that no two spellings are equal. */
export function pathOf({ url = "" }: IncomingMessage): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}
