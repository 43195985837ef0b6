import type { VNode } from "preact";
import type { CallState } from "../../protocol/call.ts";
import { CopyButton } from "../result/copy-button.tsx";
import { LongText } from "../result/long-text.tsx";
import { Link } from "../shell/link.tsx";
import { useApp } from "../state/app.ts";
import { size } from "../text/units.ts";
import { visible } from "../text/visible.ts";
import { useFetched } from "./use-fetched.ts";

const MAX_MESSAGES = 50;

/** The messages of a call, exactly as they were on the wire. */
export function RawTab({ call }: { readonly call: CallState }): VNode {
  const { api, state } = useApp();
  const own = new Set(call.runs.map(({ line }) => line));
  const wanted = state.lines
    .filter(({ n, re }) => own.has(n) || (re !== undefined && own.has(re)))
    .slice(-MAX_MESSAGES);
  const messages = useFetched(
    () => Promise.all(wanted.map(({ n }) => api.post("message", { n }))),
    [api, wanted.map(({ n }) => n).join()],
  );
  if (messages instanceof Error) return <p class="quiet">{visible(messages.message)}</p>;
  if (messages === undefined || messages.length === 0)
    return <p class="quiet">The record has no message of this call.</p>;
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
