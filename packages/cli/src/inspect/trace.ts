import type { TraceEvent, TraceSource } from "@proffer/inspector";
import type { Server } from "proffer";
import { overrideOptions, type Watcher } from "proffer/derived";
import { VERSION_STEP } from "../dev/live-server.ts";

type WatchQuestions = NonNullable<Watcher["questions"]>;
type Call = Parameters<WatchQuestions>[0];
type Questions = Parameters<WatchQuestions>[1];
type Question = Parameters<Questions["ask"]>[0];
type Trace = TraceEvent["trace"];
type Report = (trace: Trace) => void;

/** Characters of a value or a message. */
const MAX_TEXT = 2000;

/** Creates a function that watches the questions and steps of handlers, and the source that passes the reports on. */
export function createTrace(): { readonly questions: WatchQuestions; readonly source: TraceSource } {
  let listen: (event: TraceEvent) => void = () => {};
  return {
    questions: (call, questions) =>
      traceQuestions(call, questions, (trace) => {
        // `dev` pins a call to its version with a step, which is not the author's.
        if (trace.kind === "step" && trace.name === VERSION_STEP) return;
        const { id, origin, server } = call;
        try {
          listen({ source: origin.http ?? origin, id, trace });
        } catch (error) {
          server.log({ level: "error", message: "The trace of a run failed", error });
        }
      }),
    source(listener) {
      listen = listener;
    },
  };
}

/** Reports the questions and steps of a server from now on. */
export function traceServer(server: Server, override = overrideOptions): TraceSource {
  const { questions, source } = createTrace();
  override(server, { watch: { questions } });
  return source;
}

/** Replaces the methods of the questions of a call by ones that also report their calls. */
function traceQuestions(call: Call, questions: Questions, report: Report): void {
  const { ask, step, replayError } = questions;
  questions.ask = (question) => {
    const open = call.unanswered?.size ?? 0;
    const answer = ask.call(questions, question);
    // A promise was not answered yet: `park` has the questions that are asked, or a request is open now.
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
  const { park } = questions;
  if (park === undefined) return;
  questions.park = (asked) => {
    for (const question of asked.values()) report({ kind: "ask", message: messageOf(question), how: "asked" });
    return park.call(questions, asked);
  };
}

type StepWork = Parameters<Questions["step"]>[1];

/** Runs a step. Its work says whether it ran: the promise of a run that was left never settles. */
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
