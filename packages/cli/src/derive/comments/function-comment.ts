import type { TextPlace } from "../model/diagnostics.ts";
import { isBorrowed } from "./borrowed-tags.ts";
import { describesValue, findTag } from "./check-tags.ts";
import { type DocComment, type DocTag, descriptionOf } from "./parse-comment.ts";

/** A tag that names a parameter or property, such as `@param name - text`. */
export interface NamedDoc {
  name: string;
  text: string;
  /** The tags after the text; they describe the same value. `[name=default]` is a tag `@default`. */
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

/** Whether a tag describes a parameter or result if it follows its text on the same line, and the function otherwise. */
function isSharedTag({ name }: DocTag, value: "parameter" | "result"): boolean {
  const tag = findTag(name);
  return tag !== undefined && describesValue(tag) && tag.on.includes(value);
}

/** Matches a path such as `options.items[].name`. */
const PATH = /^[\p{ID_Continue}$]+(?:\[\])?(?:\.[\p{ID_Continue}$-]+(?:\[\])?)*/u;

/** Parses `{type} [name=default] - text`. The type is skipped, because the compiler reads it. */
export function parseNamedTag(text: string, place?: TextPlace): NamedDoc | undefined {
  const untyped = withoutType(text);
  const end = untyped.startsWith("[") ? closing(untyped, "[", "]") : -1;
  if (end < 0) {
    const [name] = PATH.exec(untyped) ?? [];
    return name === undefined ? undefined : { name, text: withoutDash(untyped.slice(name.length)), tags: [] };
  }
  const inner = untyped.slice(1, end).trim();
  const [name] = PATH.exec(inner) ?? [];
  if (name === undefined) return undefined;
  const initial = /^\s*=([\s\S]*)$/.exec(inner.slice(name.length))?.[1]?.trim() ?? "";
  const tags: DocTag[] = [];
  if (initial !== "")
    tags.push({ name: "default", written: "default", text: initial, inline: true, ...(place && { place }) });
  return { name, text: withoutDash(untyped.slice(end + 1)), tags };
}

/** Assigns each tag of a function's comment to the function, a parameter or the result. */
export function groupTags(doc: DocComment): FunctionDoc {
  const grouped: FunctionDoc = { ...doc, tags: [], params: [], returns: { text: "", tags: [] } };
  let current: DocTag[] = grouped.tags;
  for (const tag of doc.tags) {
    if (tag.name === "param" || tag.name === "property") {
      const param = parseNamedTag(tag.text, tag.place);
      if (param === undefined) continue;
      grouped.params.push(param);
      current = param.tags;
    } else if (tag.name === "returns") {
      grouped.returns.text = withoutDash(withoutType(tag.text));
      current = grouped.returns.tags;
    } else if (
      isValueTag(tag) ||
      isBorrowed(tag) ||
      (tag.inline && isSharedTag(tag, current === grouped.returns.tags ? "result" : "parameter"))
    ) {
      current.push(tag);
    } else {
      current = grouped.tags;
      current.push(tag);
    }
  }
  // A single-line comment such as `@prompt Reviews code.` has its description in the tag.
  const text = descriptionOf(grouped) || (doc.tags.find(({ name }) => name === "prompt")?.text ?? "");
  return { ...grouped, text };
}

function withoutType(text: string): string {
  if (!text.startsWith("{") || text.startsWith("{@")) return text;
  const end = closing(text, "{", "}");
  return end < 0 ? text : text.slice(end + 1).trim();
}

/** Returns the index of the bracket that closes the one at the start; -1 if there is none. */
function closing(text: string, open: string, close: string): number {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === open) depth++;
    if (text[index] === close && --depth === 0) return index;
  }
  return -1;
}

/** Drops the separator between a name and its text: a hyphen or dash, or a colon. */
function withoutDash(text: string): string {
  return text.replace(/^\s*(?:(?:--?|[\u2013\u2014])\s+|:\s+)/, "").trim();
}
