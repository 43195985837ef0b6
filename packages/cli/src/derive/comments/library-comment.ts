import ts from "typescript";
import { type DocComment, descriptionOf } from "./comment.ts";

/** The longest description of a type or property from a library. Comments of the author have no limit. */
const MAX_VALUE = 300;
/** The longest description of a function from a library that the author exports. */
const MAX_FUNCTION = 1000;

/** The tags of a library's comment that do not describe a value or its use. `@name` is for the library's own site. */
const DROPPED: ReadonlySet<string> = new Set(["summary", "description", "remarks", "example", "name"]);

/** Whether a symbol is a generic alias. In a library it is a utility, and its comment is about the utility. */
export function isGenericAlias({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some((node) => ts.isTypeAliasDeclaration(node) && node.typeParameters !== undefined);
}

/**
 * Returns the part of a library's comment that a model needs. Libraries write for people who read a page at a time, and
 * a schema repeats such comments for each property.
 */
export function libraryDoc(doc: DocComment, of: "value" | "function" = "value"): DocComment {
  return {
    ...doc,
    text: shorten(descriptionOf(doc), of === "value" ? MAX_VALUE : MAX_FUNCTION),
    tags: doc.tags
      .filter(({ name }) => !DROPPED.has(name))
      .map((tag) => (hasProse(tag.name) ? { ...tag, text: shorten(tag.text, MAX_VALUE) } : tag)),
  };
}

function hasProse(name: string): boolean {
  return name === "param" || name === "returns" || name === "deprecated";
}

/** Drops code and the targets of links. Cuts a text that is still too long after a paragraph or a sentence. */
function shorten(text: string, max: number): string {
  const plain = text
    .replace(/^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1.*$|(?![\s\S]))/gm, "")
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, "$1")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  if (plain.length <= max) return plain;
  const start = plain.slice(0, max + 1);
  const ends = [...start.matchAll(/\n\n|[.!?](?=\s)/g)];
  const paragraph = ends.findLast(([end]) => end === "\n\n");
  if (paragraph) return start.slice(0, paragraph.index).trim();
  const sentence = ends.at(-1);
  if (sentence) return start.slice(0, sentence.index + 1);
  return `${start.slice(0, max).replace(/\s+\S*$/, "")}…`;
}
