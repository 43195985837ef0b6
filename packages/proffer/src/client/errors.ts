import type { ErrorObject } from "../protocol/errors.ts";
import type { CallResult } from "../protocol/model.ts";

/** An error response of the server. */
export class RemoteError extends Error {
  override readonly name = "RemoteError";
  readonly code: number;
  readonly data: unknown;
  /** The method of the request. */
  readonly method: string | undefined;

  constructor(error: ErrorObject, method?: string) {
    super(error.message);
    this.method = method;
    this.code = error.code;
    this.data = error.data;
  }
}

/** A tool failed: a typed call throws the failure that is a result with `isError` elsewhere. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly tool: string;
  readonly result: CallResult;

  constructor(tool: string, result: CallResult) {
    const texts = (result.content ?? []).flatMap((block) => (block.type === "text" ? (block.text as string) : []));
    super(texts.join("\n") || `Tool "${tool}" failed.`);
    this.tool = tool;
    this.result = result;
  }
}

/** The server does not have a tool, prompt, resource or parameter of the types. */
export class TypesMismatch extends Error {
  override readonly name = "TypesMismatch";
}

/**
 * Why a request has no response:
 * - `unreachable`: nothing answers at the address, or the command cannot be started
 * - `status`: the response over HTTP has no message; `status` and `challenge` are known
 * - `login`: the server asks for a login, which failed
 * - `session`: the server has forgotten the session, and has not read the request
 * - `ended`: the process or the connection ended, perhaps in the middle of the request
 * - `timeout`: the time limit passed
 * - `malformed`: the message breaks the protocol, or exceeds a limit of this client
 */
export type ConnectionProblem = "unreachable" | "status" | "login" | "session" | "ended" | "timeout" | "malformed";

/** A request that has no response, or none that can be used. */
export class ConnectionError extends Error {
  override readonly name: string = "ConnectionError";
  readonly kind: ConnectionProblem;
  /** The status of the response over HTTP. */
  readonly status: number | undefined;
  /** The header `WWW-Authenticate` of the response. */
  readonly challenge: string | undefined;

  constructor(
    kind: ConnectionProblem,
    message: string,
    { status, challenge, ...options }: ErrorOptions & { status?: number; challenge?: string | null } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.status = status;
    this.challenge = challenge ?? undefined;
  }
}

/** Explains a failure below the protocol, as a `ConnectionError`. The reason of a failed `fetch` is in its cause. */
export function toConnectionError(error: unknown, kind: ConnectionProblem, problem: string): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const { cause, message } = error as Error;
  const reason = cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code) : message;
  return new ConnectionError(kind, `${problem}: ${reason}`, { cause: error });
}
