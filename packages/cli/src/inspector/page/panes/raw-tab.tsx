import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CallState } from "../../protocol/call.ts";
import type { WireMessage } from "../../protocol/wire.ts";
import { CopyButton } from "../result/copy-button.tsx";
import { LongText } from "../result/long-text.tsx";
import { Link } from "../shell/link.tsx";
import { useApp } from "../state/app.ts";
import { size } from "../text/units.ts";

const MAX_MESSAGES = 50;

/** The messages of a call, exactly as they were on the wire. */
export function RawTab({ call }: { readonly call: CallState }): VNode {
  const { api, state } = useApp();
  const [messages, setMessages] = useState<readonly WireMessage[]>([]);
  const [error, setError] = useState("");
  const own = new Set(call.runs.map(({ line }) => line));
  const wanted = state.lines
    .filter(({ n, re }) => own.has(n) || (re !== undefined && own.has(re)))
    .slice(-MAX_MESSAGES);
  const key = wanted.map(({ n }) => n).join();
  useEffect(() => {
    let isCurrent = true;
    const numbers = key === "" ? [] : key.split(",").map(Number);
    Promise.all(numbers.map((n) => api.post("message", { n }))).then(
      (found) => isCurrent && setMessages(found),
      (failure: Error) => isCurrent && setError(failure.message),
    );
    return () => {
      isCurrent = false;
    };
  }, [api, key]);
  if (messages.length === 0) return <p class="quiet">{error || "The record has no message of this call."}</p>;
  return (
    <>
      {messages.map(({ n, dir, text, bytes, method }) => (
        <section key={n} class="raw">
          <h3>
            {dir === "out" ? "→" : "←"} {method} <span class="quiet">{size(bytes)}</span>{" "}
            <Link to={{ pane: "wire", n }}>on the wire</Link> <CopyButton text={text} label="Copy" />
          </h3>
          <LongText text={text} label={`Message ${n}`} />
        </section>
      ))}
    </>
  );
}
