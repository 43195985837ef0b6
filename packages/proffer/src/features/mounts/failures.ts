import { ConnectionError, RemoteError } from "../../client/errors.ts";
import { type ErrorName, RpcError } from "../../protocol/errors.ts";
import { isObject } from "../../protocol/messages.ts";
import { ToolError } from "../../results/content.ts";

/** The errors of other servers that mean the same here, by their codes. */
const KINDS: { readonly [code: number]: ErrorName } = {
  [-32002]: "resource_not_found",
  [-32602]: "invalid_params",
  [-32601]: "method_not_found",
  [-31000]: "busy",
};
const NEEDS_PAGE = -32042;

/** What a client learns of a broken connection: nothing about addresses and processes, which the log has. */
const PROBLEMS: { readonly [kind in ConnectionError["kind"]]: string } = {
  unreachable: "cannot be reached now",
  status: "refused the request",
  login: "needs a login, which its operator has to repeat",
  session: "has ended the session. Call again",
  ended: "ended in the middle of the request, which may have run",
  timeout: "did not respond in time",
  malformed: "sent a response that breaks the protocol or is too large",
};

/** A server that is behind itself. */
export class LoopError extends Error {
  override readonly name = "LoopError";
}

/** Converts the failure of a request to a mounted server: of a tool, to a failure that the model sees. */
export function toFailure(error: unknown, mount: string, method: string): unknown {
  const isTool = method === "tools/call";
  const fail = (message: string, kind: ErrorName = "busy") => {
    const cause = error instanceof RemoteError ? undefined : error;
    return isTool ? Object.assign(new ToolError(message), { cause }) : new RpcError(kind, message, { cause });
  };
  if (error instanceof ConnectionError) return fail(`The server "${mount}" ${PROBLEMS[error.kind]}.`);
  if (error instanceof LoopError) return fail(error.message, "invalid_request");
  if (!(error instanceof RemoteError)) return error;
  const message = `${mount}: ${error.message}`;
  if (error.code === NEEDS_PAGE) return fail(`${message} ${pagesOf(error.data)}`, "internal_error");
  const kind = KINDS[error.code] ?? "internal_error";
  return isTool ? fail(message, kind) : new RpcError(kind, message, { data: error.data });
}

/** The pages that a user must open before a call (2025-11-25). */
function pagesOf(data: unknown): string {
  const asked = isObject(data) && Array.isArray(data.elicitations) ? data.elicitations : [];
  const urls = asked.flatMap(({ url }) => (typeof url === "string" ? [url] : []));
  return urls.length === 0 ? "" : `Open ${urls.join(" and ")}, then call again.`;
}
