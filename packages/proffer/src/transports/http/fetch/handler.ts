import type { Server } from "../../../server/server.ts";
import { HttpEndpoint } from "../endpoint.ts";
import type { HttpOptions } from "../options.ts";
import { FetchExchange } from "./exchange.ts";

/** Answers requests of the Web: what Workers, Bun, Deno and Hono call. */
export interface FetchHandler {
  (request: Request): Promise<Response>;
  /** Lets requests in work finish for so many milliseconds (default: 5,000), then ends every stream and session. */
  close(drainTimeout?: number): Promise<void>;
}

const DRAIN_TIMEOUT = 5000;

/**
 * Makes a handler that serves MCP at whatever path it is called for.
 * @throws {UsageError} for options that make no sense.
 */
export function createFetchHandler(server: Server, options: HttpOptions = {}): FetchHandler {
  const endpoint = new HttpEndpoint(server, options, "createFetchHandler()");
  const handler = (request: Request) => {
    const exchange = new FetchExchange(request, endpoint);
    endpoint.handle(exchange);
    return exchange.response;
  };
  return Object.assign(handler, { close: (drainTimeout = DRAIN_TIMEOUT) => endpoint.close(drainTimeout) });
}
