import { decode, encode } from "@jridgewell/sourcemap-codec";

/** A replacement in a text. It must keep the number of lines. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Drops a mapping directly after the edit, so the following code maps to the replaced text. */
  readonly covers?: boolean;
}

/** Applies non-overlapping edits to a text. */
export function splice(text: string, edits: readonly Edit[]): string {
  let result = "";
  let at = 0;
  for (const edit of inOrder(edits)) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

/** Adjusts the mappings of a source map to an edited text: an edit moves the rest of its line. */
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
