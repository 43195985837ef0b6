import { isObject } from "../protocol/messages.ts";
import { SerializedResult } from "../results/encode.ts";
import type { ServerState } from "../server/server.ts";
import { badOption, UsageError } from "../support/usage-error.ts";
import type { Call } from "./call.ts";
import { CallView, type MiddlewareCall } from "./call-view.ts";

/**
 * Runs around each request. It can return its own result instead of calling `next`, change the result, or throw. `next`
 * may be called once; it rejects with the exception that the handler threw, unless it is a `ToolError`, which is a result.
 *
 * @example
 * const audit: Middleware = async (call, next) => {
 *   const result = await next();
 *   console.error(call.method, call.name, call.principal?.id);
 *   return result;
 * };
 */
export type Middleware = (call: MiddlewareCall, next: () => Promise<object>) => object | Promise<object>;

/** A member of Proffer's own middleware: checks at the definition of a server that the server can run it. */
export const CHECK_SERVER: unique symbol = Symbol("checkServer");

type Checking = { readonly [CHECK_SERVER]?: (server: ServerState) => void };

/** The middleware of a server, first outermost. @throws {UsageError} for anything but functions. */
export function toMiddlewareList(
  given: Middleware | readonly Middleware[] | undefined,
  server: ServerState,
): readonly Middleware[] {
  const list = given === undefined ? [] : Array.isArray(given) ? given : [given as Middleware];
  for (const each of list) {
    if (typeof each !== "function")
      throw badOption(`Server "${server.info.name}"`, "middleware", "a function or a list of functions", each);
    (each as Checking)[CHECK_SERVER]?.(server);
  }
  return list;
}

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

/** The middleware of a server as one function. */
export type RunMiddleware = (call: Call, handler: (call: Call) => unknown) => Promise<unknown>;

/** Runs the handler of a call inside the middleware, which is folded with the first request. */
export function runMiddleware(call: Call, handler: (call: Call) => unknown): Promise<unknown> {
  call.server.runMiddleware ??= fold(call.server.middleware);
  return call.server.runMiddleware(call, handler);
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
    `The middleware called next() twice for ${subject}. Call it once and keep its promise.`,
    "wrong_use",
  );
}
