import type { Call } from "../calls/call.ts";
import { RpcError } from "../protocol/errors.ts";
import { METHODS } from "../protocol/methods.ts";
import type { CacheHints } from "../protocol/model.ts";
import { resume } from "../questions/rounds.ts";
import { ToolError } from "../results/content.ts";
import { encodeResult, errorMessage, resultMessage, toErrorObject } from "../results/encode.ts";
import { SerializedResult } from "../results/serialized.ts";
import { failureResult } from "../results/to-result.ts";
import { whenReady } from "../support/when-ready.ts";
import { HANDLERS, type Handler } from "./methods.ts";

/** Does what a request asks for and answers it. Whatever happens, the request is answered once or was cancelled. */
export function dispatch(call: Call): void {
  let outcome: unknown;
  try {
    outcome = perform(call);
  } catch (error) {
    respondError(call, error);
    return;
  }
  if (outcome instanceof Promise) {
    outcome.then(
      (result) => succeed(call, result),
      (error) => respondError(call, error),
    );
    return;
  }
  succeed(call, outcome);
}

/** Runs the handler of the method, through the author's `around` hook if there is one. */
function perform(call: Call): unknown {
  const method = METHODS.get(call.method);
  const handler = HANDLERS.get(call.method);
  const offered = method?.capability === undefined || call.server.offers(method.capability);
  if (handler === undefined || !offered || !call.revision.methods.has(call.method)) {
    throw new RpcError("method_not_found", `There is no method ${JSON.stringify(call.method.slice(0, 128))} here.`);
  }
  const { requestState, inputResponses } = call.params;
  if (method?.asks && call.revision.rounds && (requestState !== undefined || inputResponses !== undefined)) {
    return whenReady(resume(call), (questions) => {
      call.questions = questions;
      return run(call, handler);
    });
  }
  return run(call, handler);
}

function run(call: Call, handler: Handler): unknown {
  return call.server.middleware === undefined ? handler(call) : call.server.middleware(call, handler);
}

function succeed(call: Call, result: unknown): void {
  if (call.done) return;
  const objection = call.questions?.replayError();
  if (objection !== undefined) {
    respondError(call, objection);
    return;
  }
  let wire: ReturnType<typeof resultMessage>;
  try {
    const hints = cacheHints(call, result as object);
    wire = resultMessage(
      call.id,
      result instanceof SerializedResult ? result : encodeResult(call.server, call.revision, result as object, hints),
    );
  } catch (cause) {
    respondError(call, new RpcError("internal_error", "The answer cannot be written as JSON.", { cause }));
    return;
  }
  call.done = true;
  call.origin.respond(call, wire);
}

/** Caching hints belong to complete answers only. */
function cacheHints(call: Call, result: object): CacheHints | undefined {
  if (!METHODS.get(call.method)?.cacheable || "resultType" in result) return undefined;
  return call.cacheHints ?? call.server.hints;
}

/** Answers a request with an error. */
export function respondError(call: Call, thrown: unknown): void {
  if (call.done) return;
  // Thrown by an around hook; a tool's own throws have become results before.
  if (thrown instanceof ToolError && call.method === "tools/call") {
    succeed(call, failureResult(thrown.message));
    return;
  }
  const error = toRpcError(call, thrown);
  const object = toErrorObject(error, call.revision);
  let text: string;
  try {
    text = errorMessage(call.id, object);
  } catch {
    text = errorMessage(call.id, { code: object.code, message: object.message });
  }
  call.done = true;
  call.origin.respond(call, text, object);
}

/** The one place where an exception becomes what the client sees. What it may not see goes to the log. */
function toRpcError(call: Call, thrown: unknown): RpcError {
  if (thrown instanceof RpcError) {
    if (thrown.cause !== undefined) call.server.logError(call, thrown.message, thrown.cause);
    return thrown;
  }
  if (thrown instanceof ToolError) return new RpcError("internal_error", thrown.message);
  call.server.logError(call, `${call.method} failed`, thrown);
  if (!call.origin.exposeErrors) return new RpcError("internal_error", "Internal error.");
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  return new RpcError(
    "internal_error",
    `${detail} (shown because the server runs in dev mode; throw a NotFound or InvalidParams to show it always)`,
  );
}
