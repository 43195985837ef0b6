import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { HistoryEntry } from "../../protocol/api.ts";
import type { CallState } from "../../protocol/call.ts";
import { ResponsePane } from "../panes/response-pane.tsx";
import { Link } from "../shell/link.tsx";
import { DifferenceView } from "../side/difference-view.tsx";
import { useApp } from "../state/app.ts";
import { itemOfCall, valueOfCall } from "../state/calls.ts";
import { type Drafts, itemId, withDraft } from "../state/draft.ts";
import { differences } from "../text/differences.ts";
import { duration } from "../text/units.ts";
import { visible } from "../text/visible.ts";
import { SaveButton } from "./save-button.tsx";

interface HistoryViewProps {
  readonly id: string | undefined;
  readonly entries: readonly HistoryEntry[];
  readonly onDrafts: (change: (drafts: Drafts) => Drafts) => void;
}

export function HistoryView({ id, entries, onDrafts }: HistoryViewProps): VNode {
  const [compared, setCompared] = useState<string>();
  return (
    <div class="history">
      {id === undefined ? (
        <>
          <h2>History</h2>
          {entries.length === 0 && <p class="empty">Nothing was called yet. Each call is kept here.</p>}
          {entries.length > 0 && <HistoryTable entries={entries} compared={compared} onCompare={setCompared} />}
        </>
      ) : (
        <Remembered key={id} id={id} entries={entries} compared={compared} onDrafts={onDrafts} />
      )}
    </div>
  );
}

function HistoryTable(props: {
  readonly entries: readonly HistoryEntry[];
  readonly compared: string | undefined;
  readonly onCompare: (id: string | undefined) => void;
}): VNode {
  const { entries, compared, onCompare } = props;
  const { api, report } = useApp();
  return (
    <>
      <table>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What</th>
            <th scope="col">Revision</th>
            <th scope="col">Status</th>
            <th scope="col">Took</th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td>{new Date(entry.at).toLocaleString()}</td>
              <td>
                <Link to={{ pane: "history", id: entry.id }}>
                  {entry.saved ? `★ ${entry.saved} · ` : ""}
                  {visible(itemOfCall(entry.draft).key)}
                </Link>
              </td>
              <td>{entry.draft.revision}</td>
              <td>{entry.status}</td>
              <td>{entry.ms === undefined ? "" : duration(entry.ms)}</td>
              <td>
                <button
                  type="button"
                  class="chip"
                  aria-pressed={compared === entry.id}
                  onClick={() => onCompare(compared === entry.id ? undefined : entry.id)}
                >
                  {compared === entry.id ? "Compare with the next one you open" : "Compare"}
                </button>
                <button
                  type="button"
                  class="chip"
                  aria-label={`Delete ${visible(itemOfCall(entry.draft).key)}`}
                  onClick={() => {
                    api.post("forget", { id: entry.id }).catch(report);
                  }}
                >
                  Delete
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <button
          type="button"
          onClick={() => {
            api.post("forget", {}).catch(report);
          }}
        >
          Delete all {entries.length}
        </button>
      </p>
    </>
  );
}

function Remembered(props: {
  readonly id: string;
  readonly entries: readonly HistoryEntry[];
  readonly compared: string | undefined;
  readonly onDrafts: HistoryViewProps["onDrafts"];
}): VNode | null {
  const { id, entries, compared, onDrafts } = props;
  const { go, call: makeCall, state } = useApp();
  const call = useRemembered(id);
  const [otherId, setOther] = useState(compared === id ? undefined : compared);
  const other = useRemembered(otherId);
  if (call === undefined) return null;
  if (typeof call === "string") return <p class="problem">{visible(call)}</p>;
  const item = itemOfCall(call);
  const open = () => {
    onDrafts((drafts) => withDraft(drafts, itemId(item), { value: valueOfCall(call) }));
    go({ pane: "item", ...item });
  };
  const again = async () => {
    await makeCall(call.method, call.params);
    open();
  };
  return (
    <>
      <h2>{visible(item.key)}</h2>
      <p class="note">
        {new Date(call.at).toLocaleString()} · {call.revision} · {call.method}
      </p>
      <div class="actions">
        <button type="button" onClick={open}>
          Open in the form
        </button>
        {state.abilities.calls && (
          <button type="button" onClick={again}>
            Run again
          </button>
        )}
        {state.abilities.saves && <SaveButton id={id} call={call} />}
        <label>
          Compare with{" "}
          <select value={otherId ?? ""} onChange={(event) => setOther(event.currentTarget.value || undefined)}>
            <option value="">nothing</option>
            {entries
              .filter((entry) => entry.id !== id)
              .map((entry) => (
                <option key={entry.id} value={entry.id}>
                  {visible(itemOfCall(entry.draft).key)} · {new Date(entry.at).toLocaleTimeString()}
                </option>
              ))}
          </select>
        </label>
      </div>
      {typeof other === "object" && <Compared before={other} after={call} />}
      <h3>Arguments</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the keyboard */}
      <pre tabIndex={0}>{visible(JSON.stringify(call.params, null, 2))}</pre>
      <ResponsePane item={undefined} call={call} previous={undefined} />
    </>
  );
}

function Compared({ before, after }: { readonly before: CallState; readonly after: CallState }): VNode {
  const found = [
    ...differences(before.params, after.params).map((each) => ({ ...each, pointer: `params${each.pointer}` })),
    ...differences(before.result, after.result).map((each) => ({ ...each, pointer: `result${each.pointer}` })),
  ];
  return (
    <section aria-label="Differences">
      <h3>Differences</h3>
      {found.length === 0 && <p>Arguments and results are the same.</p>}
      {found.map((difference) => (
        <DifferenceView key={difference.pointer} difference={difference} />
      ))}
    </section>
  );
}

/** A call of the history, or why it cannot be shown. */
function useRemembered(id: string | undefined): CallState | string | undefined {
  const { api } = useApp();
  const [call, setCall] = useState<CallState | string>();
  useEffect(() => {
    setCall(undefined);
    if (id === undefined) return;
    api.post("remembered", { id }).then(
      ({ call }) => setCall(call),
      (error) => setCall(String(error.message)),
    );
  }, [id]);
  return call;
}
