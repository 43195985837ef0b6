import type { Call } from "../../calls/call.ts";
import type { Principal } from "../../calls/client.ts";
import type { ServerEvent } from "../../calls/observe.ts";
import { within } from "../../calls/timeout.ts";
import { RpcError } from "../../protocol/errors.ts";
import { isDeferred } from "../../results/return-value.ts";
import { addReadinessCheck, type ReadinessCheck } from "../../server/readiness.ts";
import { scopesOf } from "../../server/scopes.ts";
import type { ServerState } from "../../server/server.ts";
import type { LogSink } from "../../support/log.ts";
import { challengeError, metadataPath } from "./challenge.ts";
import type { HttpExchange, HttpRequest } from "./exchange.ts";
import { HttpError, sendError } from "./http-error.ts";
import type { Authenticate } from "./options.ts";

const NO_CALLER =
  "authenticate must return { id } with a string, undefined for an anonymous caller, unauthorized() or forbidden()";

/** Identifies the callers of one server, by the author's hook or by a protection such as `oauth()`. */
export class Authentication {
  /** The paths of the metadata document; empty if there is none. */
  readonly metadataPaths: readonly string[];
  readonly #server: ServerState;
  readonly #protection: Protection;

  /** Without a path, a framework routes requests to the server: those for its metadata too. */
  constructor(server: ServerState, authenticate: Authenticate | Protection, where: string, path: string | undefined) {
    this.#server = server;
    this.#protection = typeof authenticate === "function" ? { authenticate } : authenticate;
    const { metadata } = this.#protection;
    this.metadataPaths = metadata === undefined ? [] : [metadata.path, metadataPath(path)];
    this.#protection.attach?.({
      where,
      path,
      scopes: () => scopesOf(server),
      log: server.log,
      report: (event) => server.observers?.event(event),
      addReadinessCheck: (name, check) => addReadinessCheck(server, name, check),
    });
  }

  /** The metadata document, as JSON. */
  get metadata(): string | undefined {
    return this.#protection.metadata?.json;
  }

  /** Identifies the caller and continues, without a promise if the caller is known at once; or answers the request. */
  identify(exchange: HttpExchange, next: (exchange: HttpExchange) => void): void {
    let caller: unknown;
    try {
      caller = this.#protection.authenticate(exchange);
    } catch (error) {
      this.#failed(exchange, error);
      return;
    }
    if (!isDeferred(caller)) this.#identified(exchange, caller, next);
    else {
      within(this.#server.limits.hookTimeout, caller).then(
        (given) => this.#identified(exchange, given, next),
        (error) => this.#failed(exchange, error),
      );
    }
  }

  /** The response to a caller who lacks these scopes. */
  challenge(scopes: readonly string[], principal: Principal | undefined): HttpError {
    return this.#protection.challenge?.(scopes, principal) ?? scopeChallenge(scopes, principal);
  }

  #identified(exchange: HttpExchange, caller: unknown, next: (exchange: HttpExchange) => void): void {
    if (caller instanceof HttpError) {
      this.#server.observers?.event({ type: "auth_refused", status: caller.status, reason: caller.reason });
      sendError(exchange, caller);
    } else if (!isCaller(caller)) this.#failed(exchange, new TypeError(NO_CALLER));
    else {
      exchange.principal = caller;
      next(exchange);
    }
  }

  #failed(exchange: HttpExchange, error: unknown): void {
    this.#server.log({ level: "error", message: "authenticate failed", path: exchange.path, error });
    sendError(exchange, new HttpError(500, new RpcError("internal_error", "Internal error.")));
  }
}

/** Anything but a principal is refused: without an id, all such callers would share their sessions and states. */
function isCaller(caller: unknown): caller is Principal | undefined {
  return caller === undefined || typeof (caller as Principal | null)?.id === "string";
}

/** Identifies the callers of a server, and challenges those without permission. `oauth` and `apiKeys` create one. */
export interface Protection {
  /** Identifies the caller of a request. */
  readonly authenticate: Authenticate;
  /**
   * Whether the request has the kind of credentials that this protection checks, valid or not. `anyOf` asks it. Without
   * it, the protection decides about any request.
   */
  recognizes?(request: HttpRequest): boolean;
  /** The metadata document (RFC 9728), which anyone may read. */
  readonly metadata?: Metadata | undefined;
  /** Tells the user of a client that looks for OAuth, after a 401, which credentials the server takes instead. */
  readonly noOAuth?: string | undefined;
  /** The response to a caller without these scopes: 401 for an anonymous caller, otherwise 403. */
  challenge?(scopes: readonly string[], principal: Principal | undefined): HttpError;
  /** Called once for the server that it protects, before the first request. @throws {UsageError} for a mistake. */
  attach?(server: ProtectedServer): void;
}

export interface Metadata {
  /** The well-known path, such as "/.well-known/oauth-protected-resource/mcp". */
  readonly path: string;
  /** The document as JSON. */
  readonly json: string;
}

/** The server that a protection protects. */
export interface ProtectedServer {
  /** The start of error messages, such as "serveHttp(): /mcp". */
  readonly where: string;
  /** The path of the server; undefined if a framework routes requests to it. */
  readonly path: string | undefined;
  /** Every scope that a tool, prompt, resource or parameter has now. */
  scopes(): readonly string[];
  readonly log: LogSink;
  /** Reports an event to the server's observers. */
  report(event: ServerEvent): void;
  addReadinessCheck(name: "store" | "queue" | "keys", check: ReadinessCheck): void;
}

/** The response to a caller without these scopes, if the protection has no `challenge`. */
export function scopeChallenge(scopes: readonly string[], principal: Principal | undefined): HttpError {
  const scope = scopes.join(" ");
  if (principal === undefined) return challengeError(401, "Authentication required.", { scope });
  return challengeError(403, "Permission denied.", { error: "insufficient_scope", scope });
}

/** Explains during development why a client gets no challenge: the status was sent before `ctx.require()`. */
export function reportLateChallenge({ server, params }: Call): void {
  const message = "ctx.require() came after progress or a log message, so the client cannot ask for the scopes";
  if (server.overrides.development) server.log({ level: "warning", message, name: params.name ?? params.uri });
}
