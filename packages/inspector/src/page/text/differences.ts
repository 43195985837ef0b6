import type { Difference, Json, JsonObject } from "../../protocol/data.ts";
import { pointerOf } from "./json.ts";

const MAX_DIFFERENCES = 500;

/** Where two values differ, by JSON pointer and as deep as possible. */
export function differences(before: Json | undefined, after: Json | undefined): readonly Difference[] {
  const found: Difference[] = [];
  compare(before, after, "", found);
  return found;
}

function compare(before: Json | undefined, after: Json | undefined, pointer: string, found: Difference[]): void {
  if (Object.is(before, after) || found.length >= MAX_DIFFERENCES) return;
  if (isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(member(before, key), member(after, key), pointer + pointerOf([key]), found);
    }
    return;
  }
  found.push({
    pointer,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  });
}

function isContainer(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null;
}

function member(value: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** A line of a comparison of two texts. */
interface DiffLine {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/** Beyond this, the changed part is shown as removed and added as a whole. */
const MAX_CELLS = 1_000_000;
const CONTEXT = 2;

/** Compares two texts by lines, with some unchanged lines around each change. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const head = a.slice(Math.max(0, start - CONTEXT), start);
  const tail = a.slice(a.length - end, a.length - end + CONTEXT);
  const changed = compareLines(a.slice(start, a.length - end), b.slice(start, b.length - end));
  if (changed.length === 0) return [];
  return [...head.map(unchanged), ...changed, ...tail.map(unchanged)];
}

function unchanged(text: string): DiffLine {
  return { mark: " ", text };
}

/** By the longest common subsequence. */
function compareLines(a: readonly string[], b: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ mark: "-", text });
  const added = (text: string): DiffLine => ({ mark: "+", text });
  if (a.length * b.length > MAX_CELLS) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const lengthAt = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        a[i] === b[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(unchanged(a[i++] ?? ""));
      j++;
    } else if (i < a.length && (j === b.length || lengthAt(i + 1, j) >= lengthAt(i, j + 1)))
      lines.push(removed(a[i++] ?? ""));
    else lines.push(added(b[j++] ?? ""));
  }
  return lines;
}
