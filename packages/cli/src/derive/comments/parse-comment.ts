import type { TextPlace } from "../model/diagnostics.ts";
import { borrowedTag } from "./borrowed-tags.ts";
import { findTag } from "./check-tags.ts";

/** A tag of a documentation comment: `@minimum 1` is `{ name: "minimum", text: "1" }`. */
export interface DocTag {
  /** The name in the table of tags, or as it was written. */
  name: string;
  /** The name as it was written. */
  written: string;
  text: string;
  /** The tag follows other text on its line. */
  inline: boolean;
  place?: TextPlace;
}

/** A word of a text that begins with @ and is not a tag. */
export type Mention = Pick<DocTag, "written" | "place">;

/** A documentation comment without the comment markers. */
export interface DocComment {
  text: string;
  tags: DocTag[];
  mentions?: Mention[];
  /** The text of `{@inheritDoc name}`: the name, or nothing for the member of the base type. */
  inherits?: string;
  /** The place of the comment. */
  place?: TextPlace;
}

/**
 * Parses a comment, markers included. Any `@name` at the start of a line is a tag; within a line only the supported
 * tags and the constraints of other libraries are, so a mention of @somebody stays text. Code spans and fenced code contain no tags.
 */
export function parseDocComment(comment: string, at?: TextPlace): DocComment {
  const body = comment.replace(/^\/\*\*/, "   ").replace(/\*\/$/, "");
  const text: string[] = [];
  const tags: (DocTag & { lines: string[] })[] = [];
  const mentions: Mention[] = [];
  const placeOf = (offset: number) => (at ? { place: { file: at.file, pos: at.pos + offset } } : {});
  let fenced = false;
  let start = 0;
  for (const raw of body.split("\n")) {
    const line = raw.replace(/\r$/, "").replace(/^\s*\* ?/, "");
    let offset = start + raw.replace(/\r$/, "").length - line.length;
    start += raw.length + 1;
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    for (const [index, piece] of (fenced ? [line] : splitAtTags(line)).entries()) {
      const [, indent = "", written, rest = ""] = (fenced ? null : /^(\s*)@([A-Za-z][\w-]*)(.*)$/.exec(piece)) ?? [];
      if (written !== undefined) {
        const name = findTag(written)?.name ?? written;
        const place = placeOf(offset + indent.length);
        tags.push({ name, written, text: "", inline: index > 0, ...place, lines: [rest] });
      } else (tags.at(-1)?.lines ?? text).push(piece);
      for (const { index: found, 1: word = "" } of fenced ? [] : mentionsIn(piece)) {
        if (written === undefined || found > indent.length)
          mentions.push({ written: word, ...placeOf(offset + found) });
      }
      offset += piece.length;
    }
  }
  const [inherit, inherited = ""] = INHERIT.exec(body) ?? [];
  return {
    text: joinLines(text),
    tags: tags.map(({ lines, ...tag }) => ({ ...tag, text: joinLines(lines) })),
    ...(mentions.length > 0 && { mentions }),
    ...(inherit !== undefined && { inherits: inherited.trim() }),
    ...(at && { place: at }),
  };
}

/** Splits a line before each supported or borrowed tag that follows a space, outside code spans. */
function splitAtTags(line: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  const mentions = [...mentionsIn(line)];
  for (const [at, { index, 1: name = "" }] of mentions.entries()) {
    if (line.slice(start, index).trim() === "") continue;
    const text = line.slice(index + 1 + name.length, mentions[at + 1]?.index);
    if (findTag(name) === undefined && borrowedTag(name, text) === undefined) continue;
    pieces.push(line.slice(start, index));
    start = index;
  }
  pieces.push(line.slice(start));
  return pieces;
}

/** Finds the words that begin with @ and follow a space or the start, outside code spans. */
function mentionsIn(line: string): Iterable<RegExpExecArray> {
  const searchable = line.replace(/`[^`]*`/g, (code) => "`".repeat(code.length));
  return searchable.matchAll(/(?<=\s|^)@([A-Za-z]\w*)/g);
}

