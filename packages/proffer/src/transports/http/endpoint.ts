import type { Call, CallOrigin } from "../../calls/call.ts";
import type { CallerMarks } from "../../calls/caller.ts";
import type { Principal } from "../../calls/client.ts";
import { cancelCall, type InFlight, LISTEN, SharedInFlight, shuttingDown } from "../../calls/in-flight.ts";
import { within } from "../../calls/timeout.ts";
import { RpcError } from "../../protocol/errors.ts";
import type { RequestId } from "../../protocol/messages.ts";
import type { Revision } from "../../protocol/revisions/revision.ts";
import { type Lifespan, lifespanOf, notStarted, type Release, waitsForStart } from "../../server/lifespan.ts";
import { addMetrics, type HttpMetrics } from "../../server/metrics.ts";
import { keptScopes, refuseScopes } from "../../server/scopes.ts";
import { type Server, type ServerState, stateOf } from "../../server/server.ts";
import { Authentication, scopeChallenge } from "./authentication.ts";
import { answerMetadata, WELL_KNOWN } from "./challenge.ts";
import { OpenStreams } from "./event-stream.ts";
import { type HttpExchange, logExchange, nameCaller } from "./exchange.ts";
import { HttpGuard } from "./guard.ts";
import { checkAccept, checkBody, isModern } from "./header-check.ts";
import { answerHealth, HEALTH_PATHS, type Health, hasHealth } from "./health.ts";
import { busyError, HttpError, sendError } from "./http-error.ts";
import type { HttpFeature, LegacySessions, SessionCalls } from "./legacy-session.ts";
import { LegacySse } from "./legacy-sse.ts";
import { type HttpLimits, type HttpOptions, toLimits } from "./options.ts";
import { PostHandler } from "./post-handler.ts";
import { answerFailure, endSession, HttpSessions, openStandalone } from "./sessions.ts";

/**
 * When an endpoint starts its server. Calls are rejected while a start "now" lasts; otherwise they wait for it, because
 * the first call of each process would fail.
 */
export type StartTime = "now" | "first request" | "first call";

const RANDOM_KEY =
  "PROFFER_KEYS is not set: cursors and the state of questions are sealed with a random key, so other processes cannot open them. Behind a load balancer, set the same key for all processes.";

/** One server at one address, for every run-time: checks a request, and routes it by its HTTP method. */
export class HttpEndpoint {
  readonly server: ServerState;
  readonly options: HttpOptions;
  readonly limits: HttpLimits;
  readonly inFlight: InFlight;
  readonly streams: OpenStreams;
  /** Undefined if each request is served without a session. */
  sessions: LegacySessions | undefined;
  readonly #authentication: Authentication | undefined;
  readonly #hasHealth: boolean;
  readonly #lifespan: Lifespan | undefined;
  #release: Release | undefined;
  #stopMeasuring: (() => void) | undefined;
  /** The features of the server are being loaded; requests wait for them. */
  #loading: Promise<void> | undefined;
  #startTime: StartTime = "now";
  readonly #guard: HttpGuard;
  readonly #posts: PostHandler;
  #legacySse: LegacySse | undefined;
  readonly #routeIdentified = (exchange: HttpExchange) => this.#route(exchange);

  /** Without a path, a framework routes requests to the endpoint: those for its metadata too. */
  constructor(server: Server, options: HttpOptions, where: string, path?: string) {
    this.server = stateOf(server);
    this.server.onRandomKey ??= () => this.server.log({ level: "info", message: RANDOM_KEY });
    this.options = options;
    this.limits = toLimits(options, where);
    this.#hasHealth = hasHealth(options.health, where);
    this.#lifespan = lifespanOf(this.server);
    this.inFlight = new SharedInFlight(this.limits.maxInFlight, this.limits.maxInFlightPerClient);
    this.streams = new OpenStreams(this.limits.keepAliveInterval, (type) => this.server.observers?.event({ type }));
    this.#guard = new HttpGuard(options, where);
    const { authenticate } = options;
    if (authenticate === undefined) refuseScopes(this.server, where);
    this.#authentication =
      authenticate === undefined ? undefined : new Authentication(this.server, authenticate, where, path);
    this.#posts = new PostHandler(this);
    options.card?.attach(this.server, path);
    const { features } = this.server;
    const isPlain = features.loading === undefined && features.with("loadHttp").length === 0;
    this.#loading = isPlain ? this.#create() : this.#load();
    this.#loading?.catch((error) => this.server.log({ level: "error", message: "The server cannot be served", error }));
  }

