import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { isServer, type Server } from "../../../server/server.ts";
import { UsageError } from "../../../support/usage-error.ts";
import type { HttpEndpoint } from "../endpoint.ts";
import { allowedNames, HttpGuard } from "../guard.ts";
import { HttpError, JSON_HEADERS, sendError } from "../http-error.ts";
import { LEGACY_SSE_PATHS } from "../legacy-sse.ts";
import { DRAIN_TIMEOUT, type HttpOptions, IDLE_TIMEOUT } from "../options.ts";
import { isLoopback, LOOPBACK, ownNames, reachableHost, withoutBrackets } from "./address.ts";
import { NodeExchange } from "./exchange.ts";
import { createEndpoint, handleNode, type NodeHttpOptions, pathOf, toProxies } from "./handler.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/** A server with its own options, for one of several paths. */
export interface Mount extends HttpOptions {
  readonly server: Server;
}

export interface ServeOptions extends NodeHttpOptions {
  /** 0 picks a free port. Default: 3000. */
  readonly port?: number;
  /** The address to listen on. Default: 127.0.0.1, reachable only from this machine. */
  readonly host?: string;
  /** The path of a single server. Default: /mcp. */
  readonly path?: string;
  /** A path that answers GET with 200, and with 503 while the server shuts down; true for /healthz. */
  readonly health?: string | boolean;
  /** With more connections, the next one gets 503 and is closed. Default: 10,000. */
  readonly maxConnections?: number;
  /** Milliseconds in which a client must send the headers of a request. Default: 10,000. */
  readonly headersTimeout?: number;
  /** Milliseconds in which a client must send a whole request. Default: 30,000. */
  readonly requestTimeout?: number;
}

/** A listening HTTP server. */
export interface HttpService {
  readonly port: number;
  /** The URL of each server, by path. It works on this machine, also if the server listens on all interfaces. */
  readonly urls: { readonly [path: string]: string };
  /** The URL of the first server. */
  readonly url: string;
  /** Every path that the server answers. */
  readonly routes: readonly string[];
  /** Resolves when `onStart` of every server has finished. @throws {Error} with the reason if one fails. */
  ready(): Promise<void>;
  /**
   * Accepts no more requests, waits up to `drainTimeout` milliseconds (default: 5,000) for those in flight and `onStop`,
   * and closes.
   */
  close(drainTimeout?: number): Promise<void>;
}

export const DEFAULT_PORT = 3000;
export const DEFAULT_PATH = "/mcp";
const CHECK_INTERVAL = 1000;
/** Connections that may wait to be accepted. With Node's default of 511, a burst of more would see resets. */
const BACKLOG = 4096;
const FULL = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nretry-after: 1\r\nconnection: close\r\n\r\n";

/**
 * Serves over HTTP until `close()` is called: one server at /mcp, or several, each at its own path.
 * @throws {UsageError} for invalid options, or if the port is in use.
 *
 * @example
 * const service = await serveHttp(server, { port: 3000 });
 * console.log(service.url); // http://127.0.0.1:3000/mcp
 * process.once("SIGTERM", () => service.close());
 *
 * await serveHttp({ "/shop": shop, "/admin": { server: admin, authenticate } }, { port: 3000 });
 */
export async function serveHttp(
  servers: Server | { readonly [path: string]: Server | Mount },
  options: ServeOptions = {},
): Promise<HttpService> {
  const site = new HttpSite(servers, options);
  return site.listen();
}

class HttpSite {
  readonly #options: ServeOptions;
  /** The address to listen on, without brackets. */
  readonly #host: string;
  readonly #endpoints = new Map<string, HttpEndpoint>();
  /** The endpoint of every path. */
  readonly #routes = new Map<string, HttpEndpoint>();
  readonly #guard: HttpGuard;
  readonly #health: string | undefined;
  readonly #proxies: TrustedProxies | undefined;
  readonly #http: http.Server;
  #connections = 0;
  #stopping = false;
  /** Logs which requests are refused, if other machines can connect but no host names are listed for them. */
  #warn: (() => void) | undefined;

  constructor(servers: Server | { readonly [path: string]: Server | Mount }, options: ServeOptions) {
    const { health } = options;
    this.#host = withoutBrackets(options.host ?? LOOPBACK);
    this.#options = options;
    this.#guard = new HttpGuard(this.#withOwnNames(options), "serveHttp()");
    this.#proxies = toProxies(options, "serveHttp()");
    this.#health = health === true ? "/healthz" : health || undefined;
    const mounts = isServer(servers) ? { [options.path ?? DEFAULT_PATH]: servers } : servers;
    for (const [path, mount] of Object.entries(mounts)) this.#mount(path, mount);
    if (this.#endpoints.size === 0) throw new UsageError("bad_option", "serveHttp() requires at least one server.");
    this.#http = http.createServer(
      {
        headersTimeout: options.headersTimeout ?? 10_000,
        requestTimeout: options.requestTimeout ?? 30_000,
        keepAliveTimeout: options.idleTimeout ?? IDLE_TIMEOUT,
        connectionsCheckingInterval: CHECK_INTERVAL,
        noDelay: true,
      },
      (request, response) => this.#handle(request, response),
    );
    this.#http.on("connection", (socket) => this.#connected(socket));
  }

