import type { VNode } from "preact";
import type { CallState, Progress } from "../../protocol/call.ts";
import { useApp } from "../state/app.ts";
import { duration, size } from "../text/units.ts";
import { visible } from "../text/visible.ts";

const WORDS: { readonly [Status in CallState["status"]]: string } = {
  running: "running …",
  asks: "waits for your answer",
  done: "complete",
  failed: "failed",
  canceled: "canceled",
};

/** How a call stands: state, time of the server and of people, bytes, progress. */
export function CallStatus({ call }: { readonly call: CallState }): VNode {
  const { api, report } = useApp();
  const isOpen = call.status === "running" || call.status === "asks";
  const isError = call.result?.isError === true;
  return (
    <div class="call-status">
      <p>
        <b class={call.status === "failed" || isError ? "bad" : call.status === "done" ? "good" : "warning"}>
          {isError ? "tool error" : WORDS[call.status]}
        </b>{" "}
        <span class="quiet">
          {call.revision}
          {call.ms !== undefined && ` · ${duration(call.ms)}`}
          {call.humanMs !== undefined && call.humanMs > 0 && ` + ${duration(call.humanMs)} you`}
          {` · ${size(call.bytesOut)} → ${size(call.bytesIn)}`}
        </span>{" "}
        {isOpen && (
          <button type="button" onClick={() => api.post("cancel", { id: call.id }).catch(report)}>
            Cancel call <kbd>Esc</kbd>
          </button>
        )}
      </p>
      {call.progress !== undefined && <ProgressBar progress={call.progress} />}
    </div>
  );
}

/** Progress stays with its call, also after the end. */
function ProgressBar({ progress }: { readonly progress: Progress }): VNode {
  const { progress: done, total, message, rate, count } = progress;
  return (
    <p class="progress">
      <progress aria-label="Progress" {...(total !== undefined && { value: done, max: total })} />{" "}
      {total === undefined ? done : `${done} of ${total}`}
      {message !== undefined && ` · ${visible(message)}`}
      <span class="quiet">
        {rate !== undefined && ` · ${rate < 10 ? rate.toFixed(1) : Math.round(rate)} per second`} · {count}{" "}
        notifications
      </span>
    </p>
  );
}
