import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CopyFormat, Draft } from "../../protocol/api.ts";
import type { CallState } from "../../protocol/call.ts";
import { fitsIntoLink, formatRoute, MAX_LINKED_BYTES } from "../routes/route.ts";
import { type App, useApp } from "../state/app.ts";
import { draftOfCall, METHODS, paramsFor, valueOfCall } from "../state/calls.ts";
import type { ItemDraft } from "../state/draft.ts";

type Format = CopyFormat | "link";

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
export function CopyView(props: { readonly draft: ItemDraft; readonly call: CallState | undefined }): VNode {
  const app = useApp();
  const { api, state, announce, report } = app;
  const [chosen, setFormat] = useState<Format>();
  const format = chosen ?? (state.abilities.source ? "test" : "sh");
  const [client, setClient] = useState("");
  const [copied, setCopied] = useState<{ readonly text: string; readonly note?: string }>();
  const draft = draftFor(app, props.draft, props.call);
  const wanted = draft === undefined ? "" : JSON.stringify(draft);
  useEffect(() => {
    let current = true;
    const show = (next: typeof copied) => current && setCopied(next);
    if (format === "link") show(linkFor(app, props.draft));
    else if (draft === undefined) show(undefined);
    else {
      const body = { draft, format, ...(client ? { client } : {}) };
      api.post("copy", body).then(show, (error) => show({ text: "", note: error.message }));
    }
    return () => {
      current = false;
    };
  }, [format, client, wanted, app.route]);
  const copy = () => navigator.clipboard.writeText(copied?.text ?? "").then(() => announce("Copied"), report);
  return (
    <>
      <label class="field">
        Format
        <select value={format} onChange={(event) => setFormat(event.currentTarget.value as Format)}>
          {FORMATS.map(([id, label]) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {format === "config" && state.profiles.length > 0 && (
        <label class="field">
          Client
          <select value={client} onChange={(event) => setClient(event.currentTarget.value)}>
            <option value="">any</option>
            {state.profiles.map((profile) => (
              <option key={profile}>{profile}</option>
            ))}
          </select>
        </label>
      )}
      {draft === undefined && format !== "link" && (
        <p class="empty">Choose a tool, prompt or resource first; a template once it was read.</p>
      )}
      {copied?.note !== undefined && <p class="note">{copied.note}</p>}
      {copied !== undefined && copied.text !== "" && (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the keyboard */}
          <pre class="copied" tabIndex={0}>
            {copied.text}
          </pre>
          <button type="button" onClick={copy}>
            Copy
          </button>
        </>
      )}
    </>
  );
}

/** What was called, with its answers and result, if nothing was typed since; else what would be called. */
function draftFor({ route, offer, revision }: App, typed: ItemDraft, call: CallState | undefined): Draft | undefined {
  const { shown } = route;
  if (shown.pane !== "item") return undefined;
  const item = offer?.items.find(({ kind, key }) => kind === shown.kind && key === shown.key);
  const same = call !== undefined && JSON.stringify(valueOfCall(call)) === JSON.stringify(typed.value);
  if (call !== undefined && (same || shown.kind === "template")) return draftOfCall(call);
  const params = item === undefined ? undefined : paramsFor(item, typed.value);
  return params === undefined ? undefined : { revision, method: METHODS[shown.kind], params };
}

function linkFor({ route }: App, { value }: ItemDraft): { readonly text: string; readonly note: string } {
  const address = new URL(formatRoute(Object.keys(value).length > 0 ? { ...route, value } : route), location.href);
  const secret = "It has no secret: whoever opens it first needs the address that the command printed.";
  const left = `The arguments have more than ${MAX_LINKED_BYTES / 1024} kB and are left out.`;
  return { text: String(address), note: fitsIntoLink(value) ? secret : `${left} ${secret}` };
}
