import type { TextPlace } from "../model/text-place.ts";
import { inheritedName, inlineText } from "./inline-tags.ts";
import { findTag } from "./tags.ts";

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
  const inherits = inheritedName(body);
  return {
    text: joinLines(text),
    tags: tags.map(({ lines, ...tag }) => ({ ...tag, text: joinLines(lines) })),
    ...(mentions.length > 0 && { mentions }),
    ...(inherits !== undefined && { inherits }),
    ...(at && { place: at }),
  };
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

function joinLines(lines: string[]): string {
  return (
    inlineText(lines.join("\n"))
      .replace(/[ \t]+$/gm, "")
      // The end of a comment, such as in the glob **\/*.ts, can only be written with a backslash.
      .replaceAll("*\\/", "*/")
      .trim()
  );
}