  /** Serves the server from now on. */
  open(startTime: StartTime): void {
    this.#release = this.#lifespan?.open();
    this.#stopMeasuring = addMetrics(this.server, "http", () => this.#metrics(), ["calls", "sessions", "streams"]);
    this.#startTime = startTime;
    if (startTime === "now") this.#lifespan?.begin();
  }

  #metrics(): HttpMetrics {
    return { calls: this.inFlight.size, sessions: this.sessions?.size ?? 0, streams: this.streams.size };
  }

  /** Starts the server, or waits until it has started. @throws {Error} with the reason if it could not. */
  async ready(): Promise<void> {
    await this.#loading;
    await this.#lifespan?.start();
  }

  /** The state of the server for a readiness probe. A server that has not started yet, or failed to, starts. */
  async health(): Promise<Health> {
    if (this.inFlight.draining) return { word: "draining", parts: [] };
    // The probe starts the server: a balancer sends no calls before it is ready.
    if (this.#startTime !== "now") await this.ready().catch(() => {});
    const word = this.#lifespan?.status ?? "ok";
    if (word !== "ok") {
      if (this.#startTime === "now") this.#lifespan?.begin();
      return { word, parts: [] };
    }
    const parts = (await this.server.readiness?.failing()) ?? [];
    return { word: parts.length === 0 ? "ok" : "unavailable", parts };
  }

  /** Handles a request whose headers have arrived. */
  handle(exchange: HttpExchange): void {
    if (this.#hasHealth && HEALTH_PATHS.includes(exchange.path)) {
      answerHealth(exchange, [this]);
      return;
    }
    this.server.overrides.watch?.exchange?.(exchange);
    if (this.options.log !== undefined) exchange.logRecord = { started: performance.now() };
    if (this.metadataPaths.length > 0 && exchange.path.startsWith(WELL_KNOWN)) {
      this.answerMetadata(exchange);
      return;
    }
    if (this.options.card?.answer(exchange)) return;
    const error = this.#guard.check(exchange);
    if (error !== undefined) {
      sendError(exchange, error);
      return;
    }
    exchange.extraHeaders = this.#guard.responseHeaders(exchange);
    this.name(exchange);
    if (exchange.method === "OPTIONS") this.#preflight(exchange);
    else if (this.#authentication === undefined) this.#route(exchange);
    else this.#authentication.identify(exchange, this.#routeIdentified);
  }

  /** Names the caller of a request, if the author does. */
  name(exchange: HttpExchange): void {
    const { caller } = this.options;
    if (caller !== undefined && exchange.callerName === undefined) nameCaller(exchange, caller, this.server.log);
  }

  /** The paths of the metadata document; empty if there is none. */
  get metadataPaths(): readonly string[] {
    return this.#authentication?.metadataPaths ?? [];
  }

  /** Answers a request under `/.well-known/`. */
  answerMetadata(exchange: HttpExchange, paths: readonly string[] = this.metadataPaths): void {
    const error = this.#guard.checkHost(exchange);
    if (error !== undefined) sendError(exchange, error);
    else answerMetadata(exchange, paths.includes(exchange.path) ? this.#authentication?.metadata : undefined);
  }

  /** The response to a caller who lacks scopes. */
  challenge(needed: readonly string[], principal: Principal | undefined, revision: Revision): HttpError {
    const granted = revision.replacesScopes ? keptScopes(this.server, principal) : [];
    const scopes = [...new Set([...granted, ...needed])];
    return this.#authentication?.challenge(scopes, principal) ?? scopeChallenge(scopes, principal);
  }

  /** Why a request cannot start now; undefined if it can. */
  busy({ method }: Pick<Call, "method">, origin: CallOrigin): HttpError | undefined {
    const error = method === LISTEN ? this.#streamsBusy(origin) : this.inFlight.busy(origin);
    return this.#startBusy(method) ?? (error && busyError(error));
  }

  /** Starts a server that has not started, and returns why the call cannot run meanwhile if it must not wait. */
  #startBusy(method: string): HttpError | undefined {
    const lifespan = this.#lifespan;
    if (lifespan === undefined || lifespan.ready || this.inFlight.draining) return undefined;
    const error = busyError(notStarted(lifespan.status));
    if (this.#startTime !== "first call") lifespan.begin();
    return this.#startTime === "now" && waitsForStart(this.server, method) ? error : undefined;
  }

  /** Keeps a call that was not answered synchronously. */
  keep(call: Call): void {
    this.inFlight.add(call);
    sessionOf(call)?.started();
  }

  /** The call is answered or cancelled. */
  onSettled(call: Call): void {
    if (this.inFlight.delete(call)) sessionOf(call)?.settled();
  }

  /** Cancels the calls of a session: those with that id, or all of them because the session has ended. */
  cancel(session: SessionCalls, id?: RequestId): void {
    for (const call of this.inFlight.all(session)) {
      if (id !== undefined && call.id !== id) continue;
      cancelCall(call, id === undefined ? "The session has ended." : "The client cancelled the request.");
    }
  }

  /** Passes an answered request to the author's `log` function. */
  log(exchange: HttpExchange, status: number): void {
    if (this.options.log !== undefined) logExchange(exchange, status, this.options.log);
  }

  /**
   * Accepts no more requests, waits for those in flight up to the timeout, then ends every stream and session. The last
   * transport of the server also waits for `onStop`, within the same time.
   */
  async close(drainTimeout: number): Promise<void> {
    const end = performance.now() + drainTimeout;
    if (this.#release !== undefined) this.#lifespan?.drain(this.#release, drainTimeout);
    await within(this.#lifespan?.timeForCalls(drainTimeout) ?? drainTimeout, this.inFlight.drain()).catch(() => {});
    for (const call of this.inFlight.all()) cancelCall(call, "The server is shutting down.");
    await this.#loading?.catch(() => {});
    await this.sessions?.endAll();
    await this.#legacySse?.close();
    this.streams.releaseAll();
    this.#stopMeasuring?.();
    await this.#release?.(end - performance.now());
  }

  async #load(): Promise<void> {
    const { features } = this.server;
    await features.loading;
    const [feature] = features.with("loadHttp");
    this.#create((await feature?.loadHttp()) as HttpFeature | undefined);
    this.#loading = undefined;
  }

  /** Creates the sessions, and those of 2024-11-05. A feature may share them between nodes. */
  #create(feature?: HttpFeature): undefined {
    if (this.options.sessions !== false)
      this.sessions = feature === undefined ? new HttpSessions(this) : feature.createSessions(this);
    if (this.options.legacySse) this.#legacySse = new LegacySse(this, feature);
  }

  #route(exchange: HttpExchange): void {
    const entered = this.#loading?.then(() => this.#enter(exchange), cannotServe);
    if (entered === undefined) this.#enter(exchange);
    else answerFailure(exchange, entered);
  }

  #enter(exchange: HttpExchange): void {
    const { sessions } = this;
    const namesSession = () => exchange.header("mcp-session-id") !== undefined && this.#hasSessions(exchange);
    if (sessions?.load === undefined || !namesSession()) this.#dispatch(exchange);
    else {
      const work = sessions.load(exchange).then(() => this.#dispatch(exchange));
      answerFailure(exchange, work);
    }
  }

  #dispatch(exchange: HttpExchange): void {
    const { method } = exchange;
    try {
      if (this.#legacySse?.handles(exchange.path)) this.#legacySse.handle(exchange);
      else if (method === "POST") this.#post(exchange);
      else if (method === "GET" && this.#hasSessions(exchange)) openStandalone(this, exchange);
      else if (method === "DELETE" && this.#hasSessions(exchange)) endSession(this, exchange);
      else throw this.#notAllowed(exchange);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      sendError(exchange, error);
    }
  }

  #post(exchange: HttpExchange): void {
    checkBody(exchange);
    checkAccept(exchange);
    exchange.read(this.#posts);
  }

  #preflight(exchange: HttpExchange): void {
    const headers = this.#guard.preflightHeaders(exchange);
    if (headers !== undefined) exchange.send(204, headers);
    else sendError(exchange, this.#notAllowed(exchange));
  }

  /** @throws {HttpError} if the client cannot open another stream now. */
  checkStreams(client: CallerMarks): void {
    const error = this.#streamsBusy(client);
    if (error !== undefined) throw busyError(error);
  }

  #streamsBusy(client: CallerMarks): RpcError | undefined {
    return this.inFlight.draining ? shuttingDown() : this.streams.refusal(client, this.limits.maxStreams);
  }

  #hasSessions(exchange: HttpExchange): boolean {
    return this.sessions !== undefined && !isModern(exchange, this.server.revisions);
  }

  #notAllowed(exchange: HttpExchange): HttpError {
    const allowed = this.#hasSessions(exchange) ? "POST, GET, DELETE" : "POST";
    return new HttpError(405, `${exchange.method.slice(0, 16)} is not allowed; use ${allowed}.`, ["allow", allowed]);
  }
}

/** The log has the reason. */
function cannotServe(): never {
  throw new HttpError(500, new RpcError("internal_error", "The server could not start."));
}

/** The session of a call that came in a POST: the listener for changes. */
function sessionOf(call: Call): SessionCalls | undefined {
  return call.origin.listener as SessionCalls | undefined;
}
