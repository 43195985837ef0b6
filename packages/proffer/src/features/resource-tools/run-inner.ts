import { accessOf } from "../../calls/access.ts";
import { middlewareOf } from "../../calls/run-middleware.ts";
import { RpcError } from "../../protocol/errors.ts";
import { ToolError } from "../../results/content.ts";
import { SerializedResult } from "../../results/encode.ts";
import type { InnerCall } from "./inner-call.ts";

/**
 * Runs a read or a list inside the call of a tool, as if the client had sent it: with the scopes, the middleware and the
 * refusals of the resource. What the model can correct is a `ToolError` with the message of the refusal.
 */
export async function runInner(inner: InnerCall, handler: (inner: InnerCall) => unknown): Promise<object> {
  const { server } = inner;
  try {
    accessOf(server)?.authorize(inner);
    const middleware = middlewareOf(server);
    const result = await (middleware === undefined ? handler(inner) : middleware(inner, () => handler(inner)));
    return result instanceof SerializedResult ? result.value : (result as object);
  } catch (error) {
    if (!(error instanceof RpcError) || !CORRECTABLE.has(error.kind)) throw error;
    if (error.cause !== undefined) server.logError(inner, error.message, error.cause);
    throw new ToolError(error.message);
  }
}

const CORRECTABLE: ReadonlySet<string> = new Set(["invalid_params", "resource_not_found"]);
