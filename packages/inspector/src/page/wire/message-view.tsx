import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { HttpHead, JsonObject, WireMessage } from "../../protocol/data.ts";
import { Button, ClientLink, Preformatted } from "../parts/elements.tsx";
import { TabPanel, Tabs, useTab } from "../parts/tabs.tsx";
import { useApp, useFetched } from "../state/app.ts";
import { isCallMethod } from "../state/calls.ts";
import { size, visible } from "../text/format.ts";
import { isObject, parse } from "../text/json.ts";
import { MAX_SHOWN, type Piece, prettyPieces } from "../text/json-text.ts";
import { isResponse } from "./exchange.ts";

const MAX_RAW = 200_000;

/** A message and its response, or its request, side by side. */
export function MessageView({ n }: { readonly n: number | undefined }): VNode {
  const { state } = useApp();
  const line = state.lines.find((line) => line.n === n);
  const answer = useMemo(
    () => state.lines.find((line) => line.re === n && n !== undefined && isResponse(line)),
    [state.lines, n],
  );
  const answers = line !== undefined && isResponse(line);
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
        {first !== undefined && <Message key={first} n={first} pane="request" />}
      </section>
      <section class="response" data-pane="answer" aria-label="Response">
        {second !== undefined ? <Message key={second} n={second} pane="result" /> : <p class="empty">No response.</p>}
      </section>
    </>
  );
}

type View = "pretty" | "raw" | "http";

function Message({ n, pane }: { readonly n: number; readonly pane: "request" | "result" }): VNode | null {
  const { api } = useApp();
  const fetched = useFetched(() => api.post("message", { n }), [n]);
  const message = fetched instanceof Error ? undefined : fetched;
  const tabs: { id: View; label: string }[] = [
    { id: "pretty", label: "Pretty" },
    { id: "raw", label: "Raw" },
  ];
  if (message?.http !== undefined) tabs.push({ id: "http", label: "HTTP" });
  const [view, choose] = useTab(pane, tabs, "pretty");
  if (fetched instanceof Error) return <p class="problem">{visible(fetched.message)}</p>;
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
      <RepeatButton message={message} />
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
      <Button
        label={kind === "meta" ? "{…} show _meta" : `… show all ${size(text.length)}`}
        class="plain"
        onClick={() => setWhole(true)}
      />
    </span>
  );
}

/** Every character as it was; only a very long text is cut until someone wants to see all of it. */
function Raw({ text }: { readonly text: string }): VNode {
  const [whole, setWhole] = useState(text.length <= MAX_RAW);
  return (
    <>
      <Preformatted class="raw" text={whole ? text : text.slice(0, MAX_RAW)} />
      {!whole && <Button label={`Show all ${size(text.length)}`} onClick={() => setWhole(true)} />}
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

/**
 * Puts the arguments of a call into the form, to change them and to call as the page: on the revision of the client, if the
 * call is of a watched one. It is never sent by this click, because a tool may have effects.
 */
function RepeatButton({ message }: { readonly message: WireMessage }): VNode | null {
  const { state, openForm, adjust } = useApp();
  const { kind, dir, method } = message;
  if (kind !== "request" || dir !== "out" || !isCallMethod(method)) return null;
  const { params } = (parse(message.text) ?? {}) as JsonObject;
  if (!isObject(params)) return null;
  const isWatched = state.lanes.some(({ conn, role }) => conn === message.conn && role === "client");
  const open = () => {
    openForm({ method, params });
    if (isWatched && state.revisions.includes(message.revision ?? "")) adjust({ revision: message.revision });
  };
  return (
    <p class="buttons">
      <Button label={isWatched ? "Repeat as me" : "Open in the form"} onClick={open} />{" "}
      <ClientLink conn={message.conn} />
    </p>
  );
}
