import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Lane, WireLine } from "../../protocol/wire.ts";
import { useApp } from "../state/app.ts";
import { size } from "../text/units.ts";
import { visible } from "../text/visible.ts";
import { ClientLink } from "./client-link.tsx";
import { type Exchange, foldExchanges, isFailure } from "./exchange.ts";
import { matchesFilter, parseFilter } from "./filter.ts";
import { RawSend } from "./raw-send.tsx";
import { rowsOf } from "./row.ts";
import { Timeline } from "./timeline.tsx";

interface WirePaneProps {
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
}

/** All messages of both directions, the newest last. */
export function WirePane({ open, onOpen }: WirePaneProps): VNode {
  const { state, route, adjust } = useApp();
  const [paused, setPaused] = useState<readonly WireLine[]>();
  const [lane, setLane] = useState<string>();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [sending, setSending] = useState(false);
  const lines = paused ?? state.lines;
  const text = route.filter ?? "";
  const filter = useMemo(() => parseFilter(text), [text]);
  const exchanges = useMemo(() => foldExchanges(lines), [lines]);
  const now = lines.at(-1)?.at ?? 0;
  const rows = useMemo(() => {
    const inLane = (exchange: Exchange) => lane === undefined || exchange.line.conn === lane;
    return rowsOf(
      exchanges.filter((each) => inLane(each) && matchesFilter(filter, each, now)),
      opened,
      now,
    );
  }, [exchanges, filter, lane, opened, now]);
  const failures = useMemo(() => lines.filter(isFailure).length, [lines]);
  const last = lines.at(-1);
  const toggle = (id: string) => {
    const next = new Set(opened);
    if (!next.delete(id)) next.add(id);
    setOpened(next);
  };
  return (
    <section class="wire" aria-label="Wire">
      <div class="wire-bar">
        <h2>
          <button type="button" class="plain" aria-expanded={open} onClick={() => onOpen(!open)}>
            <span aria-hidden="true">{open ? "▾" : "▸"}</span> Wire
          </button>
        </h2>
        <span class="count">
          {lines.length} {lines.length === 1 ? "message" : "messages"}
        </span>
        <button
          type="button"
          class="chip"
          aria-pressed={text === "status:error"}
          onClick={() => adjust({ filter: text === "status:error" ? undefined : "status:error" })}
        >
          errors <b class={failures > 0 ? "bad" : ""}>{failures}</b>
        </button>
        {open ? (
          <>
            <input
              type="search"
              class="filter code"
              aria-label="Filter the wire"
              placeholder="method:tools/call status:error duration:>500ms"
              value={text}
              onInput={(event) => adjust({ filter: event.currentTarget.value || undefined })}
            />
            <Lanes lanes={state.lanes} chosen={lane} onChoose={setLane} />
            <ClientLink conn={lane} />
            <span class="grow" />
            <WireButtons
              paused={paused === undefined ? undefined : state.lines.length - paused.length}
              onPause={() => setPaused(paused === undefined ? state.lines : undefined)}
              sending={sending}
              onSending={setSending}
            />
          </>
        ) : (
          last !== undefined && (
            <span class="code last">
              {last.dir === "out" ? "→" : "←"} {visible(last.method ?? last.kind)} {visible(last.about ?? "")}{" "}
              {size(last.bytes)}
            </span>
          )
        )}
      </div>
      {open && (
        <>
          {filter.problems.map((problem) => (
            <p key={problem} class="problem">
              {problem}
            </p>
          ))}
          {sending && <RawSend />}
          <Timeline rows={rows} onToggle={toggle} />
          {rows.length === 0 && (
            <p class="empty">
              {lines.length === 0
                ? "Nothing has crossed the wire yet. A call shows here, and so does a client that connects to the server."
                : `No message passes the filter; ${lines.length} do not.`}
            </p>
          )}
        </>
      )}
    </section>
  );
}

function Lanes(props: {
  readonly lanes: readonly Lane[];
  readonly chosen: string | undefined;
  readonly onChoose: (conn: string | undefined) => void;
}): VNode | null {
  const { lanes, chosen, onChoose } = props;
  if (lanes.length < 2) return null;
  return (
    <select
      aria-label="Connection"
      value={chosen ?? ""}
      onChange={(event) => onChoose(event.currentTarget.value || undefined)}
    >
      <option value="">all connections</option>
      {lanes.map(({ conn, role, name, version, revision, transport, open }) => (
        <option key={conn} value={conn}>
          {visible([name, version].filter(Boolean).join(" "))} · {transport}
          {revision ? ` · ${revision}` : ""}
          {role === "client" ? " · watched" : ""}
          {open ? "" : " · closed"}
        </option>
      ))}
    </select>
  );
}

function WireButtons(props: {
  /** The number of messages since the pause. */
  readonly paused: number | undefined;
  readonly onPause: () => void;
  readonly sending: boolean;
  readonly onSending: (sending: boolean) => void;
}): VNode {
  const { paused, onPause, sending, onSending } = props;
  const { api, state, report, announce } = useApp();
  const save = async () => {
    try {
      const { text, warnings } = await api.post("export", {});
      download(text, "session.jsonl");
      const told = ["Exported as session.jsonl.", ...warnings].join(" ");
      announce(told);
      if (warnings.length > 0) report(new Error(told));
    } catch (error) {
      report(error);
    }
  };
  return (
    <>
      {state.abilities.calls && (
        <button type="button" class="chip" aria-expanded={sending} onClick={() => onSending(!sending)}>
          Send raw
        </button>
      )}
      <button type="button" class="chip" aria-pressed={paused !== undefined} onClick={onPause}>
        {paused === undefined ? "Pause" : `Paused · ${Math.max(0, paused)} new`}
      </button>
      <button type="button" class="chip" onClick={save}>
        Export .jsonl
      </button>
      <button
        type="button"
        class="chip"
        onClick={() => {
          api.post("clear", {}).catch(report);
        }}
      >
        Clear
      </button>
    </>
  );
}

function download(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
