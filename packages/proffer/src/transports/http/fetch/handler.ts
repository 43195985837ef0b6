import type { Server } from "../../../server/server.ts";
import { HttpEndpoint } from "../endpoint.ts";
import { DRAIN_TIMEOUT, type HttpOptions } from "../options.ts";
import { FetchExchange } from "./exchange.ts";

/** Handles Web-standard requests, as in Workers, Bun, Deno and Hono. */
export interface FetchHandler {
  (request: Request): Promise<Response>;
  /**
   * Runs `onStart` of the server and waits for it; otherwise the first call runs it. @throws {Error} with the reason if
   * it fails.
   */
  ready(): Promise<void>;
  /**
   * Waits up to `drainTimeout` milliseconds (default: 5,000) for requests in flight and `onStop`, and ends streams and
   * sessions.
   */
  close(drainTimeout?: number): Promise<void>;
}

/**
 * Creates a handler that serves MCP at any path it is called for.
 * @throws {UsageError} for invalid options.
 *
 * @example
 * const handler = createFetchHandler(server);
 * export default { fetch: (request: Request) => handler(request) };
 */
export function createFetchHandler(server: Server, options: HttpOptions = {}): FetchHandler {
  const endpoint = new HttpEndpoint(server, options, "createFetchHandler()");
  // Not with a list: Workers drop the work of a request once it is answered.
  endpoint.open("first call");
  const handler = (request: Request) => {
    const exchange = new FetchExchange(request, endpoint);
    endpoint.handle(exchange);
    return exchange.response;
  };
  return Object.assign(handler, {
    ready: () => endpoint.ready(),
    close: (drainTimeout = DRAIN_TIMEOUT) => endpoint.close(drainTimeout),
  });
}
