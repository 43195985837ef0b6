import type { Memo } from "../../support/memo.ts";
import { UsageError } from "../../support/usage-error.ts";
import type { HeaderList, HttpRequest } from "./exchange.ts";
import { headerMemo } from "./header-memo.ts";
import { HttpError } from "./http-error.ts";

export interface GuardOptions {
  /**
   * The names under which the server may be reached, such as "mcp.example.com" or "*.example.com", each with any port
   * unless it has one. Default: those of this machine (localhost, 127.0.0.1, [::1]).
   */
  readonly allowedHosts?: readonly string[];
  /** Answers under any name. A web page whose name resolves to this machine can then use the server. */
  readonly dangerouslyAllowAnyHost?: boolean;
  /**
   * The web pages that may call, such as "https://app.example.com" or "https://*.example.com". Default: pages of this
   * machine. A request without an Origin does not come from a web page and passes.
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * What browsers are told. "off": nothing, so that no web page can read an answer. "check": pages of allowed origins
   * may. "enforce": the same, and whoever sends no Origin is refused. Default: "off".
   */
  readonly cors?: "off" | "check" | "enforce";
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const LOOPBACK_ORIGINS = LOOPBACK.flatMap((name) => [`http://${name}:*`, `https://${name}:*`]);

/** How long a browser may remember what it was told, in seconds. */
const MAX_AGE = "600";
const METHODS = "POST, GET, DELETE, OPTIONS";
const REQUEST_HEADERS: readonly string[] = [
  ...["accept", "authorization", "content-type", "last-event-id"],
  ...["mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id"],
];
const PARAMETER_HEADER = /^mcp-param-[!#$%&'*+.^_`|~0-9a-z-]+$/;
const EXPOSED = "mcp-session-id, www-authenticate";

/**
 * Keeps foreign web pages out. A page can make a browser send requests to this machine, and with a name that resolves
 * to it (DNS rebinding) even read the answers; its `Host` and `Origin` give it away.
 */
export class HttpGuard {
  readonly #hosts: Memo<boolean> | undefined;
  readonly #origins: Memo<boolean>;
  readonly #cors: "off" | "check" | "enforce";

  constructor(options: GuardOptions, where: string) {
    const { allowedHosts = LOOPBACK, allowedOrigins = LOOPBACK_ORIGINS, cors = "off" } = options;
    const hosts = allowedHosts.map((host) => hostPattern(host, where));
    const origins = allowedOrigins.map((origin) => originPattern(origin, where));
    if (!["off", "check", "enforce"].includes(cors)) {
      throw new UsageError("bad_option", `${where}: cors must be "off", "check" or "enforce", not ${String(cors)}.`);
    }
    this.#cors = cors;
    this.#hosts = options.dangerouslyAllowAnyHost
      ? undefined
      : headerMemo((value) => hosts.some((pattern) => pattern.test(value)));
    this.#origins = headerMemo((value) => origins.some((pattern) => pattern.test(value)));
  }

  /** Why the request may not go on, if it may not. */
  check(request: HttpRequest): HttpError | undefined {
    if (!request.path.startsWith("/")) return new HttpError(400, "The request target must be a path.");
    const host = request.header("host");
    if (this.#hosts !== undefined && (host === undefined || !this.#hosts.get(host))) {
      return new HttpError(
        403,
        "This server does not answer under that Host; its operator can name it in allowedHosts.",
      );
    }
    const origin = request.header("origin");
    if (origin === undefined) {
      return this.#cors === "enforce" ? new HttpError(400, "This server wants an Origin header.") : undefined;
    }
    if (this.#origins.get(origin)) return undefined;
    return new HttpError(
      403,
      "Web pages of that Origin may not use this server; its operator can name it in allowedOrigins.",
    );
  }

  /** What a browser must be told with each answer, so that the page may read it. The request has passed `check`. */
  responseHeaders(request: HttpRequest): HeaderList | undefined {
    if (this.#cors === "off") return undefined;
    const origin = request.header("origin");
    if (origin === undefined) return ["vary", "origin"];
    return [
      ...["access-control-allow-origin", origin],
      ...["access-control-expose-headers", EXPOSED],
      ...["vary", "origin"],
    ];
  }

  /** What a browser is told that asks before it sends; undefined if it did not ask, or is told nothing. */
  preflightHeaders(request: HttpRequest): HeaderList | undefined {
    if (this.#cors === "off" || request.header("origin") === undefined) return undefined;
    if (request.header("access-control-request-method") === undefined) return undefined;
    const asked = (request.header("access-control-request-headers") ?? "").toLowerCase().split(",");
    const parameters = asked.map((name) => name.trim()).filter((name) => PARAMETER_HEADER.test(name));
    return [
      ...["access-control-allow-methods", METHODS],
      ...["access-control-allow-headers", [...REQUEST_HEADERS, ...parameters].join(", ")],
      ...["access-control-max-age", MAX_AGE],
    ];
  }
}

/** Matches the whole value; a star stands for one or more labels, or for a port. */
function hostPattern(host: string, where: string): RegExp {
  if (!/^(\*\.)?([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:(\d{1,5}|\*))?$/i.test(host)) {
    throw new UsageError(
      "bad_option",
      `${where}: allowedHosts takes names such as "mcp.example.com", "*.example.com" or "localhost:8080", not ${JSON.stringify(host)}.`,
    );
  }
  const port = /:(\d{1,5}|\*)$/.exec(host);
  const name = port === null ? host : host.slice(0, port.index);
  const ending = port === null || port[1] === "*" ? "(:\\d{1,5})?" : `:${port[1]}`;
  return new RegExp(`^${labels(name)}${ending}$`, "i");
}

function originPattern(origin: string, where: string): RegExp {
  if (!/^[a-z][a-z0-9+.-]*:\/\/(\*\.)?([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:(\d{1,5}|\*))?$/.test(origin)) {
    throw new UsageError(
      "bad_option",
      `${where}: allowedOrigins takes origins such as "https://app.example.com" or "https://*.example.com", not ${JSON.stringify(origin)}.`,
    );
  }
  const written = origin.endsWith(":*") ? origin.slice(0, -2) : origin;
  // Browsers write origins in lower case; another spelling is no browser's.
  return new RegExp(`^${labels(written)}${origin.endsWith(":*") ? "(:\\d{1,5})?" : ""}$`);
}

function labels(name: string): string {
  return name.replace(/[.+[\]]/g, "\\$&").replace("*\\.", "([a-z0-9_-]+\\.)+");
}
