import { utf8Length } from "../../support/bytes.ts";
import { amountOf, type Count, fittingEnd, lineEnd, nounFor, type Part, splitBlocks, splitItems } from "./split.ts";

/** What a part of a result shows, and its rest. */
export interface Pieces {
  readonly counts: readonly Count[];
  /** The bytes of the rest, about. */
  readonly restBytes: number;
  /** Splits the rest; call it once. */
  readonly rest: () => Part[];
}

/** An array or a text that was cut. */
interface CutLeaf<Leaf> {
  readonly shown: Leaf;
  readonly pieces: Pieces;
}

/** The size of the whole result with a shorter array or text. */
type SizeWith = (shown: unknown) => number;

/**
 * Cuts an array so that the result has at most `most` bytes; undefined if what is around the array is too large. An
 * element without room in a part makes the rest a text.
 */
export function cutArray(
  items: readonly unknown[],
  room: number,
  most: number,
  sizeWith: SizeWith,
): CutLeaf<readonly unknown[]> | undefined {
  const around = sizeWith([]);
  if (around > room) return undefined;
  const texts = items.map((item) => JSON.stringify(item));
  const fits = (count: number) => count === 0 || sizeWith(items.slice(0, count)) <= most;
  const count = lastTrue(countFitting(texts, most - around), fits);
  const rest = texts.slice(count);
  const sizes = rest.map(utf8Length);
  const isSplit = sizes.every((size) => size + 2 <= room);
  return {
    shown: items.slice(0, count),
    pieces: {
      counts: [{ noun: "items", from: 1, to: count, total: items.length }],
      restBytes: sizes.reduce((sum, size) => sum + size + 1, 2),
      rest: () =>
        isSplit
          ? [...splitItems(rest, room, count, items.length)]
          : [...splitBlocks([{ type: "text", text: `[${rest.join(",")}]` }], room)],
    },
  };
}

/** Cuts a text so that the result, in which it may be escaped, has at most `most` bytes; as for arrays. */
export function cutString(text: string, room: number, most: number, sizeWith: SizeWith): CutLeaf<string> | undefined {
  const around = sizeWith("");
  if (around > room) return undefined;
  let end = 0;
  for (let budget = most - around; budget > 0; ) {
    end = lineEnd(text, 0, budget) || fittingEnd(text, 0, budget);
    const size = sizeWith(text.slice(0, end));
    if (size <= most) break;
    end = 0;
    budget = Math.min(budget - 1, Math.floor((budget * most) / size));
  }
  const block = { type: "text", text } as const;
  const noun = nounFor([block], room);
  const to = amountOf(noun, text.slice(0, end), false);
  return {
    shown: text.slice(0, end),
    pieces: {
      counts: [{ noun, from: 1, to, total: amountOf(noun, text, true) }],
      restBytes: utf8Length(text) - utf8Length(text.slice(0, end)),
      rest: () => [...splitBlocks([block], room, end)],
    },
  };
}

/** How many of the elements fit, with the commas between them, at most. */
function countFitting(items: readonly string[], room: number): number {
  let used = -1;
  let count = 0;
  for (const item of items) {
    used += utf8Length(item) + 1;
    if (used > room) break;
    count++;
  }
  return count;
}

/** The largest number up to `most` for which it holds; it holds for 0. */
function lastTrue(most: number, holds: (count: number) => boolean): number {
  if (holds(most)) return most;
  let [low, high] = [0, most - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
