import { isObject } from "../protocol/messages.ts";
import { SerializedResult } from "../results/serialized.ts";
import type { Call } from "./call.ts";
import type { Principal } from "./principal.ts";
import type { Client } from "./session.ts";

/** A request as the middleware sees it. */
export interface MiddlewareCall {
  /** Such as "tools/call". */
  readonly method: string;
  /** The tool, prompt or resource URI in the request, if it has one. */
  readonly name: string | undefined;
  readonly params: Readonly<Record<string, unknown>>;
  readonly principal: Principal | undefined;
  readonly client: Client;
  readonly signal: AbortSignal;
}

/**
 * Runs around each request. It can return its own result instead of calling `next`, change the result, or throw. `next`
 * rejects with the exception that the handler threw, unless it is a `ToolError`, which is a result.
 *
 * @example
 * const audit: Middleware = async (call, next) => {
 *   const result = await next();
 *   console.error(call.method, call.name, call.principal?.id);
 *   return result;
 * };
 */
export type Middleware = (call: MiddlewareCall, next: () => Promise<object>) => object | Promise<object>;

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

/** Wraps a method's handler in the middleware. */
export function createMiddleware(
  middleware: Middleware,
): (call: Call, handler: (call: Call) => unknown) => Promise<unknown> {
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
    const next = (): Promise<object> => {
      const result = run();
      // A middleware may answer without waiting for it; its failure must then not end the process.
      result.catch(() => undefined);
      return result;
    };
    let result: unknown;
    try {
      result = await middleware(new CallView(call), next);
    } catch (error) {
      if (failure === undefined || error !== failure.thrown) throw error;
      return failure.result;
    }
    if (!isObject(result))
      throw new TypeError(
        `The middleware returned ${String(result)} for ${call.method}; it must return a result object`,
      );
    // A result that was serialized before is sent as it is, unless the middleware replaced it.
    return prepared !== undefined && result === prepared.value ? prepared : result;
  };
}

/** A view of a call without its internals, for functions of the author. */
export class CallView implements MiddlewareCall {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  get method(): string {
    return this.#call.method;
  }

  get name(): string | undefined {
    const { name, uri } = this.#call.params;
    const subject = name ?? uri;
    return typeof subject === "string" ? subject : undefined;
  }

  get params(): Readonly<Record<string, unknown>> {
    return this.#call.params;
  }

  get principal(): Principal | undefined {
    return this.#call.origin.principal;
  }

  get client(): Client {
    return this.#call.client;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }
}
