import type { Call } from "../calls/call.ts";
import { builtinModule } from "../support/run-time.ts";
import { UsageError } from "../support/usage-error.ts";

interface RunningStep {
  readonly call: Call;
  readonly name: string;
  running: boolean;
}

/** The methods of `AsyncLocalStorage` that are needed here. Cloudflare Workers have no `disable`. */
interface StepStorage {
  run<Result>(step: RunningStep, work: () => Result): Result;
  getStore(): RunningStep | undefined;
  disable?(): void;
}

/** Created by the first step of the process: without steps there is nothing to find out. */
let storage: StepStorage | undefined;
let runningSteps = 0;

/** Runs the work of a step so that `refuseInsideStep` recognizes the code that it runs, also after an `await`. */
export async function runInsideStep(call: Call, name: string, work: () => unknown): Promise<unknown> {
  storage ??= createStorage();
  const step: RunningStep = { call, name, running: true };
  runningSteps++;
  try {
    return await storage.run(step, work);
  } finally {
    step.running = false;
    // Before version 24, Node hooks every promise of the process while a storage is enabled: an await costs 2.8 times as
    // much (Node 20).
    if (--runningSteps === 0) storage.disable?.();
  }
}

/**
 * Ends the call if a step of it asks a question or starts a step: where a question ends the run, the step could never
 * finish, and the call would wait for it forever. It also throws, so that the code of the step stops and cleans up.
 */
export function refuseInsideStep(call: Call): void {
  if (runningSteps === 0) return;
  const step = storage?.getStore();
  if (step?.call !== call || !step.running) return;
  const error = new UsageError(
    `The step ${JSON.stringify(step.name)} asks a question or starts a step. Ask before the step and pass the answer in.`,
    "wrong_use",
  );
  // The call can be ended only after the handler has returned its promise.
  queueMicrotask(() => call.interrupt(error));
  throw error;
}

function createStorage(): StepStorage {
  const hooks = builtinModule("node:async_hooks") as { AsyncLocalStorage: new () => StepStorage } | undefined;
  if (hooks) return new hooks.AsyncLocalStorage();
  // A runtime without async context: only the code of a step before its first `await` is recognized.
  let current: RunningStep | undefined;
  return {
    run(step, work) {
      const before = current;
      current = step;
      try {
        return work();
      } finally {
        current = before;
      }
    },
    getStore: () => current,
  };
}
