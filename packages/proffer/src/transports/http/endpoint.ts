import type { Call } from "../../calls/call.ts";
import { RpcError } from "../../protocol/errors.ts";
import type { RequestMessage } from "../../protocol/messages.ts";
import { type Server, type ServerState, stateOf } from "../../server/server.ts";
import { CallsInWork, ENDLESS } from "./calls-in-work.ts";
import type { HttpExchange } from "./exchange.ts";
import { HttpGuard } from "./guard.ts";
import { headerMemo } from "./header-memo.ts";
import { HttpError, NO_HEADERS, sendError } from "./http-error.ts";
import { LegacySse, type PairHost } from "./legacy-sse.ts";
import { accepts, acceptsBoth, isJsonType } from "./media-types.ts";
import { OpenStreams } from "./open-streams.ts";
import { type HttpLimits, type HttpOptions, toLimits } from "./options.ts";
import { type InboxHost, PostHandler } from "./post-handler.ts";
import { isModern, legacyRevision } from "./revision.ts";
import type { HttpSession } from "./session.ts";
import { HttpSessions, type SessionsHost } from "./sessions.ts";

/** One server at one address, for every run-time: all that is decided about a request is decided from here. */
export class HttpEndpoint implements InboxHost, SessionsHost, PairHost {
  readonly server: ServerState;
  readonly limits: HttpLimits;
  readonly exposeErrors: boolean;
  readonly calls = new CallsInWork();
  readonly streams: OpenStreams;
  readonly sessions: HttpSessions | undefined;
  readonly #options: HttpOptions;
  readonly #guard: HttpGuard;
  readonly #inbox: PostHandler;
  readonly #pair: LegacySse | undefined;
  readonly #types = headerMemo(isJsonType);
  readonly #accepts = headerMemo(acceptsBoth);
  #draining = false;

  constructor(server: Server, options: HttpOptions, where: string) {
    this.server = stateOf(server);
    this.#options = options;
    this.limits = toLimits(options, where);
    this.exposeErrors = options.exposeErrors ?? false;
    this.streams = new OpenStreams(this.limits.keepAliveInterval);
    this.sessions = options.sessions === false ? undefined : new HttpSessions(this);
    this.#guard = new HttpGuard(options, where);
    this.#inbox = new PostHandler(this);
    this.#pair = options.legacySse ? new LegacySse(this) : undefined;
  }

  get maxBodyBytes(): number {
    return this.limits.maxMessageBytes;
  }

  get maxConcurrent(): number {
    return this.limits.maxInFlight;
  }

  get idleTimeout(): number {
    return this.limits.idleTimeout;
  }

  get max(): number {
    return this.limits.maxSessions;
  }

  get maxReplayBytes(): number {
    return this.limits.maxReplayBytes;
  }

  /** Takes a request whose head has arrived. */
  handle(exchange: HttpExchange): void {
    if (this.#options.log !== undefined) exchange.logRecord = { started: performance.now() };
    const refusal = this.#guard.check(exchange);
    if (refusal !== undefined) {
      sendError(exchange, refusal);
      return;
    }
    exchange.extraHeaders = this.#guard.responseHeaders(exchange);
    if (exchange.method === "OPTIONS") this.#preflight(exchange);
    else if (this.#options.authenticate === undefined) this.#route(exchange);
    else void this.#authenticate(exchange, this.#options.authenticate);
  }

  received(exchange: HttpExchange, text: string): void {
    this.#inbox.receive(exchange, text);
  }

  tooLarge(exchange: HttpExchange): void {
    sendError(exchange, new HttpError(413, `The body is larger than ${this.limits.maxMessageBytes} bytes.`));
  }

  malformed(exchange: HttpExchange): void {
    sendError(exchange, new HttpError(400, new RpcError("parse_error", "The body is not valid UTF-8.")));
  }

  refusal({ method }: RequestMessage): HttpError | undefined {
    if (this.#draining) return busy("The server is shutting down; connect again later.");
    if (method === ENDLESS) return this.#streamRefusal();
    if (this.calls.size < this.limits.maxInFlight) return undefined;
    return busy(`The server is busy: ${this.limits.maxInFlight} requests are in work. Try again later.`);
  }

  settled(call: Call): void {
    this.calls.delete(call);
  }

  sessionEnded(session: HttpSession): void {
    this.calls.cancel(session);
  }

  /** Tells the author's hook of a request that has been answered. */
  log(exchange: HttpExchange, status: number): void {
    const { logRecord, method, path, principal } = exchange;
    if (logRecord === undefined) return;
    exchange.logRecord = undefined;
    const { started, ...known } = logRecord;
    const caller = principal === undefined ? {} : { principal: principal.id };
    this.#options.log?.({ method, path, status, milliseconds: performance.now() - started, ...known, ...caller });
  }

  /** Takes no more requests, and gives those in work so many milliseconds. Then every stream and session ends. */
  async close(drainTimeout: number): Promise<void> {
    this.#draining = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeUp = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, drainTimeout);
    });
    await Promise.race([this.calls.drain(), timeUp]);
    clearTimeout(timer);
    this.calls.close("The server is shutting down.");
    this.sessions?.endAll();
    this.#pair?.close();
    this.streams.releaseAll();
  }

  async #authenticate(exchange: HttpExchange, authenticate: NonNullable<HttpOptions["authenticate"]>): Promise<void> {
    try {
      const caller = await authenticate(exchange);
      if (caller instanceof HttpError) {
        sendError(exchange, caller);
        return;
      }
      exchange.principal = caller;
    } catch (error) {
      this.server.log({ level: "error", message: "authenticate failed", path: exchange.path, error });
      sendError(exchange, new HttpError(500, new RpcError("internal_error", "Internal error.")));
      return;
    }
    this.#route(exchange);
  }

