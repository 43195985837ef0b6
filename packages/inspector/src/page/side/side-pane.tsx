import type { VNode } from "preact";
import type { InspectorFinding } from "../../protocol/api.ts";
import type { CallState } from "../../protocol/call.ts";
import { TabPanel, Tabs } from "../shell/tabs.tsx";
import { useTab } from "../shell/use-tab.ts";
import { useApp } from "../state/app.ts";
import type { ItemDraft } from "../state/draft.ts";
import { CopyView } from "./copy-view.tsx";
import { DoctorView } from "./doctor-view.tsx";
import { EditView } from "./edit-view.tsx";

export type SideTab = "edit" | "doctor" | "copy";

interface SidePaneProps {
  readonly open: boolean;
  readonly findings: readonly InspectorFinding[] | undefined;
  readonly draft: ItemDraft;
  readonly call: CallState | undefined;
  readonly onOpen: (open: boolean) => void;
}

export function SidePane({ open, findings, draft, call, onOpen }: SidePaneProps): VNode {
  const { state } = useApp();
  const tabs: { id: SideTab; label: string }[] = [{ id: "copy", label: "Copy as" }];
  if (findings !== undefined) tabs.unshift({ id: "doctor", label: "Doctor" });
  if (state.target?.kind === "dev") tabs.unshift({ id: "edit", label: "Changed" });
  const [chosen, choose] = useTab("side", tabs, tabs[0]?.id ?? "copy");
  if (!open) {
    return (
      <aside class="side folded" aria-label="More">
        <button type="button" class="plain" aria-expanded={false} aria-label="Unfold" onClick={() => onOpen(true)}>
          ◂
        </button>
      </aside>
    );
  }
  return (
    <aside class="side" aria-label="More">
      <div class="side-bar">
        <Tabs name="side" label="More" tabs={tabs} chosen={chosen} onChoose={choose} />
        <button type="button" class="plain" aria-expanded={true} aria-label="Fold" onClick={() => onOpen(false)}>
          ▸
        </button>
      </div>
      <TabPanel name="side" chosen={chosen}>
        {chosen === "edit" && <EditView />}
        {chosen === "doctor" && <DoctorView findings={findings ?? []} />}
        {chosen === "copy" && <CopyView draft={draft} call={call} />}
      </TabPanel>
    </aside>
  );
}
