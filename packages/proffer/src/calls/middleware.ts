import { isObject } from "../protocol/messages.ts";
import { SerializedResult } from "../results/serialized.ts";
import type { Call } from "./call.ts";
import type { Principal } from "./principal.ts";
import type { Client } from "./session.ts";

/** A request as the author's hook sees it. */
export interface MiddlewareCall {
  /** Such as "tools/call". */
  readonly method: string;
  /** The tool, prompt or resource that it is about, if it is about one. */
  readonly name: string | undefined;
  readonly params: Readonly<Record<string, unknown>>;
  readonly principal: Principal | undefined;
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** Sees each request before it is done and its result after; may answer itself, change the result, or throw. */
export type Middleware = (call: MiddlewareCall, next: () => Promise<object>) => object | Promise<object>;

/** Makes the hook fit around a method's handler. */
export function createMiddleware(
  middleware: Middleware,
): (call: Call, handler: (call: Call) => unknown) => Promise<unknown> {
  return async (call, handler) => {
    let prepared: SerializedResult | undefined;
    const next = async (): Promise<object> => {
      const result = (await handler(call)) as object;
      if (!(result instanceof SerializedResult)) return result;
      prepared = result;
      return result.value;
    };
    const result: unknown = await middleware(new CallView(call), next);
    if (!isObject(result))
      throw new TypeError(
        `The middleware returned ${String(result)} for ${call.method}; it must return a result object`,
      );
    // What was serialised before stays so, as long as the hook only looked.
    return prepared !== undefined && result === prepared.value ? prepared : result;
  };
}

class CallView implements MiddlewareCall {
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
