/** Words that say nothing about a tool. */
const FILLERS = new Set(
  "a an and any are as at be by for from given if in into is it its of on one or some that the their this to with you your".split(
    " ",
  ),
);

/** Splits names such as `findOrders`, `find_orders` and texts into words in lower case. */
export function wordsOf(text: string): string[] {
  const parts = text.replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2").toLowerCase();
  return parts.match(/[\p{L}\d]+/gu) ?? [];
}

/** The words of a text with a meaning, without their endings. */
export function stemsOf(text: string): Set<string> {
  return new Set(
    wordsOf(text)
      .filter((word) => !FILLERS.has(word))
      .map(stemOf),
  );
}

/** Cuts the common endings of English words, so that `orders` and `order`, `lists` and `listing` are the same. */
export function stemOf(word: string): string {
  if (word.length <= 3) return word;
  const singular = word
    .replace(/(?<=[^aeiou])ies$/, "y")
    .replace(/(?<=s|x|z|ch|sh)es$/, "")
    .replace(/(?<!s|u|i)s$/, "");
  const stem = singular.length > 5 ? singular.replace(/(?:ing|ed)$/, "") : singular;
  return stem.replace(/e$/, "").replace(/([^aeiou])\1$/, "$1");
}

/** How much two sets have in common, from 0 to 1. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const each of a) if (b.has(each)) shared++;
  return shared === 0 ? 0 : shared / (a.size + b.size - shared);
}
