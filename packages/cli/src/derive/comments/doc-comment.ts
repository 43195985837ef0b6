import type { TextPlace } from "../model/text-place.ts";
import { describesValue, findTag } from "./tags.ts";

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
}

/** A tag that names a parameter or property, such as `@param name - text`. */
export interface NamedDoc {
  name: string;
  text: string;
  /** The default of the JSDoc form `[name=default]`. */
  default?: string;
  /** The tags after the text; they describe the same value. */
  tags: DocTag[];
}

/** The comment of a function, with its tags grouped by the function, its parameters and its result. */
export interface FunctionDoc extends DocComment {
  params: NamedDoc[];
  returns: { text: string; tags: DocTag[] };
}

/** Whether a tag describes a value, and nothing else. */
export function isValueTag({ name, text }: DocTag): boolean {
  const tag = findTag(name);
  // JavaScript declares types with @type; only `@type integer` is a constraint.
  return tag !== undefined && describesValue(tag, true) && tag.value.parse(text, {}) !== "foreign";
}

/** Whether a tag describes a parameter if it follows its text on the same line, and the function otherwise. */
function isSharedTag({ name }: DocTag): boolean {
  const tag = findTag(name);
  return tag !== undefined && describesValue(tag);
}

/**
 * Parses a comment, markers included. Any `@name` at the start of a line is a tag; within a line only the supported
 * tags are, so a mention of @somebody stays text. Code spans and fenced code contain no tags.
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
  return {
    text: joinLines(text),
    tags: tags.map(({ lines, ...tag }) => ({ ...tag, text: joinLines(lines) })),
    ...(mentions.length > 0 && { mentions }),
  };
}

/** Parses `{type} [name=default] - text`. The type is skipped, because the compiler reads it. */
export function parseNamedTag(text: string): NamedDoc | undefined {
  const untyped = withoutType(text);
  const match = /^(?:\[\s*([\p{ID_Continue}$.]+)\s*(?:=([^\]]*))?\]|([\p{ID_Continue}$.]+))\s*([\s\S]*)$/u.exec(
    untyped,
  );
  if (!match) return undefined;
  const [, bracketed, initial, bare, rest = ""] = match;
  const doc: NamedDoc = { name: bracketed ?? bare ?? "", text: withoutDash(rest), tags: [] };
  if (initial !== undefined) doc.default = initial.trim();
  return doc;
}

/** Assigns each tag of a function's comment to the function, a parameter or the result. */
export function groupTags(doc: DocComment): FunctionDoc {
  // A single-line comment such as `@prompt Reviews code.` has its description in the tag.
  const text = doc.text || (doc.tags.find(({ name }) => name === "prompt")?.text ?? "");
  const grouped: FunctionDoc = { ...doc, text, tags: [], params: [], returns: { text: "", tags: [] } };
  let current: DocTag[] = grouped.tags;
  for (const tag of doc.tags) {
    if (tag.name === "param" || tag.name === "property") {
      const param = parseNamedTag(tag.text);
      if (param === undefined) continue;
      grouped.params.push(param);
      current = param.tags;
    } else if (tag.name === "returns") {
      grouped.returns.text = withoutDash(withoutType(tag.text));
      current = grouped.returns.tags;
    } else if (isValueTag(tag) || (isSharedTag(tag) && tag.inline)) {
      current.push(tag);
    } else {
      current = grouped.tags;
      current.push(tag);
    }
  }
  return grouped;
}

/** Splits a line before each supported tag that follows a space, outside code spans. */
function splitAtTags(line: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (const { index, 1: name = "" } of mentionsIn(line)) {
    if (findTag(name) === undefined || line.slice(start, index).trim() === "") continue;
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

function withoutType(text: string): string {
  if (!text.startsWith("{") || text.startsWith("{@")) return text;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "{") depth++;
    if (text[index] === "}" && --depth === 0) return text.slice(index + 1).trim();
  }
  return text;
}

function withoutDash(text: string): string {
  return text.replace(/^\s*-\s+/, "").trim();
}

function joinLines(lines: string[]): string {
  return (
    lines
      .join("\n")
      .replace(
        /\{@link(?:code|plain)?\s+([^}|\s]+)(?:\s*\|\s*|\s+)?([^}]*)\}/g,
        (_, target, label) => label.trim() || target,
      )
      .replace(/[ \t]+$/gm, "")
      // The end of a comment, such as in the glob **\/*.ts, can only be written with a backslash.
      .replaceAll("*\\/", "*/")
      .trim()
  );
}
