import type { IncomingMessage, ServerResponse } from "node:http";
import { callerOf } from "../../../calls/caller.ts";
import type { Server } from "../../../server/server.ts";
import { room } from "../../../support/room.ts";
import { HttpEndpoint } from "../endpoint.ts";
import { sendError } from "../http-error.ts";
import { controlsOf, type HandlerControls, type HttpOptions } from "../options.ts";
import { TrustedProxies, warnOfProxy } from "./address.ts";
import { NodeExchange } from "./exchange.ts";
import { isOverBacklog, waitForTurn } from "./unread.ts";

/** Options for serving one server over HTTP with Node. */
export interface NodeHttpOptions extends HttpOptions {
  /**
   * The addresses of proxies and load balancers, such as "10.0.0.7" or "10.0.0.0/8". The header `X-Forwarded-For`
   * counts only if one of them sent it. Default: none.
   */
  readonly trustedProxies?: readonly string[];
}

/** Handles requests of node:http and of frameworks built on it. */
export interface NodeHandler extends HandlerControls {
  /**
   * Handles a request. `body` is needed only if the body was read before and is not in `request.body`: the parsed value,
   * or the text or bytes. The `next` function that express passes here is ignored.
   */
  (request: IncomingMessage, response: ServerResponse, body?: unknown): void;
}

/**
 * Creates a handler that serves MCP at the path where it is mounted. If the body was read before, the parsed body is
 * serialized again; docs/frameworks.md lists the checks that cannot apply then.
 * @throws {UsageError} for invalid options.
 *
 * @example
 * const app = express();
 * app.all("/mcp", createNodeHandler(server));
 * app.listen(3000);
 */
export function createNodeHandler(server: Server, options: NodeHttpOptions = {}): NodeHandler {
  const endpoint = createEndpoint(server, options, "createNodeHandler()");
  const proxies = toProxies(options, "createNodeHandler()");
  endpoint.open("first request");
  const handler = (request: IncomingMessage, response: ServerResponse, body?: unknown) =>
    handleNode(endpoint, request, response, pathOf(request), proxies, body);
  return Object.assign(handler, controlsOf(endpoint));
}

/** The proxies in the options; undefined if there are none. @throws {UsageError} for an invalid address. */
export function toProxies({ trustedProxies = [] }: NodeHttpOptions, where: string): TrustedProxies | undefined {
  return trustedProxies.length === 0 ? undefined : new TrustedProxies(trustedProxies, where);
}

/** Creates an endpoint whose responses count towards the limit of the process. */
export function createEndpoint(server: Server, options: HttpOptions, where: string, path?: string): HttpEndpoint {
  const endpoint = new HttpEndpoint(server, options, where, path);
  if (options.maxUnreadTotal !== undefined) room.max = options.maxUnreadTotal;
  return endpoint;
}

/** Passes a Node request to an endpoint. */
export function handleNode(
  endpoint: HttpEndpoint,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  proxies?: TrustedProxies | undefined,
  body?: unknown,
): void {
  const exchange = new NodeExchange(request, response, path, endpoint, proxies);
  if (typeof body !== "function") exchange.parsedBody = body;
  // At the first request: the address itself is not read before the server is busy.
  if (proxies === undefined && request.headers["x-forwarded-for"] !== undefined)
    warnOfProxy(endpoint, request.socket.remoteAddress);
  const error = exchange.headerError();
  if (error !== undefined) sendError(exchange, error);
  else startInTurn(endpoint, exchange, request, response);
}

/**
 * Starts a request when its client has read enough: over HTTP/1 the response before it on the connection, over HTTP/2
 * all but `maxUnreadBytes`. Node emits all requests of a chunk at once: 50 kB can ask for a hundred large files.
 */
function startInTurn(
  endpoint: HttpEndpoint,
  exchange: NodeExchange,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { maxUnreadBytes } = endpoint.limits;
  const start = () => endpoint.handle(exchange);
  const mustWait = response.socket === null || ("stream" in response && isOverBacklog(response, maxUnreadBytes));
  if (mustWait) {
    endpoint.name(exchange);
    waitForTurn(request, response, callerOf(exchange), maxUnreadBytes, start);
  } else start();
}

/** The path of a request, neither decoded nor resolved: two spellings of a path are two paths. */
export function pathOf({ url = "" }: IncomingMessage): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}
