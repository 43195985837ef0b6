import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Lane, WireLine } from "../../protocol/data.ts";
import { Button, ClientLink, Select } from "../parts/elements.tsx";
import { useApp } from "../state/app.ts";
import { count, size, visible } from "../text/format.ts";
import { type Exchange, foldExchanges, isFailure, rowsOf } from "./exchange.ts";
import { matchesFilter, parseFilter } from "./filter.ts";
import { Timeline } from "./timeline.tsx";

/** All messages of both directions, the newest last. */
export function WirePane({ open, onOpen }: { readonly open: boolean; onOpen(open: boolean): void }): VNode {
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
        <span class="count">{count(lines.length, "message")}</span>
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
  const options = lanes.map(({ conn, role, name, version, revision, transport, open }): [string, string] => {
    const known = [name, version].filter(Boolean).join(" ");
    const facts = [visible(known), transport, revision, role === "client" && "watched", !open && "closed"];
    return [conn, facts.filter(Boolean).join(" · ")];
  });
  return (
    <Select
      aria-label="Connection"
      value={chosen ?? ""}
      options={[["", "all connections"], ...options]}
      onChoose={(conn) => onChoose(conn || undefined)}
    />
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
  const { api, state, send, report, announce } = useApp();
  const save = async () => {
    try {
      const { text, warnings } = await api.post("export", {});
      download(text, "session.jsonl");
      const notice = ["Exported as session.jsonl.", ...warnings].join(" ");
      announce(notice);
      if (warnings.length > 0) report(new Error(notice));
    } catch (error) {
      report(error);
    }
  };
  return (
    <>
      {state.abilities.calls && (
        <Button label="Send raw" class="chip" aria-expanded={sending} onClick={() => onSending(!sending)} />
      )}
      <Button
        label={paused === undefined ? "Pause" : `Paused · ${Math.max(0, paused)} new`}
        class="chip"
        aria-pressed={paused !== undefined}
        onClick={onPause}
      />
      <Button label="Export .jsonl" class="chip" onClick={save} />
      <Button label="Clear" class="chip" onClick={() => send("clear", {})} />
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

const EXAMPLE = '{"jsonrpc":"2.0","id":"mine","method":"ping"}';

/** Sends any text to the server as it is, JSON or not. */
function RawSend(): VNode {
  const { revision, send } = useApp();
  const [text, setText] = useState(EXAMPLE);
  const sendText = () => send("raw", { revision, text });
  return (
    <div class="raw-send">
      <textarea
        class="code"
        aria-label="Raw message"
        rows={2}
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          sendText();
        }}
      />
      <Button label="Send" onClick={sendText} />
    </div>
  );
}
