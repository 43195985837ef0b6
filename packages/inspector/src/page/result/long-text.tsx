import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Button } from "../parts/elements.tsx";
import { cutText, size, textChunks, visible } from "../text/format.ts";

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
        <Button
          label={all ? "show less" : `show all ${size(text.length)}`}
          class="plain"
          onClick={() => setAll(!all)}
        />
      )}
    </figure>
  );
}
