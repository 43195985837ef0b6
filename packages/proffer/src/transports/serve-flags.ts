import type { Choice, ChosenNames } from "../features/toolsets/feature.ts";
import { type CommandLine, type Flag, wrongFlag } from "./flags.ts";
import type { ServeOptions } from "./http/node/server.ts";
import type { LogFormat } from "./log-format.ts";

/** The values of the flags for OAuth. */
export interface OAuthFlags {
  readonly issuer: string;
  /** The URL of the server; with several servers, the URL before their paths. */
  readonly resource: string;
  readonly scopes: readonly string[];
}

/** The settings of a server that runs as a process. */
export interface Serving {
  /** Undefined without HTTP. */
  readonly http?: ServeOptions;
  /** Undefined if callers over HTTP need no token. */
  readonly oauth?: OAuthFlags;
  /** The file that describes the server. */
  readonly card?: string;
  readonly stdio: boolean;
  /** Undefined: clients see the items that the server shows by default. */
  readonly choice?: Choice;
  /** Whether clients see the messages of unexpected errors. Undefined: the server decides. */
  readonly errors?: "masked" | "message";
  /** The requested format of the log. Undefined: by the terminal, and HTTP requests are not logged. */
  readonly log?: LogFormat;
}

/** The environment variables of the process. */
export interface Variables {
  readonly [name: string]: string | undefined;
}

/** The flags of `proffer serve`, `proffer dev` and every built folder. */
export const SERVE_FLAGS = [
  { name: "--http", value: "[port]", help: "serve over HTTP (default port: $PORT, then 3000; 0 picks a free port)" },
  { name: "--stdio", help: "with --http: also serve over stdio" },
  { name: "--port", value: "<port>", variable: "PORT", help: "the same as --http <port>" },
  {
    name: "--host",
    value: "<address>",
    variable: "PROFFER_HOST",
    help: "the address to listen on (default: 127.0.0.1)",
  },
  { name: "--path", value: "<path>", variable: "PROFFER_PATH", help: "the path over HTTP (default: /mcp)" },
  {
    name: "--allowed-host",
    value: "<name>",
    variable: "PROFFER_ALLOWED_HOSTS",
    repeatable: true,
    help: "a host name that clients use, besides localhost; repeatable",
  },
  {
    name: "--allowed-origin",
    value: "<origin>",
    variable: "PROFFER_ALLOWED_ORIGINS",
    repeatable: true,
    help: "the origin of web pages that may call, instead of localhost; repeatable",
  },
  {
    name: "--trusted-proxy",
    value: "<address>",
    variable: "PROFFER_TRUSTED_PROXIES",
    repeatable: true,
    help: "a proxy or network whose X-Forwarded-For is believed; repeatable",
  },
  { name: "--health", variable: "PROFFER_HEALTH", help: "answer health checks" },
  { name: "--card", value: "<file>", variable: "PROFFER_CARD", help: "publish this server.json as a server card" },
  {
    name: "--oauth-issuer",
    value: "<url>",
    variable: "PROFFER_OAUTH_ISSUER",
    help: "accept only callers with an access token of this authorization server; requires the package jose",
  },
  {
    name: "--oauth-resource",
    value: "<url>",
    variable: "PROFFER_OAUTH_RESOURCE",
    help: "with --oauth-issuer: the URL of the server as clients write it; with --mount, without the paths",
  },
  {
    name: "--oauth-scopes",
    value: "<scopes>",
    variable: "PROFFER_OAUTH_SCOPES",
    help: "with --oauth-issuer: the scopes that every caller needs, separated by spaces",
  },
  {
    name: "--toolsets",
    value: "<names>",
    variable: "PROFFER_TOOLSETS",
    repeatable: true,
    help: "show these toolsets, separated by commas; default and all are names, too",
  },
  { name: "--read-only", variable: "PROFFER_READ_ONLY", help: "hide tools that do not say that they change nothing" },
  {
    name: "--only",
    value: "<names>",
    variable: "PROFFER_ONLY",
    repeatable: true,
    help: "show only items with these names, separated by commas; * stands for any characters",
  },
  {
    name: "--except",
    value: "<names>",
    variable: "PROFFER_EXCEPT",
    repeatable: true,
    help: "hide items with these names, separated by commas; * stands for any characters",
  },
  {
    name: "--errors",
    value: "<masked|message>",
    variable: "PROFFER_ERRORS",
    help: "whether clients see the messages of unexpected errors",
  },
  {
    name: "--log",
    value: "<json|pretty>",
    variable: "PROFFER_LOG",
    help: "log each HTTP request, and set the format of the log (default: pretty on a terminal, else json)",
  },
] as const satisfies readonly Flag[];

