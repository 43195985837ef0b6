import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { HttpHead, WireMessage } from "../../protocol/wire.ts";
import { TabPanel, Tabs } from "../shell/tabs.tsx";
import { useTab } from "../shell/use-tab.ts";
import { useApp } from "../state/app.ts";
import { size } from "../text/units.ts";
import { visible } from "../text/visible.ts";
import { MAX_SHOWN, type Piece, prettyPieces } from "./pretty.ts";
import { RepeatButton, type Repeats } from "./repeat-button.tsx";

const MAX_RAW = 200_000;

/** A message and its response, or its request, side by side. */
export function MessageView({ n, onDrafts }: { readonly n: number | undefined } & Repeats): VNode {
  const { state } = useApp();
  const line = state.lines.find((line) => line.n === n);
  const answer = useMemo(
    () => state.lines.find(({ re, kind }) => re === n && n !== undefined && (kind === "result" || kind === "error")),
    [state.lines, n],
  );
  const answers = line?.kind === "result" || line?.kind === "error";
  const first = answers ? line?.re : n;
  const second = answers ? n : answer?.n;
  if (n === undefined) {
    return (
      <div class="request overview" data-pane="request">
        <h2>Wire</h2>
        <p>Choose a message below to see it as it was on the wire.</p>
      </div>
    );
  }
  return (
    <>
      <section class="request" data-pane="request" aria-label="Message">
        {first !== undefined && <Message key={first} n={first} pane="request" onDrafts={onDrafts} />}
      </section>
      <section class="response" data-pane="answer" aria-label="Response">
        {second !== undefined ? (
          <Message key={second} n={second} pane="result" onDrafts={onDrafts} />
        ) : (
          <p class="empty">No response.</p>
        )}
      </section>
    </>
  );
}

type View = "pretty" | "raw" | "http";

interface MessageProps extends Repeats {
  readonly n: number;
  readonly pane: "request" | "result";
}

function Message({ n, pane, onDrafts }: MessageProps): VNode | null {
  const { api } = useApp();
  const [message, setMessage] = useState<WireMessage>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    api.post("message", { n }).then(setMessage, (error) => setProblem(error.message));
  }, [n]);
  const tabs: { id: View; label: string }[] = [
    { id: "pretty", label: "Pretty" },
    { id: "raw", label: "Raw" },
  ];
  if (message?.http !== undefined) tabs.push({ id: "http", label: "HTTP" });
  const [view, choose] = useTab(pane, tabs, "pretty");
  if (problem !== undefined) return <p class="problem">{visible(problem)}</p>;
  if (message === undefined) return null;
  return (
    <>
      <h2 class="message-title">
        <span aria-hidden="true">{message.dir === "out" ? "→" : "←"}</span>{" "}
        {visible([message.method ?? message.kind, message.about].filter(Boolean).join(" "))}{" "}
        <small>
          {message.dir === "out" ? "to the server" : "from the server"} · {size(message.bytes)}
        </small>
      </h2>
      <RepeatButton message={message} onDrafts={onDrafts} />
      <Tabs name={pane} label="How it is shown" tabs={tabs} chosen={view} onChoose={choose} />
      <TabPanel name={pane} chosen={view}>
        {view === "pretty" && <Pretty text={message.text} />}
        {view === "raw" && <Raw text={message.text} />}
        {view === "http" && message.http !== undefined && <Head head={message.http} />}
      </TabPanel>
    </>
  );
}

function Pretty({ text }: { readonly text: string }): VNode {
  const pieces = useMemo(() => prettyPieces(text), [text]);
  if (pieces === undefined) {
    return (
      <>
        <p class="problem">This is not JSON.</p>
        <Raw text={text} />
      </>
    );
  }
  return (
    <div class="message code">
      {pieces.map((piece, index) => (
        <PieceView key={index} piece={piece} />
      ))}
    </div>
  );
}

function PieceView({ piece }: { readonly piece: Piece }): VNode {
  const [whole, setWhole] = useState(false);
  const { kind, text } = piece;
  if (kind === "text" || whole) return <span>{visible(text)}</span>;
  return (
    <span>
      {kind === "long" && visible(text.slice(0, MAX_SHOWN))}
      <button type="button" class="plain" onClick={() => setWhole(true)}>
        {kind === "meta" ? "{…} show _meta" : `… show all ${size(text.length)}`}
      </button>
    </span>
  );
}

/** Every character as it was; only a very long text is cut until someone wants to see all of it. */
function Raw({ text }: { readonly text: string }): VNode {
  const [whole, setWhole] = useState(text.length <= MAX_RAW);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the keyboard */}
      <pre class="raw" tabIndex={0}>
        {whole ? text : text.slice(0, MAX_RAW)}
      </pre>
      {!whole && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {size(text.length)}
        </button>
      )}
    </>
  );
}

function Head({ head }: { readonly head: HttpHead }): VNode {
  const { method, status, requestHeaders = {}, responseHeaders = {}, eventId } = head;
  return (
    <>
      {method !== undefined && <h3>{method}</h3>}
      <Headers headers={requestHeaders} />
      {status !== undefined && <h3>HTTP {status}</h3>}
      <Headers headers={responseHeaders} />
      {eventId !== undefined && <p>Event id: {visible(eventId)}</p>}
    </>
  );
}

function Headers({ headers }: { readonly headers: { readonly [name: string]: string } }): VNode {
  return (
    <dl class="headers code">
      {Object.entries(headers).map(([name, value]) => (
        <div key={name}>
          <dt>{visible(name)}</dt>
          <dd>{visible(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
