import type { VNode } from "preact";
import { matchingBrackets } from "./edits.ts";
import type { Scan } from "./scan.ts";

/** The text in colors, and the numbers of its lines; the text area above it has the text for people and machines. */
export function Highlighted({
  text,
  scan,
  caret,
}: {
  readonly text: string;
  readonly scan: Scan;
  readonly caret: number;
}): VNode {
  const marked = matchingBrackets(scan.tokens, text, caret);
  const parts: (VNode | string)[] = [];
  let at = 0;
  for (const { kind, start, end } of scan.tokens) {
    if (start > at) parts.push(text.slice(at, start));
    at = end;
    const isWrong = scan.error !== undefined && scan.error.at >= start && scan.error.at < end;
    const isMarked = marked.includes(start);
    const source = text.slice(start, end);
    if (kind === "punctuation" && !isWrong && !isMarked) parts.push(source);
    else parts.push(<i class={isWrong ? "wrong" : isMarked ? "marked" : kind}>{source}</i>);
  }
  parts.push(text.slice(at));
  const lines = text.split("\n").length;
  return (
    <>
      <pre class="lines" aria-hidden="true">
        {Array.from({ length: lines }, (_, index) => index + 1).join("\n")}
      </pre>
      <pre class="colors" aria-hidden="true">
        {parts}
        {"\n"}
      </pre>
    </>
  );
}