type Name = (typeof SERVE_FLAGS)[number]["name"];

/** Flags that have no meaning without HTTP. */
const HTTP_FLAGS = [
  ...["--host", "--path", "--allowed-host", "--allowed-origin", "--trusted-proxy", "--health", "--card"],
  ...["--oauth-issuer", "--oauth-resource", "--oauth-scopes"],
];

/**
 * Combines flags and variables; a flag overrides its variable. Variables never turn HTTP on: hosting platforms set
 * `PORT` for every process.
 * @throws {UsageError} for an invalid value, or flags that contradict each other.
 */
export function toServing({ flags }: CommandLine, variables: Variables): Serving {
  const settings = new Settings(flags, variables);
  const stdio = flags.has("--stdio");
  const errors = settings.oneOf("--errors", ["masked", "message"]);
  const log = settings.oneOf("--log", ["json", "pretty"]);
  const choice = toChoice(settings);
  const common = { ...(choice && { choice }), ...(errors && { errors }), ...(log && { log }) };
  if (!flags.has("--http") && !flags.has("--port")) {
    const stray = HTTP_FLAGS.find((name) => flags.has(name));
    if (stray !== undefined) throw wrongFlag(`${stray} requires --http.`);
    return { stdio: true, ...common };
  }
  if (stdio && !flags.has("--http")) {
    throw wrongFlag("--stdio and --port contradict each other. To serve both, use --http <port>.");
  }
  const oauth = toOAuth(settings);
  const card = settings.text("--card");
  return { stdio, http: toServeOptions(settings), ...(oauth && { oauth }), ...(card && { card }), ...common };
}

function toChoice(settings: Settings): Choice | undefined {
  const toolsets = settings.names("--toolsets");
  const only = settings.names("--only");
  const except = settings.names("--except");
  const readOnly = settings.isOn("--read-only");
  if (toolsets === undefined && only === undefined && except === undefined && !readOnly) return undefined;
  return { ...(toolsets && { toolsets }), ...(only && { only }), ...(except && { except }), readOnly };
}

/** A setting alone is an error: somebody who forgets the issuer would serve everybody. */
function toOAuth(settings: Settings): OAuthFlags | undefined {
  const issuer = settings.text("--oauth-issuer");
  const resource = settings.text("--oauth-resource");
  const scopes = settings.text("--oauth-scopes");
  if (issuer === undefined) {
    const stray = resource === undefined ? scopes && "--oauth-scopes" : "--oauth-resource";
    if (!stray) return undefined;
    throw wrongFlag(`${settings.origin(stray)} requires ${settings.other(stray, "--oauth-issuer")}.`);
  }
  if (resource === undefined) {
    const missing = settings.other("--oauth-issuer", "--oauth-resource");
    throw wrongFlag(
      `${settings.origin("--oauth-issuer")} requires ${missing}: the URL of the server as clients write it.`,
    );
  }
  return {
    issuer: checkUrl(issuer, settings.origin("--oauth-issuer")),
    resource: checkUrl(resource, settings.origin("--oauth-resource")),
    scopes: (scopes ?? "").split(/[\s,]+/).filter((scope) => scope !== ""),
  };
}

