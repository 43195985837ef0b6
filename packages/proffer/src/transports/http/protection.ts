import type { Call } from "../../calls/call.ts";
import type { ServerEvent } from "../../calls/observe.ts";
import type { Principal } from "../../calls/principal.ts";
import type { ReadinessCheck, ReadinessName } from "../../server/readiness.ts";
import type { LogSink } from "../../support/log.ts";
import { challengeError } from "./challenge.ts";
import type { HttpRequest } from "./exchange.ts";
import type { HttpError } from "./http-error.ts";
import type { Authenticate } from "./options.ts";

/** Decides who may call a server, and tells others how to get permission. `oauth` and `apiKeys` create one. */
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
  addReadinessCheck(name: ReadinessName, check: ReadinessCheck): void;
}

/** The response to a caller without these scopes, if the protection has none of its own. */
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
