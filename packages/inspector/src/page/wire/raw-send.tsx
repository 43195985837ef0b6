import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useApp } from "../state/app.ts";

const EXAMPLE = '{"jsonrpc":"2.0","id":"mine","method":"ping"}';

/** Sends any text to the server as it is, also what is not JSON. */
export function RawSend(): VNode {
  const { api, revision, report } = useApp();
  const [text, setText] = useState(EXAMPLE);
  const send = () => {
    api.post("raw", { revision, text }).catch(report);
  };
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
          send();
        }}
      />
      <button type="button" onClick={send}>
        Send
      </button>
    </div>
  );
}
