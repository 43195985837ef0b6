import { isObject } from "../protocol/messages.ts";
import { SerializedResult } from "../results/encode.ts";
import type { ServerState } from "../server/server.ts";
import { UsageError } from "../support/usage-error.ts";
import type { Call } from "./call.ts";
import { CallView, type MiddlewareCall } from "./call-view.ts";
import type { Middleware } from "./middleware.ts";

/**
 * Thrown instead of the result of a tool that threw an unexpected exception: the middleware receives the exception, and
 * the client the result, unless the middleware answers otherwise.
 */
export class UnexpectedFailure {
  readonly thrown: unknown;
  readonly result: object;

  constructor(thrown: unknown, result: object) {
    this.thrown = thrown;
    this.result = result;
  }
}

/** Runs the handler of a call inside the middleware. */
export type RunMiddleware = (call: Call, handler: (call: Call) => unknown) => Promise<unknown>;

/** The middleware of a server as one function; undefined if there is none. It is folded with the first request. */
export function middlewareOf(server: ServerState): RunMiddleware | undefined {
  if (server.middleware.length > 0) server.runMiddleware ??= fold(server.middleware);
  return server.runMiddleware;
}

function fold(list: readonly Middleware[]): RunMiddleware {
  const middleware = list
    .map(toLayer)
    .reduceRight((inner, outer) => (call, next) => outer(call, () => inner(call, next)));
  return async (call, handler) => {
    let prepared: SerializedResult | undefined;
    let failure: UnexpectedFailure | undefined;
    const run = async (): Promise<object> => {
      let result: object;
      try {
        result = (await handler(call)) as object;
      } catch (error) {
        if (!(error instanceof UnexpectedFailure)) throw error;
        failure = error;
        throw error.thrown;
      }
      if (!(result instanceof SerializedResult)) return result;
      prepared = result;
      return result.value;
    };
    let result: unknown;
    try {
      result = await middleware(call.observation?.view ?? new CallView(call), run);
    } catch (error) {
      if (failure === undefined || error !== failure.thrown) throw error;
      return failure.result;
    }
    // A result that was serialized before is sent as it is, unless the middleware replaced it.
    return prepared !== undefined && result === prepared.value ? prepared : result;
  };
}

type Layer = (call: MiddlewareCall, next: () => Promise<object>) => Promise<object>;

/** Makes one function of the author a layer: it calls `next` at most once and returns a result object. */
function toLayer(middleware: Middleware): Layer {
  return async (call, next) => {
    let isCalled = false;
    const result: unknown = await middleware(call, () => {
      // Thrown, not rejected: a middleware that ignores the second promise must learn of it too.
      if (isCalled) throw calledTwice(call);
      isCalled = true;
      const inner = next();
      // A middleware may answer without waiting for it; its failure must then not end the process.
      inner.catch(() => undefined);
      return inner;
    });
    if (isObject(result)) return result;
    throw new TypeError(`The middleware returned ${String(result)} for ${call.method}; it must return a result object`);
  };
}

/** A handler has side effects, which must not happen twice for one request. */
function calledTwice({ method, name }: MiddlewareCall): UsageError {
  const subject = name === undefined ? method : `${method} ${JSON.stringify(name.slice(0, 128))}`;
  return new UsageError(
    "wrong_use",
    `The middleware called next() twice for ${subject}. Call it once and keep its promise.`,
  );
}
