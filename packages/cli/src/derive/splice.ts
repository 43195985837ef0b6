import { decode, encode } from "@jridgewell/sourcemap-codec";

/** A replacement within one line of a text, or of several lines by as many. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits that do not overlap to a text. */
export function splice(text: string, edits: readonly Edit[]): string {
  let result = "";
  let at = 0;
  for (const edit of inOrder(edits)) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

/** The mappings of a source map after its text was edited: what stands behind an edit on its line has moved. */
export function spliceMappings(mappings: string, text: string, edits: readonly Edit[]): string {
  const lines = decode(mappings);
  const starts = lineStarts(text);
  for (const { start, end, text: inserted } of inOrder(edits).reverse()) {
    const by = inserted.length - (end - start);
    const line = by === 0 ? -1 : lineOf(starts, start);
    for (const segment of lines[line] ?? []) {
      if (segment[0] + (starts[line] ?? 0) >= end) segment[0] += by;
    }
  }
  return encode(lines);
}

function inOrder(edits: readonly Edit[]): Edit[] {
  return [...edits].sort((a, b) => a.start - b.start);
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function lineOf(starts: readonly number[], position: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}
