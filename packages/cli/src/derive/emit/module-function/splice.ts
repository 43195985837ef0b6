import { decode, encode } from "@jridgewell/sourcemap-codec";

/** A replacement within one line of a text, or of several lines by as many. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** What follows directly is at the place of what was replaced, too. */
  readonly covers?: boolean;
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
  for (const { start, end, text: inserted, covers } of inOrder(edits).reverse()) {
    const by = inserted.length - (end - start);
    const line = lineOf(starts, start);
    const segments = lines[line];
    if (by === 0 || segments === undefined) continue;
    const column = end - (starts[line] ?? 0);
    const kept = segments.filter((segment) => !covers || segment[0] !== column);
    for (const segment of kept) if (segment[0] >= column) segment[0] += by;
    lines[line] = kept;
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
