import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { HistoryEntry } from "../../protocol/api.ts";
import type { CallState } from "../../protocol/data.ts";
import { Button, instead, Link, Preformatted, Select, TableHead } from "../parts/elements.tsx";
import { DifferenceView } from "../result/difference-view.tsx";
import { useApp, useFetched } from "../state/app.ts";
import { draftOfCall, itemOfCall } from "../state/calls.ts";
import { differences } from "../text/differences.ts";
import { duration, visible } from "../text/format.ts";
import { ResponsePane } from "./response-pane.tsx";

export function HistoryView(props: {
  readonly id: string | undefined;
  readonly entries: readonly HistoryEntry[];
}): VNode {
  const { id, entries } = props;
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
        <Remembered key={id} id={id} entries={entries} compared={compared} />
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
  const { send } = useApp();
  return (
    <>
      <table>
        <TableHead columns={["When", "What", "Revision", "Status", "Took", "Actions"]} />
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
                <Button
                  label={compared === entry.id ? "Compare with the next one you open" : "Compare"}
                  class="chip"
                  aria-pressed={compared === entry.id}
                  onClick={() => onCompare(compared === entry.id ? undefined : entry.id)}
                />
                <Button
                  label="Delete"
                  class="chip"
                  aria-label={`Delete ${visible(itemOfCall(entry.draft).key)}`}
                  onClick={() => send("forget", { id: entry.id })}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <Button label={`Delete all ${entries.length}`} onClick={() => send("forget", {})} />
      </p>
    </>
  );
}

function Remembered(props: {
  readonly id: string;
  readonly entries: readonly HistoryEntry[];
  readonly compared: string | undefined;
}): VNode | null {
  const { id, entries, compared } = props;
  const { openForm, call: makeCall, state } = useApp();
  const call = useRemembered(id);
  const [otherId, setOther] = useState(compared === id ? undefined : compared);
  const other = useRemembered(otherId);
  if (call === undefined) return null;
  if (call instanceof Error) return <p class="problem">{visible(call.message)}</p>;
  const others = entries
    .filter((entry) => entry.id !== id)
    .map(({ id, draft, at }): [string, string] => {
      return [id, `${visible(itemOfCall(draft).key)} · ${new Date(at).toLocaleTimeString()}`];
    });
  const again = async () => {
    await makeCall(call.method, call.params);
    openForm(call);
  };
  return (
    <>
      <h2>{visible(itemOfCall(call).key)}</h2>
      <p class="note">
        {new Date(call.at).toLocaleString()} · {call.revision} · {call.method}
      </p>
      <div class="actions">
        <Button label="Open in the form" onClick={() => openForm(call)} />
        {state.abilities.calls && <Button label="Run again" onClick={again} />}
        {state.abilities.saves && <SaveButton id={id} call={call} />}
        <label>
          Compare with{" "}
          <Select
            value={otherId ?? ""}
            options={[["", "nothing"], ...others]}
            onChoose={(chosen) => setOther(chosen || undefined)}
          />
        </label>
      </div>
      {other !== undefined && !(other instanceof Error) && <Compared before={other} after={call} />}
      <h3>Arguments</h3>
      <Preformatted text={visible(JSON.stringify(call.params, null, 2))} />
      <ResponsePane item={undefined} call={call} previous={undefined} />
    </>
  );
}

function Compared({ before, after }: { readonly before: CallState; readonly after: CallState }): VNode {
  const found = (["params", "result"] as const).flatMap((part) =>
    differences(before[part], after[part]).map((each) => ({ ...each, pointer: part + each.pointer })),
  );
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
function useRemembered(id: string | undefined): CallState | Error | undefined {
  const { api } = useApp();
  return useFetched(async () => (id === undefined ? undefined : (await api.post("remembered", { id })).call), [id]);
}

const NAME = "[a-z0-9\\-]{1,64}";

/** Writes the call beside the module, under a name that is asked for in place. */
function SaveButton({ id, call }: { readonly id: string; readonly call: CallState }): VNode {
  const { api, announce, report } = useApp();
  /** Undefined while nobody is asked. */
  const [name, setName] = useState<string>();
  const [outcome, setOutcome] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), [name === undefined]);
  if (name === undefined) {
    return (
      <>
        <Button label="☆ Save" onClick={() => setName("")} />
        {outcome !== "" && <span class="note">{outcome}</span>}
      </>
    );
  }
  const saved = (file: string) => {
    setName(undefined);
    setOutcome(`Saved as ${file}`);
    announce(`Saved as ${file}`);
  };
  const save = () => api.post("save", { name, draft: draftOfCall(call), id }).then(({ file }) => saved(file), report);
  return (
    <form class="save" onSubmit={instead(save)}>
      <label>
        Name{" "}
        <input
          ref={input}
          required
          pattern={NAME}
          title="Up to 64 small letters, digits and hyphens"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Save</button>
      <Button label="Cancel" onClick={() => setName(undefined)} />
    </form>
  );
}

const NONE: readonly HistoryEntry[] = [];

/** The calls of this and earlier starts, the newest first. A recording has none. */
export function useHistory(): readonly HistoryEntry[] {
  const { api, state } = useApp();
  const hasHistory = state.ready && state.abilities.calls;
  const load = () => (hasHistory ? api.post("history", {}) : undefined);
  const found = useFetched(load, [hasHistory, state.historyVersion]);
  const entries = found === undefined || found instanceof Error ? NONE : found.entries;
  return useMemo(() => entries.toSorted((a, b) => b.at - a.at), [entries]);
}
