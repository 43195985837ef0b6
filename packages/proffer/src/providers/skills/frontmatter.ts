import { UsageError } from "../../support/usage-error.ts";

/** A value of the frontmatter, as JSON. */
export type FrontmatterValue =
  | string
  | number
  | boolean
  | null
  | readonly FrontmatterValue[]
  | { readonly [key: string]: FrontmatterValue };

/** The frontmatter at the start of a file, and the text behind it. */
export interface Frontmatter {
  readonly fields: { readonly [key: string]: FrontmatterValue };
  readonly body: string;
  /** Values that readers of YAML 1.1 and 1.2 understand differently, each as a sentence. */
  readonly warnings: readonly string[];
}

/** In characters. A host holds the frontmatter of every skill in its context. */
const MAX_LENGTH = 64 * 1024;
const MAX_DEPTH = 16;

/**
 * Reads the YAML frontmatter of a file. Of YAML it knows maps, lists, scalars, quoted texts and blocks of text; it refuses
 * the rest, because hosts compare the frontmatter with their own reading of the file.
 * @throws {UsageError} with the line, for anything that it does not know.
 */
export function readFrontmatter(text: string, file: string): Frontmatter {
  const [first = "", ...lines] = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  const end = lines.findIndex((line) => /^(?:---|\.\.\.)\s*$/.test(line));
  if (!/^---\s*$/.test(first) || end === -1)
    throw new UsageError(
      `${file} must begin with YAML frontmatter between two lines of ---, with name and description.`,
    );
  const head = lines.slice(0, end);
  if (head.join("\n").length > MAX_LENGTH)
    throw new UsageError(`${file}: the frontmatter exceeds ${MAX_LENGTH} characters.`);
  const reader = new Reader(head, file);
  return { fields: reader.document(), body: lines.slice(end + 1).join("\n"), warnings: reader.warnings };
}

/** `key:`, with a plain or a quoted key, and the rest of the line. */
const KEY =
  /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s"'#,[\]{}&*!|>%@`?:-](?:[^:#]|:(?=\S)|(?<=\S)#)*?|[?:-][^\s:#]+))\s*:(?:\s+(.*))?$/;
