import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { CallerMarks } from "../../../calls/caller.ts";
import { hasShare } from "../../../calls/in-flight.ts";
import { isServer, type Server, stateOf } from "../../../server/server.ts";
import { UsageError } from "../../../support/usage-error.ts";
import { ROOT_METADATA, WELL_KNOWN } from "../challenge.ts";
import type { HttpEndpoint } from "../endpoint.ts";
import { allowedNames, HttpGuard } from "../guard.ts";
import { answerHealth, HEALTH_PATHS, hasHealth } from "../health.ts";
import { HttpError, JSON_HEADERS, sendError } from "../http-error.ts";
import { LEGACY_SSE_PATHS } from "../legacy-sse.ts";
import { DRAIN_TIMEOUT, type HttpOptions, type ServerCard, shareOf } from "../options.ts";
import {
  exposureOf,
  isLoopback,
  LOOPBACK,
  ownNames,
  reachableHost,
  type TrustedProxies,
  withoutBrackets,
} from "./address.ts";
import { NodeExchange } from "./exchange.ts";
import { createEndpoint, handleNode, type NodeHttpOptions, pathOf, toProxies } from "./handler.ts";

/** A server with its own options, for one of several paths. */
export interface MountedServer extends Omit<HttpOptions, "health"> {
  readonly server: Server;
}

export interface ServeOptions extends NodeHttpOptions {
  /** 0 picks a free port. Default: 3000. */
  readonly port?: number;
  /** The address to listen on. Default: 127.0.0.1, reachable only from this machine. */
  readonly host?: string;
  /** The path of a single server. Default: /mcp. */
  readonly path?: string;
  /**
   * With more connections, the next one gets 503 and is closed. Once half of them are open, so does, with 429, a further
   * one of an address with a tenth of them, unless it is a trusted proxy. Default: 10,000.
   */
  readonly maxConnections?: number;
  /** Milliseconds in which a client must send the headers of a request. Default: 10,000. */
  readonly headersTimeout?: number;
  /** Milliseconds in which a client must send a whole request. Default: 30,000. */
  readonly requestTimeout?: number;
  /** Milliseconds after which a connection without a request is closed. Default: 60,000. */
  readonly keepAliveTimeout?: number;
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
const REFUSAL = "\r\ncontent-length: 0\r\nretry-after: 1\r\nconnection: close\r\n\r\n";
const FULL = `HTTP/1.1 503 Service Unavailable${REFUSAL}`;
const OVER_SHARE = `HTTP/1.1 429 Too Many Requests${REFUSAL}`;
/** Where clients look for an authorization server, or try to register, if a server of its own has no metadata. */
const OAUTH_PATH = /^\/(?:register|authorize|token|\.well-known\/(?:oauth|openid)-.*)$/;

/**
 * Serves over HTTP until `close()` is called: one server at /mcp, or several, each at its own path.
 * @throws {UsageError} for invalid options, toolsets that do not fit the items, or if the port is in use.
 *
 * @example
 * const service = await serveHttp(server, { port: 3000 });
 * console.log(service.url); // http://127.0.0.1:3000/mcp
 * process.once("SIGTERM", () => service.close());
 *
 * await serveHttp({ "/shop": shop, "/admin": { server: admin, authenticate } }, { port: 3000 });
 */
export async function serveHttp(
  servers: Server | { readonly [path: string]: Server | MountedServer },
  options: ServeOptions = {},
): Promise<HttpService> {
  const mounts: readonly (Server | MountedServer)[] = isServer(servers) ? [servers] : Object.values(servers);
  await Promise.all(mounts.map((mount) => stateOf(isServer(mount) ? mount : mount.server).features.loading));
  return new HttpSite(servers, options).listen();
}

function hasMetadata({ metadataPaths }: HttpEndpoint): boolean {
  return metadataPaths.length > 0;
}

class HttpSite {
  readonly #options: ServeOptions;
  /** The address to listen on, without brackets. */
  readonly #host: string;
  readonly #endpoints = new Map<string, HttpEndpoint>();
  /** The endpoint of every path. */
  readonly #routes = new Map<string, HttpEndpoint>();
  readonly #cards: ServerCard[] = [];
  readonly #guard: HttpGuard;
  readonly #hasHealth: boolean;
  readonly #proxies: TrustedProxies | undefined;
  readonly #http: http.Server;
  readonly #connections = new Set<CallerMarks>();
  /** Logs the risks of a server that other machines can connect to, once it listens. */
  readonly #warnings: (() => void)[] = [];
  /** No host names are listed for other machines. One warning is enough for all servers. */
  #isUnlisted = false;
  /** The answer to clients that look for OAuth, if there is none. */
  #noOAuth: string | undefined;

