import type { Call, HttpSource } from "../calls/call.ts";
import type { ErrorsOption } from "../calls/exposed-error.ts";
import type { Questions } from "../calls/question.ts";
import type { Wire } from "../protocol/messages.ts";
import type { Connection } from "./connection.ts";
import { checkErrors } from "./options.ts";
import { type Server, stateOf } from "./server.ts";

/**
 * Watches a server for the inspector of `proffer dev`. Each function receives objects before their first use, and may
 * replace their methods by ones that also report their calls. A server that is not watched pays for one comparison.
 */
export interface Watcher {
  /** Receives the questions and steps of each run of a handler. */
  questions?(call: Call, questions: Questions): void;
  /** Receives each HTTP request with its response, an `HttpExchange`, before its body is read. */
  exchange?(exchange: HttpSource): void;
  /** Receives the connection over stdio, and its output. */
  stdio?(connection: Connection, output: { send(wire: Wire): void }): void;
}

/** Options that the person who starts a server may choose instead of its author. */
export interface Overrides {
  readonly errors?: ErrorsOption | undefined;
  /**
   * Clients also see exceptions that the server masks, with a hint, and mistakes that lose data are logged. For
   * `proffer dev` and `proffer call`.
   */
  readonly development?: boolean;
  /** Whether this node answers requests, works on tasks, or does both. Default: both. */
  readonly tasks?: "serve" | "work" | "both" | undefined;
  /** The number of tasks that this node works on at once, instead of `limits.taskConcurrency`. */
  readonly taskConcurrency?: number | undefined;
  /** An exception in the background ends the process. */
  readonly failing?: boolean;
  readonly watch?: Watcher;
}

/** Overrides options of a server that exists, and returns it. @throws {UsageError} for invalid values. */
export function overrideOptions(server: Server, overrides: Overrides): Server {
  const state = stateOf(server);
  if (overrides.errors !== undefined) checkErrors(overrides.errors, state.info.name);
  state.overrides = { ...state.overrides, ...overrides };
  return server;
}
