import type { Call, TransportName } from "../calls/call.ts";
import { CallView } from "../calls/call-view.ts";
import type { Middleware } from "../calls/middleware.ts";
import type { RequestId } from "../protocol/messages.ts";
import type { Question, Questions, StepWork } from "../questions/question.ts";
import { Replay } from "../questions/replay.ts";
import type { Overrides } from "../server/overrides.ts";
import { contain } from "../support/async.ts";

/** One run of a handler. It is the same object in all events of the run. */
export interface TracedRun {
  /** The id of the request. */
  readonly id: RequestId;
  readonly method: string;
  readonly revision: string;
  readonly transport: TransportName;
  /** What the request came by: the HTTP exchange, or the connection, which is the same object for all its requests. */
  readonly source: object;
  /** The same in all runs of one call. */
  readonly chain: string;
  /** The number of runs before this one. */
  readonly round: number;
}

export type RunOutcome = "asks" | "returned" | "failed" | "canceled";

/** What happened in a run. Texts are cut to a limit. */
export type RunEvent =
  | { readonly kind: "start" }
  | {
      readonly kind: "step";
      readonly name: string;
      readonly how: "ran" | "replayed" | "failed";
      readonly ms?: number;
      /** The JSON of the result, or the message of the error; absent for undefined. */
      readonly value?: string;
    }
  | { readonly kind: "ask"; readonly message: string; readonly how: "asked" | "replayed" }
  | { readonly kind: "diverged"; readonly message: string; readonly hint: string }
  | { readonly kind: "end"; readonly outcome: RunOutcome; readonly ms: number };

/** Reports the runs of handlers. `middleware` reports their start and end, `trace` what they do. */
export interface RunTracing extends Required<Pick<Overrides, "trace">> {
  readonly middleware: Middleware;
}

/** Characters of a value or a message. */
const MAX_TEXT = 2000;

/** Creates what reports the runs of a server to `observe`. An exception of `observe` does not reach the call. */
export function traceRuns(observe: (run: TracedRun, event: RunEvent) => void): RunTracing {
  const runs = new WeakMap<Call, TracedRun>();
  const report = (call: Call, event: RunEvent) => {
    const run = runs.get(call) ?? describe(call);
    runs.set(call, run);
    contain(
      () => observe(run, event),
      (error) => call.server.log({ level: "error", message: "The trace of a run failed", error }),
    );
  };
  return {
    trace: (call, questions) => traceQuestions(call, questions, (event) => report(call, event)),
    async middleware(view, next) {
      const known = CallView.callOf(view);
      const call = known?.definition?.asks ? known : undefined;
      if (call === undefined) return next();
      const started = performance.now();
      const end = (outcome: RunOutcome) => {
        report(call, { kind: "end", outcome, ms: performance.now() - started });
      };
      report(call, { kind: "start" });
      try {
        const result = (await next()) as { readonly isError?: unknown; readonly resultType?: unknown };
        if (call.done) end("canceled");
        else if (result.resultType === "input_required") end("asks");
        else end(result.isError === true ? "failed" : "returned");
        return result;
      } catch (error) {
        end(call.done ? "canceled" : "failed");
        throw error;
      }
    },
  };
}

function describe(call: Call): TracedRun {
  const { id, method, revision, origin, chain, questions } = call;
  const { transport, http } = origin;
  const source = http ?? origin;
  return { id, method, revision: revision.version, transport, source, chain, round: questions?.round ?? 0 };
}

type Report = (event: RunEvent) => void;

/** Replaces the methods of the questions of a call by ones that report what they do. */
function traceQuestions(call: Call, questions: Questions, report: Report): void {
  const { ask, step, replayError } = questions;
  questions.ask = (question) => {
    const open = call.unanswered?.size ?? 0;
    const answer = ask.call(questions, question);
    // A promise was not answered yet: `park` tells which questions are asked, or the requests that are open.
    if (!(answer instanceof Promise)) report({ kind: "ask", message: messageOf(question), how: "replayed" });
    else if ((call.unanswered?.size ?? 0) > open) report({ kind: "ask", message: messageOf(question), how: "asked" });
    return answer;
  };
  questions.step = (name, work) => traceStep(name, work, (traced) => step.call(questions, name, traced), report);
  let hasDiverged = false;
  questions.replayError = () => {
    const error = replayError.call(questions);
    if (error !== undefined && !hasDiverged) {
      hasDiverged = true;
      const hint = error.cause instanceof Error ? error.cause.message : "";
      report({ kind: "diverged", message: error.message, hint });
    }
    return error;
  };
  if (!(questions instanceof Replay)) return;
  const { park } = questions;
  questions.park = (asked) => {
    for (const question of asked.values()) report({ kind: "ask", message: messageOf(question), how: "asked" });
    return park.call(questions, asked);
  };
}

/** Runs a step. Its work tells whether it ran: the promise of a run that was left never settles. */
function traceStep(
  name: string,
  work: StepWork,
  run: (work: StepWork) => Promise<unknown>,
  report: Report,
): Promise<unknown> {
  let isRunning = false;
  const result = run(async (key) => {
    isRunning = true;
    const started = performance.now();
    const end = (how: "ran" | "failed", text: string | undefined) => {
      const ms = performance.now() - started;
      report({ kind: "step", name: cut(name), how, ms, ...(text !== undefined && { value: cut(text) }) });
    };
    try {
      const value = await work(key);
      // A result that is not JSON fails the step.
      end("ran", JSON.stringify(value));
      return value;
    } catch (error) {
      end("failed", error instanceof Error ? error.message : String(error));
      throw error;
    }
  });
  result.then(
    (value) => {
      if (isRunning) return;
      const text = JSON.stringify(value);
      report({ kind: "step", name: cut(name), how: "replayed", ...(text !== undefined && { value: cut(text) }) });
    },
    () => {},
  );
  return result;
}

function messageOf({ method, params }: Question): string {
  return typeof params.message === "string" ? cut(params.message) : method;
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
