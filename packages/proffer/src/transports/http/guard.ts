import type { Memo } from "../../support/memo.ts";
import { UsageError } from "../../support/usage-error.ts";
import type { HttpRequest } from "./exchange.ts";
import { headerMemo } from "./header-check.ts";
import { HttpError } from "./http-error.ts";

export interface GuardOptions {
  /**
   * The host names that requests may use besides those of this machine, such as "mcp.example.com" or "*.example.com"; a
   * name without a port matches any port.
   */
  readonly allowedHosts?: readonly string[];
  /** Accepts the names of this machine as Host: localhost, 127.0.0.1 and [::1]. Default: true. */
  readonly allowLocalhost?: boolean;
  /** Accepts any Host. A web page whose name resolves to this machine (DNS rebinding) can then use the server. */
  readonly dangerouslyAllowAnyHost?: boolean;
  /**
   * The origins of web pages that may call, such as "https://app.example.com" or "https://*.example.com". Default:
   * origins of this machine. Requests without `Origin` do not come from a web page and are allowed.
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * CORS headers. "off": none, so no web page can read a response. "check": pages of allowed origins can. "enforce":
   * the same, and requests without an Origin are rejected. Default: "off".
   */
  readonly cors?: "off" | "check" | "enforce";
}

/** The usual names of this machine. */
export const LOOPBACK_NAMES: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];
const LOOPBACK_ORIGINS = LOOPBACK_NAMES.flatMap((name) => [`http://${name}:*`, `https://${name}:*`]);

/** The number of characters of a refused header that the response repeats. */
const MAX_SHOWN = 100;
/** Seconds for which a browser may cache a preflight response. */
const MAX_AGE = "600";
const METHODS = "POST, GET, DELETE, OPTIONS";
const REQUEST_HEADERS: readonly string[] = [
  ...["accept", "authorization", "content-type", "last-event-id"],
  ...["mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id"],
];
const PARAMETER_HEADER = /^mcp-param-[!#$%&'*+.^_`|~0-9a-z-]+$/;
const EXPOSED = "mcp-session-id, www-authenticate";

/**
 * Rejects requests from foreign web pages. A page can make a browser send requests to this machine, and with a name that
 * resolves to it (DNS rebinding) even read the responses; `Host` and `Origin` reveal such requests.
 */
export class HttpGuard {
  readonly #hosts: Memo<boolean> | undefined;
  readonly #origins: Memo<boolean>;
  readonly #cors: "off" | "check" | "enforce";

  constructor(options: GuardOptions, where: string) {
    const { allowedOrigins = LOOPBACK_ORIGINS, cors = "off" } = options;
    const hosts = allowedNames(options).map((host) => hostPattern(host, where));
    const origins = allowedOrigins.map((origin) => originPattern(origin, where));
    if (!["off", "check", "enforce"].includes(cors)) {
      throw new UsageError(`${where}: cors must be "off", "check" or "enforce", not ${String(cors)}.`);
    }
    if (hosts.length === 0 && !options.dangerouslyAllowAnyHost) {
      throw new UsageError(
        `${where}: allowLocalhost is false and allowedHosts is empty, so every request would be refused. List the host names that clients use in allowedHosts.`,
      );
    }
    this.#cors = cors;
    this.#hosts = options.dangerouslyAllowAnyHost
      ? undefined
      : headerMemo((value) => hosts.some((pattern) => pattern.test(value)));
    this.#origins = headerMemo((value) => origins.some((pattern) => pattern.test(value)));
  }

  /** Why the request is rejected; undefined if it is allowed. */
  check(request: HttpRequest): HttpError | undefined {
    return this.checkHost(request) ?? this.#checkOrigin(request);
  }

  /** Why the request is rejected, if web pages of any origin may send it. */
  checkHost(request: HttpRequest): HttpError | undefined {
    if (!request.path.startsWith("/")) return new HttpError(400, "The request target must be a path.");
    const { urlHost } = request;
    return this.#checkName(request.header("host")) ?? (urlHost === undefined ? undefined : this.#checkName(urlHost));
  }

  #checkName(host: string | undefined): HttpError | undefined {
    if (this.#hosts === undefined || (host !== undefined && this.#hosts.get(host))) return undefined;
    return notAllowed("Host", host, "allowedHosts", "--allowed-host");
  }

  #checkOrigin(request: HttpRequest): HttpError | undefined {
    const origin = request.header("origin");
    if (origin === undefined) {
      return this.#cors === "enforce" ? new HttpError(400, "The Origin header is required.") : undefined;
    }
    if (this.#origins.get(origin)) return undefined;
    return notAllowed("Origin", origin, "allowedOrigins", "--allowed-origin");
  }

  /** The CORS headers of a response, which let the page read it. The request has passed `check`. */
  responseHeaders(request: HttpRequest): readonly string[] | undefined {
    if (this.#cors === "off") return undefined;
    const origin = request.header("origin");
    if (origin === undefined) return ["vary", "origin"];
    return [
      ...["access-control-allow-origin", origin],
      ...["access-control-expose-headers", EXPOSED],
      ...["vary", "origin"],
    ];
  }

  /** The headers of a preflight response; undefined if the request is not a preflight, or CORS is off. */
  preflightHeaders(request: HttpRequest): readonly string[] | undefined {
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

/** The host names that requests may use. */
export function allowedNames({ allowedHosts = [], allowLocalhost = true }: GuardOptions): readonly string[] {
  return allowLocalhost ? [...LOOPBACK_NAMES, ...allowedHosts] : allowedHosts;
}

/** The client wrote the value: its length is bounded, and characters that no host name or origin has are replaced. */
function notAllowed(header: string, value: string | undefined, option: string, flag: string): HttpError {
  if (!value) return new HttpError(403, `The ${header} header is required.`);
  const safe = value.slice(0, MAX_SHOWN).replace(/[^\w.:/[\]@,*-]/g, "?");
  const shown = value.length > MAX_SHOWN ? `${safe}…` : safe;
  return new HttpError(
    403,
    `${header} not allowed: ${shown}. The operator of the server can add it to ${option}, or with ${flag}.`,
  );
}

/** Matches the whole value; a star matches one or more labels, or any port. */
function hostPattern(host: string, where: string): RegExp {
  if (!/^(\*\.)?([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:(\d{1,5}|\*))?$/i.test(host)) {
    throw new UsageError(
      `${where}: allowedHosts (--allowed-host) accepts names such as "mcp.example.com", "*.example.com" or "localhost:8080", not ${JSON.stringify(host)}.`,
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
      `${where}: allowedOrigins (--allowed-origin) accepts origins such as "https://app.example.com" or "https://*.example.com", not ${JSON.stringify(origin)}.`,
    );
  }
  const written = origin.endsWith(":*") ? origin.slice(0, -2) : origin;
  // Browsers send origins in lower case; another spelling does not come from a browser.
  return new RegExp(`^${labels(written)}${origin.endsWith(":*") ? "(:\\d{1,5})?" : ""}$`);
}

function labels(name: string): string {
  return name.replace(/[.+[\]]/g, "\\$&").replace("*\\.", "([a-z0-9_-]+\\.)+");
}
