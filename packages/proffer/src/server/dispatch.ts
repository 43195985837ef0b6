import type { Call, Method } from "../calls/call.ts";
import { exposedText } from "../calls/exposed-error.ts";
import { runMiddleware } from "../calls/middleware.ts";
import { replaceAlias } from "../catalog/find.ts";
import { hintsFor } from "../catalog/pages.ts";
import { RpcError } from "../protocol/errors.ts";
import type { CacheHints } from "../protocol/model.ts";
import { resume } from "../questions/rounds.ts";
import { ToolError } from "../results/content.ts";
import { encodeResult, errorMessage, resultMessage, SerializedResult, toErrorObject } from "../results/encode.ts";
import { failureResult } from "../results/return-value.ts";
import { whenReady } from "../support/async.ts";
import { waitsForStart } from "./lifespan.ts";

/** A part of a request's path. It returns the result, or a promise of it, or throws. */
type Step = (call: Call) => unknown;

/** Runs the handler of a request and answers it. Every request is answered exactly once, unless it is cancelled. */
export function dispatch(call: Call): void {
  answer(call, findMethod);
}

/** Answers a call with the outcome of some work. */
export function answer(call: Call, work: Step): void {
  let outcome: unknown;
  try {
    outcome = withFeatures(call, work);
  } catch (error) {
    refuse(call, error);
    return;
  }
  if (outcome instanceof Promise) {
    call.work = outcome;
    outcome.then(
      (result) => succeed(call, result),
      (error) => refuse(call, error),
    );
    return;
  }
  succeed(call, outcome);
}

// The steps of a request, in their order. A synchronous request creates no promise.

/** Goes on with a request when the promise settles, or at once without one. */
function after(call: Call, pending: unknown, next: Step): unknown {
  return pending instanceof Promise ? pending.then(() => (call.done ? undefined : next(call))) : next(call);
}

/** 0. The features of the server are loaded, and may surround the rest. */
function withFeatures(call: Call, work: Step): unknown {
  const { features } = call.server;
  const loading = features.of(call);
  if (loading === undefined) return features.around === undefined ? work(call) : features.around(call, work);
  return after(call, loading, () => (features.around === undefined ? work(call) : features.around(call, work)));
}

/** 1. The method must exist for this server and this revision. */
function findMethod(call: Call): unknown {
  const { definition, method, revision } = call;
  const isIn = definition?.isIn?.(revision) ?? revision.methods.has(method);
  if (definition === undefined || !isOffered(call, definition) || !isIn)
    throw new RpcError("method_not_found", `Unknown method ${JSON.stringify(method.slice(0, 128))}.`);
  return after(call, waitForStart(call), prepare);
}

/** Whether the server has the capability that a method requires, or answers with an empty list without it. */
function isOffered(call: Call, { capability }: Method): boolean {
  if (capability === undefined || call.server.offersTo(call, capability)) return true;
  return call.revision.emptyLists && call.method.endsWith("/list");
}

/** 2. A request that runs code of the author waits until the server has started. */
function waitForStart(call: Call): Promise<void> | undefined {
  const { lifespan } = call.server;
  return lifespan === undefined || lifespan.ready || !waitsForStart(call.server, call.method)
    ? undefined
    : lifespan.wait();
}

/** 3. Features may replace the parameters. */
function prepare(call: Call): unknown {
  for (const feature of call.server.features.with("before")) feature.before(call);
  return authorize(call);
}

/**
 * 4. The caller must see the item and have its scopes. Before the state is opened: a refused round must not use it up.
 * Before middleware: a cache must not answer the wrong caller.
 */
function authorize(call: Call): unknown {
  replaceAlias(call);
  call.server.access?.authorize(call);
  return after(call, openState(call), observe);
}

/** 5. A later round goes on with the answers of the user. */
function openState(call: Call): unknown {
  const { requestState, inputResponses } = call.params;
  // Anyone with the state can continue the dialogue: it must not appear if middleware logs the parameters.
  if (requestState !== undefined) Object.defineProperty(call.params, "requestState", { enumerable: false });
  else if (inputResponses === undefined) return undefined;
  if (!call.definition?.asks || !call.revision.rounds) return undefined;
  return whenReady(resume(call), (questions) => {
    call.questions = questions;
  });
}

/** 6. Observers see the rest. */
function observe(call: Call): unknown {
  const { observers } = call.server;
  return observers === undefined ? handle(call) : observers.observe(call, () => handle(call));
}

/** 7. The handler runs inside the middleware. */
function handle(call: Call): unknown {
  const { handle: handler } = call.definition as Method;
  return call.server.middleware.length === 0 ? handler(call) : runMiddleware(call, handler);
}

/** Answers with an error. Observers also see a request that was refused before its work began. */
function refuse(call: Call, error: unknown): void {
  if (call.observation === undefined && !call.done) call.server.observers?.observe(call, () => undefined);
  respondError(call, error);
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
  const value = result instanceof SerializedResult ? result.value : (result as object);
  call.finish();
  call.origin.respond(call, wire, undefined, value);
  call.observation?.succeeded(value, wire);
}

/** A result that depends on a user's answers must not be cached. */
const UNCACHEABLE: CacheHints = { ttlMs: 0, cacheScope: "private" };

/** Only complete results have cache hints. */
function cacheHints(call: Call, result: object): CacheHints | undefined {
  if (!call.definition?.cacheable || "resultType" in result) return undefined;
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
    succeed(call, failureResult((thrown as ToolError).message));
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
  const text = exposedText(call, thrown, "throw a NotFound or InvalidParams");
  return new RpcError("internal_error", text ?? "Internal error.");
}
