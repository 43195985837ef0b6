/** A tag of a documentation comment: `@minimum 1` is `{ name: "minimum", text: "1" }`. */
export interface DocTag {
  name: string;
  text: string;
  /** It stood behind other text on its line. */
  inline: boolean;
}

/** A documentation comment without its decoration. */
export interface DocComment {
  text: string;
  tags: DocTag[];
}

/** What a tag with a name says, such as `@param name - text`. */
export interface NamedDoc {
  name: string;
  text: string;
  /** What JavaScript authors write as `[name=default]`. */
  default?: string;
  /** The tags behind it, which are about it. */
  tags: DocTag[];
}

/** The comment of a function, with each tag given to what it is about. */
export interface FunctionDoc {
  text: string;
  tags: DocTag[];
  params: NamedDoc[];
  returns: { text: string; tags: DocTag[] };
}

/** Tags that describe a value: its schema's keywords. */
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

/** Tags that describe a value or the function, by where they stand: behind a parameter's text, or on their own line. */
const SHARED_TAGS = ["example", "deprecated", "title"];

/** Tags with a name: of parameters, and of the properties of a `@typedef`. */
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

/** Spelling of the tags that mean something here, by their lower case: JSDoc's own `@readonly` is `readOnly` too. */
const SPELLING = new Map(
  [...VALUE_TAGS, ...SHARED_TAGS, ...NAMING_TAGS, ...FUNCTION_TAGS].map((name) => [name.toLowerCase(), name] as const),
);

/** Whether a tag says something about a value. */
export function isValueTag({ name, text }: DocTag): boolean {
  // JavaScript declares types by @type.
  return VALUE_TAGS.includes(name) && (name !== "type" || text === "integer");
}

/**
 * Reads the text of a comment from its opening to its closing mark. A line that starts with `@` starts a tag; inside a
 * line only the tags known here do, so that a mention of @somebody stays text. Code is never read for tags.
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
      if (tag) tags.push({ name: spelled(tag[1] ?? ""), text: "", inline: index > 0, lines: [tag[2] ?? ""] });
      else (tags.at(-1)?.lines ?? text).push(piece);
    }
  }
  return {
    text: clean(text),
    tags: tags.map(({ name, inline, lines }) => ({ name, text: clean(lines), inline })),
  };
}

/** Reads `{type} [name=default] - text`; the type is the compiler's business. */
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

/** Gives each tag of a function's comment to the function, a parameter or the result. */
export function groupTags(doc: DocComment): FunctionDoc {
  // `@prompt Reviews code.` is what authors write on a single line.
  const text = doc.text || (doc.tags.find(({ name }) => name === "prompt")?.text ?? "");
  const grouped: FunctionDoc = { text, tags: [], params: [], returns: { text: "", tags: [] } };
  let about: DocTag[] = grouped.tags;
  for (const tag of doc.tags) {
    if (NAMING_TAGS.includes(tag.name)) {
      const param = parseNamedTag(tag.text);
      if (param === undefined) continue;
      grouped.params.push(param);
      about = param.tags;
    } else if (tag.name === "returns" || tag.name === "return") {
      grouped.returns.text = withoutDash(withoutType(tag.text));
      about = grouped.returns.tags;
    } else if (isValueTag(tag) || (SHARED_TAGS.includes(tag.name) && tag.inline)) {
      about.push(tag);
    } else {
      about = grouped.tags;
      about.push(tag);
    }
  }
  return grouped;
}

/** Cuts a line before each known tag that follows a space, outside of code spans. */
function splitAtTags(line: string): string[] {
  const searchable = line.replace(/`[^`]*`/g, (code) => "`".repeat(code.length));
  const pieces: string[] = [];
  let start = 0;
  for (const match of searchable.matchAll(/(?<=\s)@([A-Za-z]\w*)/g)) {
    const isKnown = SPELLING.has((match[1] ?? "").toLowerCase());
    if (!isKnown || searchable.slice(start, match.index).trim() === "") continue;
    pieces.push(line.slice(start, match.index));
    start = match.index;
  }
  pieces.push(line.slice(start));
  return pieces;
}

function spelled(name: string): string {
  return SPELLING.get(name.toLowerCase()) ?? name;
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

function clean(lines: string[]): string {
  return lines
    .join("\n")
    .replace(
      /\{@link(?:code|plain)?\s+([^}|\s]+)(?:\s*\|\s*|\s+)?([^}]*)\}/g,
      (_, target, label) => label.trim() || target,
    )
    .replace(/[ \t]+$/gm, "")
    .trim();
}
