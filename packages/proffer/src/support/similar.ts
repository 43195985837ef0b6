/** Longer names are not compared, and no more candidates than these: see `findSimilar`. */
const MAX_LENGTH = 64;
const MAX_CANDIDATES = 1000;
const MAX_EDITS = 2;

/**
 * Returns the candidate with the fewest edits between it and `name`, if there are at most `most`. Any client can trigger
 * this search with any name, so its cost is bounded: at most 13 comparisons of 64 characters for each of at most 1,000
 * candidates.
 */
export function findSimilar(name: string, candidates: Iterable<string>, most: number = MAX_EDITS): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  let similar: string | undefined;
  // In a name of three characters, two edits leave nothing to recognize.
  let edits = Math.min(most, name.length >> 1);
  let compared = 0;
  for (const candidate of candidates) {
    if (edits < 1 || compared++ === MAX_CANDIDATES) break;
    while (edits > 0 && isWithin(edits, name, 0, candidate, 0)) {
      similar = candidate;
      edits--;
    }
  }
  return similar;
}

/** Whether the rest of `a` becomes the rest of `b` by inserting, removing or replacing at most `edits` characters. */
function isWithin(edits: number, a: string, i: number, b: string, j: number): boolean {
  if (Math.abs(a.length - i - (b.length - j)) > edits) return false;
  while (i < a.length && a[i] === b[j]) {
    i++;
    j++;
  }
  if (i === a.length && j === b.length) return true;
  if (edits === 0) return false;
  const left = edits - 1;
  return isWithin(left, a, i + 1, b, j + 1) || isWithin(left, a, i + 1, b, j) || isWithin(left, a, i, b, j + 1);
}
