import type { DocComment } from "./doc-comment.ts";

/**
 * Returns the description in a comment: the text of `@summary`, the text before the tags and the text of
 * `@description`. A part that another one contains is left out, because many comments say the same in all three.
 */
export function descriptionOf({ text, tags }: Pick<DocComment, "text" | "tags">): string {
  const textOf = (tag: string) => tags.filter(({ name }) => name === tag).map((found) => found.text);
  const parts = [...textOf("summary"), text, ...textOf("description")].filter(Boolean);
  const [only = ""] = parts;
  if (parts.length < 2) return only;
  const words = parts.map(normalize);
  return parts.filter((_, index) => !isRepeated(index, words)).join("\n\n");
}

/** Whether a longer part, or an equal one before it, has the same words. */
function isRepeated(index: number, parts: readonly string[]): boolean {
  const words = parts[index] ?? "";
  return parts.some((others, at) => {
    return at !== index && others.includes(words) && (others.length > words.length || at < index);
  });
}

function normalize(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/[.!]+$/, "");
}
