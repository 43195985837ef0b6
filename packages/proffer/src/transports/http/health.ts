import type { ReadinessName } from "../../server/readiness.ts";
import { checkFlag } from "../../support/usage-error.ts";
import type { HttpEndpoint } from "./endpoint.ts";
import type { HttpExchange } from "./exchange.ts";
import { HttpError, sendError } from "./http-error.ts";

/** The state of a server in one word: the body of a readiness response. */
export type HealthWord = "ok" | "starting" | "draining" | "unavailable";

export interface Health {
  readonly word: HealthWord;
  /** The parts that make the server unavailable. */
  readonly parts: readonly ReadinessName[];
}

const LIVE = "/healthz";
const READY = "/readyz";

/**
 * The only routes that accept any `Host`: the kubelet of Kubernetes and most balancers send an IP address. A page that
 * reaches them by DNS rebinding reads one of four words and names from a fixed list.
 */
export const HEALTH_PATHS: readonly string[] = [LIVE, READY];

/** Most serious first. */
const WORDS: readonly HealthWord[] = ["draining", "unavailable", "starting", "ok"];

const TEXT_HEADERS: readonly string[] = [
  ...["content-type", "text/plain; charset=utf-8"],
  ...["cache-control", "no-store"],
  ...["x-content-type-options", "nosniff"],
];

/** Whether the health routes are on. @throws {UsageError} for an invalid option. */
export function hasHealth(health: boolean | undefined, where: string): boolean {
  checkFlag("health", health, where);
  return health ?? false;
}

/**
 * Answers a request for a health route. It is not logged: probes repeat every few seconds. It gets no CORS headers, not
 * even from an allowed origin, and needs no authentication.
 */
export function answerHealth(exchange: HttpExchange, endpoints: Iterable<HttpEndpoint>): void {
  const error = refusal(exchange);
  if (error !== undefined) sendError(exchange, error);
  else if (exchange.path === LIVE) sendText(exchange, 200, "ok");
  else void answerReady(exchange, [...endpoints]);
}

/** Why a request is not a probe: no web page of another origin may find out whether a server runs here. */
function refusal(exchange: HttpExchange): HttpError | undefined {
  if (exchange.header("origin") !== undefined || isForeign(exchange.header("sec-fetch-site"))) {
    return new HttpError(403, "Web pages may not request the health of the server.");
  }
  if (exchange.method === "GET" || exchange.method === "HEAD") return undefined;
  return new HttpError(405, "Only GET and HEAD are allowed here.", ["allow", "GET, HEAD"]);
}

/** Browsers send `none` for an address that the user typed. */
function isForeign(site: string | undefined): boolean {
  return site !== undefined && site !== "same-origin" && site !== "none";
}

async function answerReady(exchange: HttpExchange, endpoints: readonly HttpEndpoint[]): Promise<void> {
  const all = await Promise.all(endpoints.map((endpoint) => endpoint.health()));
  const word = WORDS.find((each) => all.some((health) => health.word === each)) ?? "ok";
  const parts = word === "unavailable" ? new Set(all.flatMap((health) => health.parts)) : [];
  sendText(exchange, word === "ok" ? 200 : 503, [word, ...parts].join(" "));
}

function sendText(exchange: HttpExchange, status: number, text: string): void {
  exchange.send(status, TEXT_HEADERS, exchange.method === "HEAD" ? undefined : text);
}