  listen(): Promise<HttpService> {
    const { port = DEFAULT_PORT } = this.#options;
    const host = this.#host;
    return new Promise((resolve, reject) => {
      this.#http.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, port, host)));
      this.#http.listen({ port, host, backlog: BACKLOG }, () => {
        this.#warn?.();
        for (const endpoint of this.#endpoints.values()) endpoint.open("now");
        resolve(this.#service());
      });
    });
  }

  #mount(path: string, mount: Server | Mount): void {
    if (!/^(\/[A-Za-z0-9._~-]+)+$|^\/$/.test(path)) {
      throw new UsageError(
        "bad_option",
        `serveHttp(): ${JSON.stringify(path)} is not a path such as "/mcp" or "/sales/orders".`,
      );
    }
    const { server, ...own } = isServer(mount) ? { server: mount } : mount;
    const settings = { ...this.#options, ...own };
    const guarded = this.#withOwnNames(settings);
    const endpoint = createEndpoint(server, guarded, `serveHttp(): ${path}`);
    if (!isLoopback(this.#host) && !settings.allowedHosts?.length && !settings.dangerouslyAllowAnyHost) {
      const message = refusalOf(this.#host, allowedNames(guarded));
      this.#warn ??= () => endpoint.server.log({ level: "warning", message });
    }
    this.#endpoints.set(path, endpoint);
    this.#routes.set(path, endpoint);
    if (!settings.legacySse) return;
    for (const ending of LEGACY_SSE_PATHS) this.#routes.set(`${path === "/" ? "" : path}${ending}`, endpoint);
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const path = pathOf(request);
    const endpoint = this.#routes.get(path);
    if (endpoint !== undefined) handleNode(endpoint, request, response, path, this.#proxies);
    else this.#handleOther(new NodeExchange(request, response, path));
  }

  #handleOther(exchange: NodeExchange): void {
    const refusal = exchange.headerError() ?? this.#guard.check(exchange);
    if (refusal !== undefined) sendError(exchange, refusal);
    else if (exchange.path !== this.#health) {
      const paths = [...this.#endpoints.keys()].join(", ");
      sendError(exchange, new HttpError(404, `Not found. MCP servers are at ${paths}.`));
    } else if (exchange.method !== "GET" && exchange.method !== "HEAD") {
      sendError(exchange, new HttpError(405, "Only GET is allowed here.", ["allow", "GET, HEAD"]));
    } else
      exchange.send(
        this.#stopping ? 503 : 200,
        JSON_HEADERS,
        this.#stopping ? '{"status":"stopping"}' : '{"status":"ok"}',
      );
  }

  #connected(socket: Socket): void {
    this.#connections++;
    socket.once("close", () => this.#connections--);
    if (this.#connections <= (this.#options.maxConnections ?? 10_000)) return;
    socket.end(FULL);
    socket.destroySoon();
  }

  /** Adds the names of the address that the server listens on to the allowed hosts. */
  #withOwnNames<Options extends HttpOptions>(options: Options): Options {
    const names = ownNames(this.#host);
    return names.length === 0 ? options : { ...options, allowedHosts: [...names, ...(options.allowedHosts ?? [])] };
  }

  #service(): HttpService {
    const { port, address } = this.#http.address() as AddressInfo;
    const host = reachableHost(this.#host, address);
    const paths = [...this.#endpoints.keys()];
    const urls = Object.fromEntries(paths.map((path) => [path, `http://${host}:${port}${path}`]));
    return {
      port,
      urls,
      url: urls[paths[0] as string] as string,
      routes: [...this.#routes.keys(), ...(this.#health === undefined ? [] : [this.#health])],
      ready: async () => {
        await Promise.all([...this.#endpoints.values()].map((endpoint) => endpoint.ready()));
      },
      close: (drainTimeout = DRAIN_TIMEOUT) => this.#close(drainTimeout),
    };
  }

  async #close(drainTimeout: number): Promise<void> {
    this.#stopping = true;
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.#http.closeIdleConnections();
    await Promise.all([...this.#endpoints.values()].map((endpoint) => endpoint.close(drainTimeout)));
    this.#http.closeIdleConnections();
    // Clients that have not read the last bytes by then are cut off.
    const timer = setTimeout(() => this.#http.closeAllConnections(), Math.min(drainTimeout, 1000));
    await closed;
    clearTimeout(timer);
  }
}

/** The warning of a server that other machines can connect to, but whose host names are not listed. */
function refusalOf(host: string, names: readonly string[]): string {
  return (
    `Listening on ${host || "all interfaces"}, but only requests to ${names.join(", ")} are accepted; those to any other ` +
    "host name get 403. List the names that clients use, such as mcp.example.com: in allowedHosts, with " +
    "--allowed-host mcp.example.com, or in PROFFER_ALLOWED_HOSTS."
  );
}

function explain(error: NodeJS.ErrnoException, port: number, host: string): Error {
  switch (error.code) {
    case "EADDRINUSE":
      return new UsageError("bad_option", `Port ${port} on ${host} is in use; choose another one.`, { cause: error });
    case "EACCES":
      return new UsageError("bad_option", `This user may not listen on port ${port}; choose one from 1024 on.`, {
        cause: error,
      });
    case "EADDRNOTAVAIL":
    case "EAFNOSUPPORT":
    case "ENOTFOUND":
      return new UsageError("bad_option", `${host} is not an address of this machine.`, { cause: error });
    default:
      return error;
  }
}
