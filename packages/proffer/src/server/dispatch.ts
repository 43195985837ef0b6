import type { Call } from "../calls/call.ts";
import { hasResourceTools, offersTo } from "../calls/resource-tools.ts";
import { hintsFor } from "../catalog/cache-hints.ts";
import { RpcError } from "../protocol/errors.ts";
import { METHODS, type Method } from "../protocol/methods.ts";
import type { CacheHints } from "../protocol/model.ts";
import { ToolError } from "../results/content.ts";
import { encodeResult, errorMessage, resultMessage, toErrorObject } from "../results/encode.ts";
import { SerializedResult } from "../results/serialized.ts";
import { whenReady } from "../support/when-ready.ts";
import { waitsForStart } from "./lifespan.ts";
import { type Handlers, handlers, loadHandlers } from "./load-handlers.ts";
import { type Handler, handlerOf } from "./methods.ts";

/** Runs the handler of a request and answers it. Every request is answered exactly once, unless it is cancelled. */
export function dispatch(call: Call): void {
  answer(call, isPrepared(call) ? prepare : perform);
}

/** Answers a call with the outcome of some work. */
export function answer(call: Call, work: Handler): void {
  let outcome: unknown;
  try {
    const { limit } = call.server;
    outcome = limit ? limit(call, work) : work(call);
  } catch (error) {
    refuse(call, error);
    return;
  }
  if (outcome instanceof Promise) {
    outcome.then(
      (result) => succeed(call, result),
      (error) => refuse(call, error),
    );
    return;
  }
  succeed(call, outcome);
}

/** Whether the tools of a request depend on its client. A call of a tool that the author defined needs no more. */
function isPrepared(call: Call): boolean {
  const { server, method, params } = call;
  const { adapt } = server.options;
  if (!adapt && server.resources.size === 0) return false;
  if (!method.startsWith("tools/")) return false;
  return adapt || (server.tools.get(params.name as string) === undefined && hasResourceTools(server, call));
}

let prepareCall: ((call: Call) => void | Promise<void>) | undefined;

/** Prepares the tools for the client of a request, and runs the handler. */
function prepare(call: Call): unknown {
  if (prepareCall !== undefined) return whenReady(prepareCall(call), () => (call.done ? undefined : perform(call)));
  return import("../resource-tools/prepare.ts").then((loaded) => {
    prepareCall = loaded.prepareCall;
    return call.done ? undefined : prepare(call);
  });
}

/** Answers with an error. Observers also see a request that was refused before its work began. */
function refuse(call: Call, error: unknown): void {
  if (call.observation === undefined && !call.done) call.server.observers?.observe(call, () => undefined);
  respondError(call, error);
}

/** Runs the handler of the method, once the server has started. */
function perform(call: Call): unknown {
  const method = METHODS.get(call.method);
  const handler = handlerOf(call.method);
  if (handlers === undefined && method !== undefined && needsHandlers(call, handler)) {
    return loadHandlers().then(() => (call.done ? undefined : perform(call)));
  }
  if (
    handler === undefined ||
    method === undefined ||
    !isOffered(call, method) ||
    !call.revision.methods.has(call.method)
  ) {
    throw new RpcError("method_not_found", `Unknown method ${JSON.stringify(call.method.slice(0, 128))}.`);
  }
  const { lifespan } = call.server;
  if (lifespan === undefined || lifespan.ready || !waitsForStart(call.server, call.method)) {
    return proceed(call, handler, method);
  }
  return lifespan.wait().then(() => (call.done ? undefined : proceed(call, handler, method)));
}

/** Whether a request cannot be answered before the handlers are loaded. The handshake can, if no code is around it. */
function needsHandlers({ server }: Call, handler: Handler | undefined): boolean {
  return handler === undefined || server.middleware.length > 0 || server.observers !== undefined;
}

/** Runs the handler. Before the handlers are loaded, it is one of the handshake, which every caller may use. */
function proceed(call: Call, handler: Handler, method: Method): unknown {
  return handlers === undefined ? handler(call) : handlers.proceed(call, handler, method);
}

/** Whether the server has the capability that a method requires, or answers with an empty list without it. */
function isOffered(call: Call, method: Method): boolean {
  if (method.capability === undefined || offersTo(call, method.capability)) return true;
  return call.revision.emptyLists && call.method.endsWith("/list");
}

function succeed(call: Call, result: unknown): void {
  if (call.done) return;
  const error = call.questions?.replayError();
  if (error !== undefined) {
    respondError(call, error);
    return;
  }
  let wire: ReturnType<typeof resultMessage>;
  try {
    const hints = cacheHints(call, result as object);
    wire = resultMessage(
      call.id,
      result instanceof SerializedResult
        ? result
        : encodeResult(call.server.envelopes, call.revision, result as object, hints),
    );
  } catch (cause) {
    respondError(call, new RpcError("internal_error", "The result cannot be serialized as JSON.", { cause }));
    return;
  }
  call.finish();
  call.origin.respond(call, wire);
  call.observation?.succeeded(result instanceof SerializedResult ? result.value : (result as object), wire);
}

/** A result that depends on a user's answers must not be cached. */
const UNCACHEABLE: CacheHints = { ttlMs: 0, cacheScope: "private" };

/** Only complete results have cache hints. */
function cacheHints(call: Call, result: object): CacheHints | undefined {
  if (!METHODS.get(call.method)?.cacheable || "resultType" in result) return undefined;
  if (call.questions !== undefined) return UNCACHEABLE;
  return call.cacheHints ?? hintsFor(call);
}

/** Answers a request with an error. */
export function respondError(call: Call, thrown: unknown): void {
  if (call.done) return;
  let error: RpcError | undefined;
  try {
    // Thrown by the middleware; errors that a tool throws were converted to results before.
    if (!(thrown instanceof ToolError && call.method === "tools/call")) error = toRpcError(call, thrown);
  } catch {
    // The thrown value is a proxy or has getters that throw: nothing about it can be read.
    error = new RpcError("internal_error", "Internal error.");
  }
  if (error === undefined) {
    succeed(call, (handlers as Handlers).failureResult((thrown as ToolError).message));
    return;
  }
  const object = toErrorObject(error, call.revision);
  let text: string;
  try {
    text = errorMessage(call.id, object);
  } catch {
    text = errorMessage(call.id, { code: object.code, message: object.message });
  }
  call.finish();
  call.origin.respond(call, text, object);
  call.observation?.failed(object, text);
}

/** The one place that converts an exception to a JSON-RPC error. Details that the client must not see are logged. */
function toRpcError(call: Call, thrown: unknown): RpcError {
  if (thrown instanceof RpcError) {
    if (thrown.cause !== undefined) call.server.logError(call, thrown.message, thrown.cause);
    return thrown;
  }
  if (thrown instanceof ToolError) return new RpcError("internal_error", thrown.message);
  call.server.logError(call, `${call.method} failed`, thrown);
  const text = handlers?.exposedText(call, thrown, "throw a NotFound or InvalidParams");
  return new RpcError("internal_error", text ?? "Internal error.");
}
