/** A tag of a documentation comment: `@minimum 1` is `{ name: "minimum", text: "1" }`. */
export interface DocTag {
  name: string;
  text: string;
  /** The tag follows other text on its line. */
  inline: boolean;
}

/** A documentation comment without the comment markers. */
export interface DocComment {
  text: string;
  tags: DocTag[];
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
export interface FunctionDoc {
  text: string;
  tags: DocTag[];
  params: NamedDoc[];
  returns: { text: string; tags: DocTag[] };
}

/** Tags that describe a value; each becomes a schema keyword. */
const VALUE_TAGS = [
  "integer",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minItems",
  "maxItems",
  "uniqueItems",
  "default",
  "asType",
  "type",
];

/** Tags that describe a parameter if they follow its text on the same line, and the function otherwise. */
const SHARED_TAGS = ["example", "deprecated", "title"];

/** Tags that name a parameter, or a property of a `@typedef`. */
const NAMING_TAGS = ["param", "arg", "argument", "property", "prop"];

const FUNCTION_TAGS = [
  "returns",
  "return",
  "prompt",
  "resource",
  "mimeType",
  "internal",
  "module",
  "packageDocumentation",
  "remarks",
  "readOnly",
  "destructive",
  "idempotent",
  "openWorld",
  "readOnlyHint",
  "destructiveHint",
  "idempotentHint",
  "openWorldHint",
];

/** The supported tags by their lower-case name, because JSDoc's own `@readonly` means `readOnly` too. */
const CANONICAL_NAMES = new Map(
  [...VALUE_TAGS, ...SHARED_TAGS, ...NAMING_TAGS, ...FUNCTION_TAGS].map((name) => [name.toLowerCase(), name] as const),
);

/** Whether a tag describes a value. */
export function isValueTag({ name, text }: DocTag): boolean {
  // JavaScript declares types with @type; only `@type integer` is a constraint.
  return VALUE_TAGS.includes(name) && (name !== "type" || text === "integer");
}

/**
 * Parses a comment, markers included. Any `@name` at the start of a line is a tag; within a line only the supported
 * tags are, so a mention of @somebody stays text. Code spans and fenced code contain no tags.
 */
export function parseDocComment(comment: string): DocComment {
  const body = comment.replace(/^\/\*\*/, "").replace(/\*\/$/, "");
  const text: string[] = [];
  const tags: (DocTag & { lines: string[] })[] = [];
  let fenced = false;
  for (const raw of body.split(/\r?\n/)) {
    const line = raw.replace(/^\s*\* ?/, "");
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    const pieces = fenced ? [line] : splitAtTags(line);
    for (const [index, piece] of pieces.entries()) {
      const tag = fenced ? null : /^\s*@([A-Za-z][\w-]*)(.*)$/.exec(piece);
      if (tag) tags.push({ name: canonicalName(tag[1] ?? ""), text: "", inline: index > 0, lines: [tag[2] ?? ""] });
      else (tags.at(-1)?.lines ?? text).push(piece);
    }
  }
  return {
    text: joinLines(text),
    tags: tags.map(({ name, inline, lines }) => ({ name, text: joinLines(lines), inline })),
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
  const grouped: FunctionDoc = { text, tags: [], params: [], returns: { text: "", tags: [] } };
  let current: DocTag[] = grouped.tags;
  for (const tag of doc.tags) {
    if (NAMING_TAGS.includes(tag.name)) {
      const param = parseNamedTag(tag.text);
      if (param === undefined) continue;
      grouped.params.push(param);
      current = param.tags;
    } else if (tag.name === "returns" || tag.name === "return") {
      grouped.returns.text = withoutDash(withoutType(tag.text));
      current = grouped.returns.tags;
    } else if (isValueTag(tag) || (SHARED_TAGS.includes(tag.name) && tag.inline)) {
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
  const searchable = line.replace(/`[^`]*`/g, (code) => "`".repeat(code.length));
  const pieces: string[] = [];
  let start = 0;
  for (const match of searchable.matchAll(/(?<=\s)@([A-Za-z]\w*)/g)) {
    const isKnown = CANONICAL_NAMES.has((match[1] ?? "").toLowerCase());
    if (!isKnown || searchable.slice(start, match.index).trim() === "") continue;
    pieces.push(line.slice(start, match.index));
    start = match.index;
  }
  pieces.push(line.slice(start));
  return pieces;
}

function canonicalName(name: string): string {
  return CANONICAL_NAMES.get(name.toLowerCase()) ?? name;
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
  return lines
    .join("\n")
    .replace(
      /\{@link(?:code|plain)?\s+([^}|\s]+)(?:\s*\|\s*|\s+)?([^}]*)\}/g,
      (_, target, label) => label.trim() || target,
    )
    .replace(/[ \t]+$/gm, "")
    .trim();
}
