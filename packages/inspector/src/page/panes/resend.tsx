import type { VNode } from "preact";
import type { CallState, Tampering } from "../../protocol/call.ts";
import { useApp } from "../state/app.ts";

const TRIES: readonly (readonly [change: Tampering, label: string, shouldRefuse: boolean])[] = [
  ["nothing", "as it was", false],
  ["arguments", "with other arguments", true],
  ["state", "with one character of the state changed", true],
  ["caller", "as another caller", true],
];

/** Sends a later round again, as it was or changed. A changed one must be refused, and is shown as right if it is. */
export function Resend({ call }: { readonly call: CallState }): VNode | null {
  const { api, state, report } = useApp();
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
              <button
                type="button"
                onClick={() => api.post("resend", { call: call.id, run: run.number, change }).catch(report)}
              >
                {label}
              </button>{" "}
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
