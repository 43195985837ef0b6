/**
 * The codes of all errors that can be sent to a client. `docs/errors.md` says when each happens and what to do; a test
 * compares the two. A revision may use another code for an error (see `Revision.codes`).
 */
export const ERRORS = {
  parse_error: -32700,
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  internal_error: -32603,
  resource_not_found: -32602,
  header_mismatch: -32020,
  missing_capability: -32021,
  unsupported_version: -32022,
  // Proffer's own, outside the range -32768…-32000, which JSON-RPC and the specification reserve.
  busy: -31000,
  insufficient_scope: -31001,
} as const;

export type ErrorName = keyof typeof ERRORS;

/** The JSON-RPC error object. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The only error class that is sent to clients. The client receives its message and data; `cause` is only logged. */
export class RpcError extends Error {
  override readonly name: string = "RpcError";
  readonly kind: ErrorName;
  readonly data: unknown;
  /** Overrides the code of `kind` on every revision, for servers that must keep an older contract. */
  readonly code: number | undefined;

  constructor(kind: ErrorName, message: string, options: { data?: unknown; cause?: unknown; code?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.data = options.data;
    this.code = options.code;
  }
}

/** Throw this when a request has invalid values: the client receives error -32602 with this message. */
export class InvalidParams extends RpcError {
  override readonly name = "InvalidParams";

  constructor(message: string, data?: unknown) {
    super("invalid_params", message, { data });
  }
}

/** The caller lacks scopes that the operation needs. Over HTTP the response has a challenge that names them. */
export class InsufficientScope extends RpcError {
  override readonly name = "InsufficientScope";
  readonly scopes: readonly string[];

  constructor(what: string, scopes: readonly string[]) {
    super("insufficient_scope", `This ${what} needs the scopes: ${scopes.join(" ")}.`, { data: { scopes } });
    this.scopes = scopes;
  }
}

/** Clients should not wait longer than a day. */
const MAX_RETRY_SECONDS = 86_400;

/**
 * Throw this to refuse a caller for a while: the client receives the error `busy`, and over HTTP the status 429 with
 * `Retry-After`. The seconds are rounded up, to at least 1 and at most a day.
 */
export class Busy extends RpcError {
  override readonly name = "Busy";

  constructor(message: string, seconds = 1) {
    super("busy", message, { data: { retryAfter: Math.min(Math.ceil(Math.max(seconds, 1)) || 1, MAX_RETRY_SECONDS) } });
  }
}

/** Default message. */
export const NOT_FOUND = "Not found.";

/**
 * Throw this when the requested item does not exist: the client receives the not-found code of its revision. Without a
 * message, a resource read uses the message of its resource group.
 */
export class NotFound extends RpcError {
  override readonly name = "NotFound";

  constructor(message: string = NOT_FOUND, data?: unknown) {
    super("resource_not_found", message, { data });
  }
}
