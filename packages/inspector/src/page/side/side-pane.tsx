import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { CopyFormat, Draft, InspectorFinding } from "../../protocol/api.ts";
import type { CallState } from "../../protocol/data.ts";
import { Button, Preformatted, Select } from "../parts/elements.tsx";
import { TabPanel, Tabs, useTab } from "../parts/tabs.tsx";
import { type App, useApp, useFetched } from "../state/app.ts";
import { draftOfCall, itemId, METHODS, paramsFor, valueOfCall } from "../state/calls.ts";
import { draftOf, type ItemDraft } from "../state/drafts.ts";
import { fitsIntoLink, formatRoute, MAX_LINKED_BYTES } from "../state/route.ts";
import { DoctorView } from "./doctor-view.tsx";
import { EditView } from "./edit-view.tsx";

export type SideTab = "edit" | "doctor" | "copy";

interface SidePaneProps {
  readonly open: boolean;
  readonly findings: readonly InspectorFinding[] | undefined;
  readonly call: CallState | undefined;
  readonly onOpen: (open: boolean) => void;
}

export function SidePane({ open, findings, call, onOpen }: SidePaneProps): VNode {
  const { state } = useApp();
  const tabs: { id: SideTab; label: string }[] = [{ id: "copy", label: "Copy as" }];
  if (findings !== undefined) tabs.unshift({ id: "doctor", label: "Doctor" });
  if (state.target?.kind === "dev") tabs.unshift({ id: "edit", label: "Changed" });
  const [chosen, choose] = useTab("side", tabs, tabs[0]?.id ?? "copy");
  if (!open) {
    return (
      <aside class="side folded" aria-label="More">
        <Button label="◂" class="plain" aria-expanded={false} aria-label="Unfold" onClick={() => onOpen(true)} />
      </aside>
    );
  }
  return (
    <aside class="side" aria-label="More">
      <div class="side-bar">
        <Tabs name="side" label="More" tabs={tabs} chosen={chosen} onChoose={choose} />
        <Button label="▸" class="plain" aria-expanded={true} aria-label="Fold" onClick={() => onOpen(false)} />
      </div>
      <TabPanel name="side" chosen={chosen}>
        {chosen === "edit" && <EditView />}
        {chosen === "doctor" && <DoctorView findings={findings ?? []} />}
        {chosen === "copy" && <CopyView call={call} />}
      </TabPanel>
    </aside>
  );
}

type Format = CopyFormat | "link";

interface Copied {
  readonly text: string;
  readonly note?: string;
}

const FORMATS: readonly (readonly [Format, string])[] = [
  ["test", "Test"],
  ["sh", "Command (sh)"],
  ["powershell", "Command (PowerShell)"],
  ["curl", "curl"],
  ["client", "TypeScript client"],
  ["config", "Client config"],
  ["json-rpc", "JSON-RPC"],
  ["link", "Link"],
];

/** The call as something to paste elsewhere. */
function CopyView({ call }: { readonly call: CallState | undefined }): VNode {
  const app = useApp();
  const { api, state, announce, report } = app;
  const [chosen, setFormat] = useState<Format>();
  const format = chosen ?? (state.abilities.source ? "test" : "sh");
  const [client, setClient] = useState("");
  const typed = draftOf(app.drafts, app.route.shown.pane === "item" ? itemId(app.route.shown) : "");
  const draft = draftFor(app, typed, call);
  const found = useFetched(async (): Promise<Copied> => {
    if (format === "link") return linkFor(app, typed);
    return draft === undefined ? { text: "" } : api.post("copy", { draft, format, ...(client && { client }) });
  }, [format, client, JSON.stringify(draft), app.route]);
  const { text = "", note }: Partial<Copied> = found instanceof Error ? { note: found.message } : (found ?? {});
  const copy = () => navigator.clipboard.writeText(text).then(() => announce("Copied"), report);
  return (
    <>
      <label class="field">
        Format
        <Select value={format} options={FORMATS} onChoose={(next) => setFormat(next as Format)} />
      </label>
      {format === "config" && state.profiles.length > 0 && (
        <label class="field">
          Client
          <Select value={client} options={[["", "any"], ...state.profiles]} onChoose={setClient} />
        </label>
      )}
      {draft === undefined && format !== "link" && (
        <p class="empty">Choose a tool, prompt or resource first; a template once it was read.</p>
      )}
      {note !== undefined && <p class="note">{note}</p>}
      {text !== "" && (
        <>
          <Preformatted text={text} class="copied" />
          <Button label="Copy" onClick={copy} />
        </>
      )}
    </>
  );
}

/** The last call, with its answers and result, if nothing was typed since; else the call that the form would make. */
function draftFor({ route, offer, revision }: App, typed: ItemDraft, call: CallState | undefined): Draft | undefined {
  const { shown } = route;
  if (shown.pane !== "item") return undefined;
  const item = offer?.items.find(({ kind, key }) => kind === shown.kind && key === shown.key);
  const same = call !== undefined && JSON.stringify(valueOfCall(call)) === JSON.stringify(typed.value);
  if (call !== undefined && (same || shown.kind === "template")) return draftOfCall(call);
  const params = item === undefined ? undefined : paramsFor(item, typed.value);
  return params === undefined ? undefined : { revision, method: METHODS[shown.kind], params };
}

function linkFor({ route }: App, { value }: ItemDraft): Copied {
  const address = new URL(formatRoute(Object.keys(value).length > 0 ? { ...route, value } : route), location.href);
  const secret = "It has no secret: before it, open the address that the command printed.";
  const left = `The arguments have more than ${MAX_LINKED_BYTES / 1024} kB and are left out.`;
  return { text: String(address), note: fitsIntoLink(value) ? secret : `${left} ${secret}` };
}
