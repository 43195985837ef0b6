/**
 * Every error that can cross the wire: its code, and what it means. `docs/errors.md` says of each when it happens and
 * what to do; a test compares the two. A revision may give one of them another code (see `Revision.codes`).
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
  // Ours: outside -32768…-32000, which JSON-RPC and the specification keep to themselves.
  busy: -31000,
} as const;

export type ErrorName = keyof typeof ERRORS;

/** The JSON-RPC error object. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The one error class that crosses the wire. Its message and data reach the client; its `cause` only the log. */
export class RpcError extends Error {
  override readonly name: string = "RpcError";
  readonly kind: ErrorName;
  readonly data: unknown;
  /** Stands in place of the code that the kind has, on every revision: for servers that keep an older contract. */
  readonly code: number | undefined;

  constructor(kind: ErrorName, message: string, options: { data?: unknown; cause?: unknown; code?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.data = options.data;
    this.code = options.code;
  }
}

/** Throw it when a request's values are wrong: the client gets -32602 with this message. */
export class InvalidParams extends RpcError {
  override readonly name = "InvalidParams";

  constructor(message: string, data?: unknown) {
    super("invalid_params", message, { data });
  }
}

/** What a NotFound says that was given no words. */
export const NOT_FOUND = "Not found.";

/**
 * Throw it when what was asked for does not exist: the client gets the code that its revision has for that. Without a
 * message, a read says it in the words of its resource's group.
 */
export class NotFound extends RpcError {
  override readonly name = "NotFound";

  constructor(message: string = NOT_FOUND, data?: unknown) {
    super("resource_not_found", message, { data });
  }
}
