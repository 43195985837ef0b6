import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { TabPanel, Tabs } from "../shell/tabs.tsx";
import { useTab } from "../shell/use-tab.ts";
import { useApp } from "../state/app.ts";
import { liveKey } from "../state/inspector-state.ts";
import type { ResponsePaneProps } from "../state/pane-props.ts";
import { CallStatus } from "./call-status.tsx";
import { LiveTab } from "./live-tab.tsx";
import { RawTab } from "./raw-tab.tsx";
import { ResultTab } from "./result-tab.tsx";
import { RevisionsTab } from "./revisions-tab.tsx";
import { Rounds } from "./rounds.tsx";

type TabId = "rounds" | "result" | "raw" | "revisions" | "live";

/** Shows what came back. */
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
  // A question is shown at once; a tab that someone chooses then stays. What a new stream tells is not new: the tab of the
  // address stays.
  const isTold = useRef(false);
  const show = (id: TabId) => {
    if (isTold.current || route.result === undefined) choose(id);
  };
  useEffect(() => {
    if (isAsking) show("rounds");
  }, [isAsking]);
  useEffect(() => {
    if (live !== undefined) show("live");
  }, [live === undefined]);
  useEffect(() => {
    isTold.current = state.ready;
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