  #route(exchange: HttpExchange): void {
    const { method } = exchange;
    try {
      if (this.#pair?.takes(exchange.path)) this.#handlePair(exchange, this.#pair);
      else if (method === "POST") this.#post(exchange);
      else if (method === "GET" && this.#hasSessions(exchange)) this.#get(exchange);
      else if (method === "DELETE" && this.#hasSessions(exchange)) this.#delete(exchange);
      else throw new HttpError(405, `There is no ${method.slice(0, 16)} here.`, ["allow", this.#allowed(exchange)]);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      sendError(exchange, error);
    }
  }

  #post(exchange: HttpExchange): void {
    this.#checkContent(exchange);
    const accept = exchange.header("accept");
    if (accept !== undefined && !this.#accepts.get(accept)) {
      throw new HttpError(406, "The Accept header must allow application/json and text/event-stream.");
    }
    exchange.read(this);
  }

  #handlePair(exchange: HttpExchange, pair: LegacySse): void {
    const refusal = exchange.method === "GET" ? this.#streamRefusal() : undefined;
    if (refusal !== undefined) throw refusal;
    if (exchange.method === "POST") this.#checkContent(exchange);
    pair.handle(exchange);
  }

  #checkContent(exchange: HttpExchange): void {
    const type = exchange.header("content-type");
    if (type === undefined || !this.#types.get(type)) {
      throw new HttpError(415, "The Content-Type must be application/json.");
    }
    const encoding = exchange.header("content-encoding");
    if (encoding !== undefined && encoding !== "identity") {
      throw new HttpError(415, "The body must be sent without a Content-Encoding.");
    }
  }

  #get(exchange: HttpExchange): void {
    const accept = exchange.header("accept");
    if (accept !== undefined && !accepts(accept, "text/event-stream")) {
      throw new HttpError(406, "The Accept header must allow text/event-stream.");
    }
    legacyRevision(exchange, this.server.revisions, undefined);
    const session = this.#inbox.findSession(exchange);
    const refusal = this.#streamRefusal();
    if (refusal !== undefined) throw refusal;
    const lastEventId = exchange.header("last-event-id");
    if (lastEventId === undefined) session?.listen(exchange);
    else session?.resume(exchange, lastEventId);
  }

  #delete(exchange: HttpExchange): void {
    const session = this.#inbox.findSession(exchange);
    if (session !== undefined) this.sessions?.end(session);
    exchange.send(204, NO_HEADERS);
  }

  #preflight(exchange: HttpExchange): void {
    const headers = this.#guard.preflightHeaders(exchange);
    if (headers !== undefined) exchange.send(204, headers);
    else sendError(exchange, new HttpError(405, "There is no OPTIONS here.", ["allow", this.#allowed(exchange)]));
  }

  #streamRefusal(): HttpError | undefined {
    if (this.#draining) return busy("The server is shutting down; connect again later.");
    if (this.streams.size < this.limits.maxStreams) return undefined;
    return busy(`The server is busy: ${this.limits.maxStreams} streams are open. Try again later.`);
  }

  #hasSessions(exchange: HttpExchange): boolean {
    return this.sessions !== undefined && !isModern(exchange, this.server.revisions);
  }

  #allowed(exchange: HttpExchange): string {
    return this.#hasSessions(exchange) ? "POST, GET, DELETE" : "POST";
  }
}

function busy(message: string): HttpError {
  return new HttpError(503, new RpcError("busy", message), ["retry-after", "1"]);
}
