import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { size } from "../text/units.ts";
import { visible } from "../text/visible.ts";
import { cutText, textChunks } from "./text-chunks.ts";

/** A text of any length. A long one is cut at first; all of it is drawn in pieces that the browser skips where nobody looks. */
export function LongText({ text, label }: { readonly text: string; readonly label: string }): VNode {
  const [all, setAll] = useState(false);
  const start = useMemo(() => cutText(text), [text]);
  const isCut = start.length < text.length;
  const chunks = useMemo(() => (all ? textChunks(text) : [start]), [all, text, start]);
  return (
    <figure class="long-text" aria-label={label}>
      {chunks.map((chunk, index) => (
        <pre key={index} class={all ? "chunk" : ""}>
          {visible(chunk)}
        </pre>
      ))}
      {isCut && (
        <button type="button" class="plain" onClick={() => setAll(!all)}>
          {all ? "show less" : `show all ${size(text.length)}`}
        </button>
      )}
    </figure>
  );
}