  constructor(servers: Server | { readonly [path: string]: Server | MountedServer }, options: ServeOptions) {
    this.#host = withoutBrackets(options.host ?? LOOPBACK);
    this.#options = options;
    this.#guard = new HttpGuard(this.#withOwnNames(options), "serveHttp()");
    this.#proxies = toProxies(options, "serveHttp()");
    this.#hasHealth = hasHealth(options.health, "serveHttp()");
    const mounts = isServer(servers) ? { [options.path ?? DEFAULT_PATH]: servers } : servers;
    for (const [path, mount] of Object.entries(mounts)) this.#mount(path, mount);
    if (this.#endpoints.size === 0) throw new UsageError("serveHttp() requires at least one server.");
    this.#http = http.createServer(
      {
        headersTimeout: options.headersTimeout ?? 10_000,
        requestTimeout: options.requestTimeout ?? 30_000,
        keepAliveTimeout: options.keepAliveTimeout ?? 60_000,
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
        for (const warn of this.#warnings) warn();
        for (const endpoint of this.#endpoints.values()) endpoint.open("now");
        resolve(this.#service());
      });
    });
  }

  #mount(path: string, mount: Server | MountedServer): void {
    if (!/^(\/[A-Za-z0-9._~-]+)+$|^\/$/.test(path)) {
      throw new UsageError(`serveHttp(): ${JSON.stringify(path)} is not a path such as "/mcp" or "/sales/orders".`);
    }
    if (this.#hasHealth && HEALTH_PATHS.includes(path)) {
      throw new UsageError(`serveHttp(): ${path} is a health route; choose another path for the server.`);
    }
    if (path.startsWith(WELL_KNOWN)) {
      throw new UsageError(`serveHttp(): ${path} is reserved for metadata; choose another path.`);
    }
    const { server, ...own } = isServer(mount) ? { server: mount } : mount;
    const settings = { ...this.#options, ...own, health: false };
    const { authenticate } = settings;
    if (typeof authenticate === "object") this.#noOAuth ??= authenticate.noOAuth;
    const guarded = this.#withOwnNames(settings);
    const endpoint = createEndpoint(server, guarded, `serveHttp(): ${path}`, path);
    if (!isLoopback(this.#host)) this.#warn(endpoint, settings, allowedNames(guarded));
    this.#endpoints.set(path, endpoint);
    this.#routes.set(path, endpoint);
    if (settings.card !== undefined) this.#cards.push(settings.card);
    if (!settings.legacySse) return;
    for (const ending of LEGACY_SSE_PATHS) this.#routes.set(`${path === "/" ? "" : path}${ending}`, endpoint);
  }

  /** Notes the warnings about a server that other machines can connect to. */
  #warn({ server }: HttpEndpoint, settings: HttpOptions, names: readonly string[]): void {
    const note = (message: string) => this.#warnings.push(() => server.log({ level: "warning", message }));
    const isUnlisted = !settings.allowedHosts?.length && !settings.dangerouslyAllowAnyHost;
    if (isUnlisted && !this.#isUnlisted) note(refusalOf(this.#host, names));
    this.#isUnlisted ||= isUnlisted;
    const exposure = exposureOf(this.#host, server, settings);
    if (exposure !== undefined) note(exposure);
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const path = pathOf(request);
    const endpoint = this.#routes.get(path);
    if (endpoint !== undefined) handleNode(endpoint, request, response, path, this.#proxies);
    else this.#handleOther(new NodeExchange(request, response, path));
  }

  #handleOther(exchange: NodeExchange): void {
    const error = exchange.headerError();
    if (error !== undefined) sendError(exchange, error);
    else if (this.#hasHealth && HEALTH_PATHS.includes(exchange.path)) answerHealth(exchange, this.#endpoints.values());
    else if (!this.#cards.some((card) => card.answer(exchange, this.#cards)) && !this.#answerMetadata(exchange))
      this.#answerUnknown(exchange);
  }

  /** Answers a path without a server. A client without a key looks for OAuth there, and shows its user the answer. */
  #answerUnknown(exchange: NodeExchange): void {
    const paths = [...this.#endpoints.keys()].join(", ");
    const help = [...this.#endpoints.values()].some(hasMetadata) ? undefined : this.#noOAuth;
    const foreign = this.#guard.check(exchange);
    if (foreign !== undefined) sendError(exchange, foreign);
    else if (help === undefined || !OAUTH_PATH.test(exchange.path))
      sendError(exchange, new HttpError(404, `Not found. MCP servers are at ${paths}.`));
    else exchange.send(404, JSON_HEADERS, JSON.stringify({ error: "invalid_request", error_description: help }));
  }

  /** Answers a request under `/.well-known/`, if a server has metadata. Otherwise it is a path like any other. */
  #answerMetadata(exchange: NodeExchange): boolean {
    if (!exchange.path.startsWith(WELL_KNOWN)) return false;
    const described = [...this.#endpoints.values()].filter(hasMetadata);
    const [first] = described;
    const owner = described.find(({ metadataPaths }) => metadataPaths.includes(exchange.path));
    if (owner !== undefined) owner.answerMetadata(exchange);
    // Beside another server, a client could take the root document for that server's.
    else first?.answerMetadata(exchange, this.#endpoints.size === 1 ? [ROOT_METADATA] : []);
    return first !== undefined;
  }

  #connected(socket: Socket): void {
    const connection: CallerMarks = { address: socket.remoteAddress };
    const refusal = this.#refusal(connection);
    if (refusal === undefined) {
      this.#connections.add(connection);
      socket.once("close", () => this.#connections.delete(connection));
    } else {
      socket.end(refusal);
      socket.destroySoon();
    }
  }

  /** Why a connection is not accepted; undefined if it is. A trusted proxy has those of all its clients. */
  #refusal(connection: CallerMarks): string | undefined {
    const { maxConnections = 10_000 } = this.#options;
    if (this.#connections.size >= maxConnections) return FULL;
    if (this.#connections.size * 2 < maxConnections || this.#proxies?.has(connection.address)) return undefined;
    return hasShare(connection, shareOf(maxConnections), this.#connections) ? OVER_SHARE : undefined;
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
      routes: [...this.#routes.keys(), ...(this.#hasHealth ? HEALTH_PATHS : [])],
      ready: async () => {
        await Promise.all([...this.#endpoints.values()].map((endpoint) => endpoint.ready()));
      },
      close: (drainTimeout = DRAIN_TIMEOUT) => this.#close(drainTimeout),
    };
  }

  async #close(drainTimeout: number): Promise<void> {
    // With health routes, the port stays open while calls finish, so that balancers see `draining`.
    const closed = this.#hasHealth ? undefined : this.#stopListening();
    await Promise.all([...this.#endpoints.values()].map((endpoint) => endpoint.close(drainTimeout)));
    const ended = closed ?? this.#stopListening();
    this.#http.closeIdleConnections();
    // Clients that have not read the last bytes by then are cut off.
    const timer = setTimeout(() => this.#http.closeAllConnections(), Math.min(drainTimeout, 1000));
    await ended;
    clearTimeout(timer);
  }

  #stopListening(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.#http.closeIdleConnections();
    return closed;
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
  const message = explanationOf(error.code, port, host);
  return message === undefined ? error : new UsageError(message, "bad_option", { cause: error });
}

function explanationOf(code: string | undefined, port: number, host: string): string | undefined {
  if (code === "EADDRINUSE")
    return `Port ${port} on ${host} is in use. Choose another one (--http ${port < 65_535 ? port + 1 : 3000}, or the option port), or 0 for any that is free.`;
  if (code === "EACCES") return `This user may not listen on port ${port}; choose one from 1024 on.`;
  const isForeign = code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT" || code === "ENOTFOUND";
  return isForeign ? `${host} is not an address of this machine.` : undefined;
}
