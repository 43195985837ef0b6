import type { Call } from "../calls/call.ts";
import type { ErrorsOption } from "../calls/exposed-error.ts";
import type { Wiretap } from "../calls/wiretap.ts";
import type { Questions } from "../questions/question.ts";
import { checkErrors } from "./check-options.ts";
import { type Server, stateOf } from "./server.ts";

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
  /** Receives the questions of each call before their first use, and may replace their methods. For the inspector. */
  readonly trace?: (call: Call, questions: Questions) => void;
  /** Observes the messages of clients over HTTP and stdio. For the inspector. */
  readonly wiretap?: Wiretap;
}

/** Overrides options of a server that exists, and returns it. @throws {UsageError} for invalid values. */
export function overrideOptions(server: Server, overrides: Overrides): Server {
  const state = stateOf(server);
  if (overrides.errors !== undefined) checkErrors(overrides.errors, state.info.name);
  state.overrides = { ...state.overrides, ...overrides };
  return server;
}