/** Returns the value of a flag or variable. @throws {UsageError} unless it is a URL of HTTP. */
function checkUrl(text: string, origin: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw wrongFlag(`Invalid URL in ${origin}: ${JSON.stringify(text)}. Use one such as https://login.example.com.`);
}

function toServeOptions(settings: Settings): ServeOptions {
  const port = toPort(settings);
  const host = settings.text("--host");
  const path = settings.text("--path");
  const allowedHosts = settings.list("--allowed-host");
  const allowedOrigins = settings.list("--allowed-origin");
  const trustedProxies = settings.list("--trusted-proxy");
  return {
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(path !== undefined && { path }),
    ...(allowedHosts.length > 0 && { allowedHosts }),
    ...(allowedOrigins.length > 0 && { allowedOrigins }),
    ...(trustedProxies.length > 0 && { trustedProxies }),
    ...(settings.isOn("--health") && { health: true }),
  };
}

function toPort(settings: Settings): number | undefined {
  const [short] = settings.given("--http");
  const [long] = settings.given("--port");
  if (short === undefined) {
    const text = settings.text("--port");
    return text === undefined ? undefined : parsePort(text, settings.origin("--port"));
  }
  const port = parsePort(short, "--http");
  if (long === undefined || parsePort(long, "--port") === port) return port;
  throw wrongFlag(`--http ${short} and --port ${long} are two ports. Use one of them.`);
}

function parsePort(text: string, origin: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw wrongFlag(
    `Invalid port in ${origin}: ${JSON.stringify(text)}. Use a number from 0 to 65535; 0 picks a free port.`,
  );
}

/** The values of flags, or else of their variables. An empty variable counts as absent. */
class Settings {
  readonly #flags: CommandLine["flags"];
  readonly #variables: Variables;

  constructor(flags: CommandLine["flags"], variables: Variables) {
    this.#flags = flags;
    this.#variables = variables;
  }

  /** The values of the flag alone. */
  given(name: Name): readonly string[] {
    return this.#flags.get(name) ?? [];
  }

  text(name: Name): string | undefined {
    return this.#values(name)[0];
  }

  list(name: Name): readonly string[] {
    return this.#flags.has(name) ? this.given(name) : splitByCommas(this.#values(name));
  }

  /** Names that are separated by commas. Undefined if nobody gives any. */
  names(name: Name): ChosenNames | undefined {
    const values = this.#values(name);
    const names = splitByCommas(values);
    const origin = this.origin(name);
    if (names.length > 0) return { names, origin };
    if (!values.some(Boolean)) return undefined;
    throw wrongFlag(`${origin} contains no name. Separate names by commas.`);
  }

  isOn(name: Name): boolean {
    if (this.#flags.has(name)) return true;
    const [value = "0"] = this.#values(name);
    if (/^(1|true|0|false)$/.test(value)) return value === "1" || value === "true";
    throw wrongFlag(`Invalid value of ${this.origin(name)}: ${JSON.stringify(value)}. Use 1 or 0.`);
  }

  oneOf<Value extends string>(name: Name, values: readonly Value[]): Value | undefined {
    const text = this.text(name);
    if (text === undefined || values.includes(text as Value)) return text as Value | undefined;
    throw wrongFlag(`Invalid value of ${this.origin(name)}: ${JSON.stringify(text)}. Use ${values.join(" or ")}.`);
  }

  /** Where the value of a setting comes from: the flag or its variable. */
  origin(name: Name): string {
    return this.other(name, name);
  }

  /** Another setting, as a flag beside a flag and as a variable beside a variable. */
  other(given: Name, name: Name): string {
    return this.#flags.has(given) ? name : variableOf(name);
  }

  #values(name: Name): readonly string[] {
    return this.#flags.get(name) ?? [this.#variables[variableOf(name)] ?? ""].filter(Boolean);
  }
}

function variableOf(name: Name): string {
  const { variable = "" }: Flag = SERVE_FLAGS.find((flag) => flag.name === name) as Flag;
  return variable;
}

function splitByCommas(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(",").map((part) => part.trim())).filter((part) => part !== "");
}
