import type { Call } from "../calls/call.ts";
import { discover, initialize, ping } from "./lifecycle.ts";
import { handlers } from "./load-handlers.ts";

/** Handles one method: returns its result or a promise of it, or throws. */
export type Handler = (call: Call) => unknown;

/** The methods that a client can begin with. */
const HANDSHAKE: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ["initialize", initialize],
  ["ping", ping],
  ["server/discover", discover],
]);

/** The handler of a method; undefined until the handlers are loaded, unless the method belongs to the handshake. */
export function handlerOf(method: string): Handler | undefined {
  return handlers?.HANDLERS.get(method) ?? HANDSHAKE.get(method);
}