const ITEM = /^-(?:\s+(.*))?$/;
const QUOTED = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(?=\s*(?:$|\s#))/;
const BLOCK = /^([|>])([+-]?)\s*(?:#.*)?$/;

/** What YAML 1.2 calls its core schema. */
const NULL = /^(?:null|Null|NULL|~|)$/;
const BOOLEAN = /^(?:true|True|TRUE|false|False|FALSE)$/;
const INTEGER = /^(?:[-+]?\d+|0o[0-7]+|0x[\da-fA-F]+)$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
/** Texts that are another type in YAML 1.1: booleans, octal and sexagesimal numbers, numbers with "_", dates; and 1.0. */
const AMBIGUOUS =
  /^(?:y|n|yes|no|on|off|[-+]?0\d+|0o[0-7]+|0b[01_]+|[-+]?\d[\d_]*_[\d_]*(?:\.\d*)?|[-+]?\d+(?::[0-5]?\d)+(?:\.\d*)?|\d{4}-\d\d?-\d\d?(?:[Tt ].*)?|[-+]?\d+\.(?:\d*0)?)$/i;

interface Line {
  readonly number: number;
  readonly indent: number;
  readonly text: string;
}

class Reader {
  readonly warnings: string[] = [];
  readonly #file: string;
  /** All lines, also empty ones, for blocks of text. */
  readonly #raw: readonly string[];
  #at = 0;

  constructor(lines: readonly string[], file: string) {
    this.#raw = lines;
    this.#file = file;
  }

  document(): { readonly [key: string]: FrontmatterValue } {
    const line = this.#peek();
    if (line === undefined) return {};
    if (line.indent > 0 || ITEM.test(line.text)) throw this.#bad(line.number, "must be a field such as name: refunds");
    const fields = this.#map(0, 0);
    const rest = this.#peek();
    if (rest !== undefined) throw this.#bad(rest.number, "has an indentation that fits no line above");
    return fields;
  }

  /** The next line that is neither empty nor a comment. */
  #peek(): Line | undefined {
    for (; this.#at < this.#raw.length; this.#at++) {
      const raw = this.#raw[this.#at] as string;
      const text = raw.trim();
      if (text === "" || text.startsWith("#")) continue;
      if (/^ *\t/.test(raw)) throw this.#bad(this.#at, "is indented with a tab: use spaces");
      return { number: this.#at, indent: raw.length - raw.trimStart().length, text };
    }
    return undefined;
  }

  #map(indent: number, depth: number): { readonly [key: string]: FrontmatterValue } {
    this.#checkDepth(depth);
    const fields = new Map<string, FrontmatterValue>();
    for (let line = this.#peek(); line?.indent === indent && !ITEM.test(line.text); line = this.#peek()) {
      const match = KEY.exec(line.text);
      if (match === null)
        throw this.#bad(line.number, "must be key: value; quote a text that contains special characters");
      const [, double, single, plain, rest = ""] = match;
      const key =
        double === undefined ? (single?.replaceAll("''", "'") ?? (plain as string)) : this.#unescape(`"${double}"`);
      if (fields.has(key)) throw this.#bad(line.number, `has the key ${JSON.stringify(key)} a second time`);
      this.#at++;
      fields.set(key, this.#value(rest, indent, depth, line.number, true));
    }
    // An own property, also for a key such as __proto__.
    return Object.fromEntries(fields);
  }

  #list(indent: number, depth: number): readonly FrontmatterValue[] {
    this.#checkDepth(depth);
    const items: FrontmatterValue[] = [];
    for (let line = this.#peek(); line?.indent === indent; line = this.#peek()) {
      const rest = ITEM.exec(line.text)?.[1] ?? "";
      if (!ITEM.test(line.text)) break;
      if (KEY.test(rest) || ITEM.test(rest))
        throw this.#bad(line.number, "has a map or a list behind a dash: write it on the lines below, indented");
      this.#at++;
      items.push(this.#value(rest, indent, depth, line.number, false));
    }
    return items;
  }

  /** The value behind a key or a dash: on the same line, or on the lines below with more indentation. */
  #value(rest: string, indent: number, depth: number, number: number, behindKey: boolean): FrontmatterValue {
    const block = BLOCK.exec(rest);
    if (block !== null) return this.#block(indent, block[1] === ">", block[2] as string);
    if (rest !== "" && !rest.startsWith("#")) return this.#scalar(rest, indent, number);
    const next = this.#peek();
    if (next === undefined) return null;
    const isList = ITEM.test(next.text);
    // YAML lets a list begin at the indentation of its key.
    if (next.indent <= indent && !(isList && behindKey && next.indent === indent)) return null;
    if (isList) return this.#list(next.indent, depth + 1);
    if (KEY.test(next.text)) return this.#map(next.indent, depth + 1);
    this.#at++;
    return this.#scalar(next.text, indent, next.number);
  }

  #scalar(text: string, indent: number, number: number): FrontmatterValue {
    const quoted = QUOTED.exec(text)?.[0];
    if (quoted !== undefined) return this.#quoted(quoted, number);
    if (text.startsWith("[")) return this.#flow(text, number);
    if (/^[&*!|>%@`{"'\],}]|^[?-](?:\s|$)/.test(text))
      throw this.#bad(
        number,
        `has ${JSON.stringify(text[0])}, which is not supported here: put the whole value in quotes`,
      );
    const parts = [withoutComment(text)];
    // A plain text goes on while lines are indented more than its key; an empty line is a line break.
    if (parts[0] === text) parts.push(...this.#continued(indent));
    const whole = fold(parts);
    if (/:(?:\s|$)/.test(whole)) throw this.#bad(number, `has a colon in a text without quotes: put it in quotes`);
    return parts.length > 1 ? whole : this.#plain(whole, number);
  }

  #continued(indent: number): string[] {
    const parts: string[] = [];
    for (let at = this.#at; at < this.#raw.length; at++) {
      const raw = this.#raw[at] as string;
      const text = raw.trim();
      if (text !== "" && (raw.length - raw.trimStart().length <= indent || text.startsWith("#"))) break;
      parts.push(withoutComment(text));
      if (text !== "") this.#at = at + 1;
    }
    while (parts.at(-1) === "") parts.pop();
    return parts;
  }

  #plain(text: string, number: number): FrontmatterValue {
    if (AMBIGUOUS.test(text))
      this.warnings.push(
        `${this.#file}:${number + 2}: ${text} is not the same in YAML 1.1, YAML 1.2 and JSON. Put it in quotes.`,
      );
    if (NULL.test(text)) return null;
    if (BOOLEAN.test(text)) return text.toLowerCase() === "true";
    if (!INTEGER.test(text) && !FLOAT.test(text)) {
      if (/^[-+]?\.(?:inf|nan)$/i.test(text)) throw this.#bad(number, `has ${text}, which JSON cannot express`);
      return text;
    }
    const value = Number(text);
    if (Number.isFinite(value)) return value;
    throw this.#bad(number, `has a number that is too large: put it in quotes`);
  }

  #quoted(text: string, number: number): string {
    if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
    try {
      return this.#unescape(text);
    } catch {
      throw this.#bad(number, "has an escape in double quotes that JSON does not know: use single quotes");
    }
  }

  #unescape(text: string): string {
    return JSON.parse(text) as string;
  }

  /** `[a, "b"]` on one line. */
  #flow(text: string, number: number): readonly FrontmatterValue[] {
    const inside = /^\[(.*)\]\s*(?:#.*)?$/.exec(text)?.[1]?.trim();
    const items = inside === undefined || inside === "" ? [] : [...inside.matchAll(FLOW_ITEM)];
    if (inside === undefined || items.map(([all]) => all).join("") !== inside)
      throw this.#bad(
        number,
        "has a list in brackets that is not plain or quoted texts on one line: use lines with dashes",
      );
    return items.map(([, quoted, plain]) =>
      quoted === undefined ? this.#plain((plain as string).trim(), number) : this.#quoted(quoted, number),
    );
  }

  /** A block of text: `|` keeps its line breaks, `>` joins lines with spaces. */
  #block(indent: number, isFolded: boolean, chomp: string): string {
    const lines: string[] = [];
    let own: number | undefined;
    for (; this.#at < this.#raw.length; this.#at++) {
      const raw = this.#raw[this.#at] as string;
      const width = raw.length - raw.trimStart().length;
      if (raw.trim() !== "") {
        if (width <= indent) break;
        own ??= width;
        if (width < own) throw this.#bad(this.#at, "is indented less than the first line of its text");
      }
      lines.push(raw.slice(own ?? width));
    }
    const last = lines.findLastIndex((line) => line.trim() !== "");
    const trailing = lines.length - 1 - last;
    const kept = lines.slice(0, last + 1);
    if (isFolded && kept.some((line) => /^\s/.test(line)))
      throw this.#bad(this.#at - 1, "ends a text behind > that has lines with more indentation: use |");
    const text = isFolded ? fold(kept) : kept.join("\n");
    if (chomp === "-" || kept.length === 0) return text;
    return `${text}\n${chomp === "+" ? "\n".repeat(trailing) : ""}`;
  }

  #checkDepth(depth: number): void {
    if (depth > MAX_DEPTH) throw this.#bad(this.#at, `is nested more than ${MAX_DEPTH} levels deep`);
  }

  /** Lines count from the first line of the file. */
  #bad(number: number, problem: string): UsageError {
    return new UsageError(`${this.#file}:${number + 2} ${problem}.`);
  }
}

const FLOW_ITEM = /\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|([^\s,[\]{}"'&*!|>%@`#][^,[\]{}#]*))\s*(?:,|$)/g;

function withoutComment(text: string): string {
  return text.replace(/\s+#.*$/, "");
}

/** Joins lines with spaces; an empty line is a line break. */
function fold(lines: readonly string[]): string {
  let text = "";
  let breaks = 0;
  for (const [index, line] of lines.entries()) {
    if (line === "") breaks += 1;
    else {
      text += breaks > 0 ? "\n".repeat(breaks) : index > 0 ? " " : "";
      text += line;
      breaks = 0;
    }
  }
  return text;
}
