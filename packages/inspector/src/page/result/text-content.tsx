import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Json } from "../../protocol/json.ts";
import { parse } from "../form/form-draft.ts";
import { JsonTree } from "./json-tree.tsx";
import { LongText } from "./long-text.tsx";

/** Longer texts are not parsed to see if they are JSON. */
const MAX_PARSED = 2_000_000;

/** A text: JSON as a tree, the rest as it is. */
export function TextContent({ text, label }: { readonly text: string; readonly label: string }): VNode {
  const value = useMemo(() => jsonIn(text), [text]);
  const [exact, setExact] = useState(false);
  if (value === undefined) return <LongText text={text} label={label} />;
  return (
    <>
      {exact ? <LongText text={text} label={label} /> : <JsonTree value={value} label={label} />}
      <button type="button" class="plain" onClick={() => setExact(!exact)}>
        {exact ? "as JSON" : "as sent"}
      </button>
    </>
  );
}

function jsonIn(text: string): Json | undefined {
  if (text.length > MAX_PARSED || !/^\s*[{[]/.test(text)) return undefined;
  const value = parse(text);
  return typeof value === "object" && value !== null ? value : undefined;
}
