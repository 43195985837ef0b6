import type { VNode } from "preact";
import type { Ask, CallState, Run, Tampering, Trace } from "../../protocol/data.ts";
import { Button } from "../parts/elements.tsx";
import { useApp } from "../state/app.ts";
import { duration, size, visible } from "../text/format.ts";
import { stringOf } from "../text/json.ts";
import { OpenAsks } from "./asks.tsx";

const OUTCOMES: { readonly [Outcome in Run["outcome"]]: readonly [mark: string, words: string] } = {
  running: ["○", "runs"],
  asks: ["✓", "left behind at the question"],
  returned: ["✓", "returned"],
  failed: ["✗", "failed"],
  canceled: ["✗", "canceled"],
};

/** The runs of a call with their steps and questions. An open question is answered here, beside everything else. */
export function Rounds({ call }: { readonly call: CallState }): VNode {
  const repeated = repeatedSteps(call.runs);
  return (
    <>
      {call.from !== undefined && <p class="quiet">The answer to run {call.from.run} is changed here.</p>}
      <ol class="runs" aria-label="Runs">
        {call.runs.map((run) => (
          <RunView key={run.number} call={call} run={run} />
        ))}
      </ol>
      {repeated.length > 0 && (
        <p class="warning">
          {visible(repeated.join(", "))} ran more than once: the step failed, or its name is not the same in each run.
        </p>
      )}
      <Resend call={call} />
    </>
  );
}

function RunView({ call, run }: { readonly call: CallState; readonly run: Run }): VNode {
  const [mark, words] = OUTCOMES[run.outcome];
  const asks = call.asks.filter((ask) => ask.run === run.number);
  const open = asks.filter(({ state }) => state === "open");
  // Before 2026-07-28 the server asks with another request, while the call waits.
  const isInside = asks.length > 0 && run.outcome !== "asks" && call.runs.length === 1;
  return (
    <li class="run">
      <p>
        <span aria-hidden="true">{mark}</span> <b>run {run.number}</b> · {words}
        {run.ms !== undefined && <span class="took">{duration(run.ms)}</span>}
      </p>
      <ul class="trace" aria-label={`Steps of run ${run.number}`}>
        {run.trace.map((trace, index) => (
          <li key={index}>
            <TraceLine trace={trace} />
          </li>
        ))}
      </ul>
      {run.stateBytes !== undefined && (
        <p class="quiet">
          state {size(run.stateBytes)}: sealed and left with the client; nothing is kept on the server
        </p>
      )}
      {isInside && <p class="quiet">On {call.revision} the question is a request inside the open call.</p>}
      {asks
        .filter(({ state }) => state !== "open")
        .map((ask) => (
          <Answered key={ask.id} ask={ask} />
        ))}
      {run.outcome === "asks" && open.length === 0 && <ChangeAnswer call={call} run={run.number} />}
      {open.length > 0 && <OpenAsks key={open.map(({ id }) => id).join()} asks={open} />}
    </li>
  );
}

/** Goes back to a round. Only for a call that Node still has: one of the history may be of another start. */
function ChangeAnswer({ call, run }: { readonly call: CallState; readonly run: number }): VNode | null {
  const { state, send } = useApp();
  if (state.calls.get(call.id) !== call || !state.abilities.calls) return null;
  return (
    <p>
      <button type="button" onClick={() => send("reanswer", { call: call.id, run })}>
        Change my answer<span class="visually-hidden"> to run {run}</span>
      </button>
    </p>
  );
}

function TraceLine({ trace }: { readonly trace: Trace }): VNode {
  switch (trace.kind) {
    case "step":
      return (
        <>
          step <code>{visible(trace.name)}</code>{" "}
          <b class={trace.how === "failed" ? "bad" : ""}>{trace.how === "replayed" ? "↺ from state" : trace.how}</b>
          {trace.value !== undefined && (
            <>
              {" → "}
              <code>{visible(trace.value)}</code>
            </>
          )}
          {trace.ms !== undefined && trace.how === "ran" && <span class="quiet"> {duration(trace.ms)}</span>}
        </>
      );
    case "ask":
      return (
        <>
          question {trace.how === "replayed" ? "↺ answered before" : "asked"}: {visible(trace.message)}
        </>
      );
    case "diverged":
      return (
        <span class="bad">
          diverged: {visible(trace.message)} <span class="quiet">{visible(trace.hint)}</span>
        </span>
      );
  }
}

function Answered({ ask }: { readonly ask: Ask }): VNode {
  const { answer, ms, params, state } = ask;
  const message = stringOf(params.message) ?? ask.method;
  if (state === "withdrawn" || answer === undefined) return <p class="quiet">“{visible(message)}” was withdrawn.</p>;
  const said =
    "result" in answer
      ? JSON.stringify(answer.result)
      : answer.action === "accept"
        ? JSON.stringify(answer.content ?? {})
        : answer.action;
  return (
    <p class="answered">
      <b>you</b> {ms !== undefined && <span class="quiet">{duration(ms)}</span>}{" "}
      <span class="quiet">{visible(message)}</span> <code>{visible(said)}</code>
    </p>
  );
}

/** The steps that ran in more than one run, although their result should have come from the state. */
function repeatedSteps(runs: readonly Run[]): string[] {
  const counts = new Map<string, number>();
  for (const { trace } of runs) {
    const ran = trace.flatMap((entry) => (entry.kind === "step" && entry.how === "ran" ? [entry.name] : []));
    for (const name of new Set(ran)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > 1).map(([name]) => name);
}

const TRIES: readonly (readonly [change: Tampering, label: string, shouldRefuse: boolean])[] = [
  ["nothing", "as it was", false],
  ["arguments", "with other arguments", true],
  ["state", "with one character of the state changed", true],
  ["caller", "as another caller", true],
];

/** Sends a later round again, as it was or changed. A changed one must be refused, and is shown as right if it is. */
function Resend({ call }: { readonly call: CallState }): VNode | null {
  const { state, send } = useApp();
  const run = call.runs.at(-1);
  const isOver = call.status === "done" || call.status === "failed";
  if (!isOver || run === undefined || run.number < 2 || !state.abilities.calls) return null;
  const made = [...state.calls.values()].filter(({ resent }) => resent?.call === call.id);
  return (
    <section class="resend" aria-label={`Send round ${run.number} again`}>
      <h3>Send round {run.number} again</h3>
      <ul>
        {TRIES.map(([change, label, shouldRefuse]) => {
          const last = made.findLast(({ resent }) => resent?.change === change);
          return (
            <li key={change}>
              <Button label={label} onClick={() => send("resend", { call: call.id, run: run.number, change })} />{" "}
              {last !== undefined && <Outcome call={last} shouldRefuse={shouldRefuse} />}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Outcome({ call, shouldRefuse }: { readonly call: CallState; readonly shouldRefuse: boolean }): VNode {
  if (call.status === "running") return <span class="quiet">running …</span>;
  const refused = call.resent?.refused === true;
  const isRight = refused === shouldRefuse;
  const words = refused ? "refused" : call.status === "failed" ? "failed" : "answered again";
  return (
    <span class={isRight ? "good" : "bad"} role="status">
      {isRight ? "✓" : "✗"} {words}
      {isRight ? ", as it should be" : shouldRefuse ? ", but it should be refused" : ", but it should be answered"}
    </span>
  );
}
