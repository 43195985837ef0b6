import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CallState, Item, JsonObject, Progress } from "../../protocol/data.ts";
import { CopyButton, Link } from "../parts/elements.tsx";
import { TabPanel, Tabs, useTab } from "../parts/tabs.tsx";
import { ResultDiff } from "../result/difference-view.tsx";
import { LongText } from "../result/long-text.tsx";
import { ResourceResult, ResultTab } from "../result/result-view.tsx";
import { useApp, useFetched } from "../state/app.ts";
import { type LiveContent, liveKey } from "../state/inspector-state.ts";
import { duration, size, visible } from "../text/format.ts";
import { RevisionsTab } from "./revisions-tab.tsx";
import { Rounds } from "./rounds.tsx";

interface ResponsePaneProps {
  readonly item: Item | undefined;
  readonly call: CallState | undefined;
  /** The call before it of the same item. */
  readonly previous: CallState | undefined;
}

type TabId = "rounds" | "result" | "raw" | "revisions" | "live";

/** Shows the answer to a call. The keys [ and ] choose among its tabs: `<Tabs name="result" …>`. */
export function ResponsePane({ item, call, previous }: ResponsePaneProps): VNode {
  const { state, route, revision } = useApp();
  const uri = call?.method === "resources/read" ? String(call.params.uri) : item?.key;
  const live = uri === undefined ? undefined : state.live.get(liveKey(revision, uri));
  const isAsking = call?.status === "asks";
  const hasRounds =
    call !== undefined &&
    (call.asks.length > 0 || call.runs.length > 1 || call.runs.some(({ trace }) => trace.length > 0));
  const tabs: { id: TabId; label: string }[] = [
    ...(hasRounds ? [{ id: "rounds" as const, label: `Rounds (${call.runs.length})` }] : []),
    { id: "result", label: "Result" },
    { id: "raw", label: "Raw" },
    ...(state.revisions.length > 1 && state.abilities.calls ? [{ id: "revisions" as const, label: "Revisions" }] : []),
    ...(live === undefined ? [] : [{ id: "live" as const, label: `Live · ${live.updates}` }]),
  ];
  const [shown, choose] = useTab("result", tabs, "result");
  // A question is shown at once; a tab that someone chooses then stays. The first events of a stream are not new: the tab
  // of the address stays.
  const isReady = useRef(false);
  const show = (id: TabId) => {
    if (isReady.current || route.result === undefined) choose(id);
  };
  useEffect(() => {
    if (isAsking) show("rounds");
  }, [isAsking]);
  useEffect(() => {
    if (live !== undefined) show("live");
  }, [live === undefined]);
  useEffect(() => {
    isReady.current = state.ready;
  }, [state.ready]);
  return (
    <>
      {call !== undefined && <CallStatus call={call} />}
      <Tabs name="result" label="What came back" tabs={tabs} chosen={shown} onChoose={choose} />
      <TabPanel name="result" chosen={shown}>
        {shown === "live" && live !== undefined && <LiveTab live={live} />}
        {shown === "revisions" && <RevisionsTab item={item} call={call} />}
        {call === undefined && shown !== "live" && shown !== "revisions" && (
          <p class="quiet">Nothing was called yet.</p>
        )}
        {shown === "rounds" && call !== undefined && <Rounds key={call.id} call={call} />}
        {shown === "result" && call !== undefined && <ResultTab call={call} previous={previous} />}
        {shown === "raw" && call !== undefined && <RawTab key={call.id} call={call} />}
      </TabPanel>
    </>
  );
}

const WORDS: { readonly [Status in CallState["status"]]: string } = {
  running: "running …",
  asks: "waits for your answer",
  done: "complete",
  failed: "failed",
  canceled: "canceled",
};

/** The status of a call, the time of the server and of people, bytes, progress. */
function CallStatus({ call }: { readonly call: CallState }): VNode {
  const { send } = useApp();
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
          <button type="button" onClick={() => send("cancel", { id: call.id })}>
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

const MAX_MESSAGES = 50;

/** The messages of a call, exactly as they were on the wire. */
function RawTab({ call }: { readonly call: CallState }): VNode {
  const { api, state } = useApp();
  const own = new Set(call.runs.map(({ line }) => line));
  const wanted = state.lines
    .filter(({ n, re }) => own.has(n) || (re !== undefined && own.has(re)))
    .slice(-MAX_MESSAGES);
  const messages = useFetched(
    () => Promise.all(wanted.map(({ n }) => api.post("message", { n }))),
    [api, wanted.map(({ n }) => n).join()],
  );
  if (messages instanceof Error) return <p class="quiet">{visible(messages.message)}</p>;
  if (messages === undefined || messages.length === 0)
    return <p class="quiet">The record has no message of this call.</p>;
  return (
    <>
      {messages.map(({ n, dir, text, bytes, method }) => (
        <section key={n} class="raw">
          <h3>
            {dir === "out" ? "→" : "←"} {method} <span class="quiet">{size(bytes)}</span>{" "}
            <Link to={{ pane: "wire", n }}>on the wire</Link> <CopyButton text={text} label="Copy" />
          </h3>
          <LongText text={text} label={`Message ${n}`} />
        </section>
      ))}
    </>
  );
}

/** A subscribed resource: its contents now, and the changes of the last update. */
function LiveTab({ live }: { readonly live: LiveContent }): VNode {
  const last = useRef<JsonObject | undefined>(live.result);
  const [update, setUpdate] = useState<{
    readonly before: JsonObject;
    readonly after: JsonObject;
    readonly at: number;
  }>();
  useEffect(() => {
    const { result, at } = live;
    if (last.current !== undefined && result !== undefined && last.current !== result) {
      setUpdate({ before: last.current, after: result, at });
    }
    if (result !== undefined) last.current = result;
  }, [live]);
  return (
    <>
      {live.error !== undefined && <p class="problem">{visible(live.error)}</p>}
      {update !== undefined && (
        <section aria-label="Last change">
          <h3>
            Changed at{" "}
            <time dateTime={new Date(update.at).toISOString()}>{new Date(update.at).toLocaleTimeString()}</time>
          </h3>
          <ResultDiff before={update.before} after={update.after} />
        </section>
      )}
      {live.result !== undefined && <ResourceResult result={live.result} />}
    </>
  );
}