function joinLines(lines: string[]): string {
  return (
    inlineText(lines.join("\n"))
      .replace(/[ \t]+$/gm, "")
      // The end of a comment, such as in the glob **\/*.ts, can only be written with a backslash.
      .replaceAll("*\\/", "*/")
      .trim()
  );
}

/** `{@inheritDoc}` of TSDoc, `{@inheritdoc}` and `@inheritdoc` of JSDoc, with or without a name. */
const INHERIT = /\{@inheritdoc\b\s*([^}]*)\}|(?<=^[\s*]*)@inheritdoc\b/im;

/** Replaces the inline tags of a text, such as `{@link target | label}`, with the text that a reader sees. */
function inlineText(text: string): string {
  return text
    .replace(/\[([^\]]+)\]\{@link(?:code|plain)?\s[^}]*\}/g, (_, label) => label.trim())
    .replace(/\{@(\w+)(?:\s+([^{}]*))?\}/g, (_, name: string, content = "") => shownText(name, content.trim()));
}

const LINKS: ReadonlySet<string> = new Set(["link", "linkcode", "linkplain", "see", "tutorial"]);
const HIDDEN: ReadonlySet<string> = new Set(["inheritdoc", "label", "include", "includecode"]);

function shownText(name: string, content: string): string {
  const tag = name.toLowerCase();
  if (HIDDEN.has(tag)) return "";
  if (tag === "code") return `\`${content}\``;
  if (!LINKS.has(tag)) return content;
  const [, target = "", label = ""] = /^([^\s|]*)(?:\s*\|\s*|\s+)?([\s\S]*)$/.exec(content) ?? [];
  return label || target.replace(/^module:/, "");
}

/**
 * Returns the description in a comment: the text of `@summary`, the text before the tags and the text of
 * `@description`. A part that another one contains is left out, because many comments say the same in all three.
 */
export function descriptionOf({ text, tags }: Pick<DocComment, "text" | "tags">): string {
  const textOf = (tag: string) => tags.filter(({ name }) => name === tag).map((found) => found.text);
  const parts = [...textOf("summary"), text, ...textOf("description")].filter(Boolean);
  const [only = ""] = parts;
  if (parts.length < 2) return only;
  const words = parts.map((part) =>
    part
      .toLowerCase()
      .replace(/\s+/g, " ")
      .replace(/[.!]+$/, ""),
  );
  return parts.filter((_, index) => !isRepeated(index, words)).join("\n\n");
}

/** Whether a longer part, or an equal one before it, has the same words. */
function isRepeated(index: number, parts: readonly string[]): boolean {
  const words = parts[index] ?? "";
  return parts.some((others, at) => {
    return at !== index && others.includes(words) && (others.length > words.length || at < index);
  });
}

/** The longest description of a type or property from a library. Comments of the author have no limit. */
const MAX_VALUE = 300;
/** The longest description of a function from a library that the author exports. */
const MAX_FUNCTION = 1000;

/** The tags of a library's comment that do not describe a value or its use. `@name` is for the library's own site. */
const DROPPED: ReadonlySet<string> = new Set(["summary", "description", "remarks", "example", "name"]);
const PROSE_TAGS: ReadonlySet<string> = new Set(["param", "returns", "deprecated"]);

/**
 * Returns the part of a library's comment that a model needs. Libraries write for people, page by page, and
 * a schema repeats such comments for each property.
 */
export function libraryDoc(doc: DocComment, of: "value" | "function" = "value"): DocComment {
  return {
    ...doc,
    text: shorten(descriptionOf(doc), of === "value" ? MAX_VALUE : MAX_FUNCTION),
    tags: doc.tags
      .filter(({ name }) => !DROPPED.has(name))
      .map((tag) => (PROSE_TAGS.has(tag.name) ? { ...tag, text: shorten(tag.text, MAX_VALUE) } : tag)),
  };
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
