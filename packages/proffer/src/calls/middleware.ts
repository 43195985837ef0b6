import type { ServerState } from "../server/server.ts";
import { badOption } from "../support/usage-error.ts";
import type { MiddlewareCall } from "./call-view.ts";

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

/** A member of Proffer's own middleware: checks at the definition of a server that the server has what it needs. */
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
