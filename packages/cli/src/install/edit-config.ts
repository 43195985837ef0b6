import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parse as parseJsonc,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { parse, stringify } from "smol-toml";
import {
  type Document,
  isMap,
  isScalar,
  type Pair,
  parseDocument,
  stringify as stringifyYaml,
  type YAMLMap,
} from "yaml";

/** Reads and edits one file format. */
export interface Edit {
  /** Parses the text. @throws {Error} with the position of a syntax error. */
  read(text: string): unknown;
  /** Returns the text with an entry set, or removed if it is undefined. Everything else stays unchanged. */
  write(text: string, section: string, name: string, entry: object | undefined): string;
}

const OPTIONS = { allowTrailingComma: true };

/** Edits JSON as text: everything but the entry keeps its formatting and comments. */
export const editJson: Edit = {
  read(text) {
    const errors: ParseError[] = [];
    const value: unknown = parseJsonc(text, errors, OPTIONS);
    const [first] = errors;
    if (first !== undefined && text.trim() !== "") {
      throw new SyntaxError(`${printParseErrorCode(first.error)} at ${placeOf(text, first.offset)}`);
    }
    return value ?? {};
  },
  write(text, section, name, entry) {
    const root = parseTree(text, [], OPTIONS);
    const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
    const holder = root && findNodeAtLocation(root, [section]);
    const known = root && findNodeAtLocation(root, [section, name]);
    if (entry === undefined) return known?.parent === undefined ? text : remove(text, known.parent);
    if (root === undefined) return `${JSON.stringify({ [section]: { [name]: entry } }, undefined, indent)}\n`;
    if (known !== undefined) {
      return text.slice(0, known.offset) + layOut(entry, indent, 2) + text.slice(known.offset + known.length);
    }
    if (holder === undefined) return insertFirst(text, root, section, layOut({ [name]: entry }, indent, 1), indent, 1);
    return insertFirst(text, holder, name, layOut(entry, indent, 2), indent, 2);
  },
};

/** Serializes a value, indented for a place `depth` levels deep. */
function layOut(value: object, indent: string, depth: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll("\n", `\n${indent.repeat(depth)}`);
}

/** Inserts at the beginning of an object, where no trailing comma or comment of the last property interferes. */
function insertFirst(text: string, object: Node, key: string, value: string, indent: string, depth: number): string {
  const start = object.offset + 1;
  const head = `${text.slice(0, start)}\n${indent.repeat(depth)}${JSON.stringify(key)}: ${value}`;
  const rest = text.slice(start);
  if ((object.children ?? []).length > 0) return `${head},${rest}`;
  return /^\s*\}/.test(rest) ? `${head}\n${indent.repeat(depth - 1)}${rest.trimStart()}` : `${head}${rest}`;
}

/** Removes a property with the comma after it, or else the one before it. */
function remove(text: string, property: Node): string {
  const end = property.offset + property.length;
  const siblings = property.parent?.children ?? [];
  const before = siblings[siblings.indexOf(property) - 1];
  const comma = commaAfter(text, end);
  if (comma !== undefined) return withoutLine(text, property.offset, comma + 1);
  const dangling = before && commaAfter(text, before.offset + before.length);
  const rest = withoutLine(text, property.offset, end);
  return dangling === undefined ? rest : rest.slice(0, dangling) + rest.slice(dangling + 1);
}

/** Removes a range, and its line if nothing else is on it. */
function withoutLine(text: string, start: number, end: number): string {
  const head = text.slice(0, start);
  const tail = text.slice(end);
  const isAlone = /\n[ \t]*$/.test(head) && /^[ \t]*\r?\n/.test(tail);
  return isAlone ? head.replace(/[ \t]*$/, "") + tail.replace(/^[ \t]*\r?\n/, "") : head + tail;
}

function commaAfter(text: string, position: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(position);
  scanner.scan();
  return text.charAt(scanner.getTokenOffset()) === "," ? scanner.getTokenOffset() : undefined;
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/**
 * Edits TOML as text: removes the tables of an entry and appends the new ones, so that comments stay. It does not
 * handle all syntax, such as inline tables; the caller parses the result and compares it with the expected value.
 */
export const editToml: Edit = {
  read: (text) => parse(text),
  write(text, section, name, entry) {
    const rest = withoutTables(text, section, name).trimEnd();
    const added = entry === undefined ? "" : stringify({ [section]: { [name]: entry } }).trim();
    return `${[rest, added].filter((part) => part !== "").join("\n\n")}\n`;
  },
};

function withoutTables(text: string, section: string, name: string): string {
  const kept: string[] = [];
  let isOurs = false;
  let remarks: string[] = [];
  for (const line of text.split("\n")) {
    if (/^\s*\[/.test(line)) {
      // Comments above a table belong to it, not to the table before.
      if (isOurs) kept.push(...remarks);
      isOurs = isTableOf(line, section, name);
      remarks = [];
    }
    if (!isOurs) kept.push(line);
    else if (/^\s*(#|$)/.test(line)) remarks.push(line);
    else remarks = [];
  }
  if (isOurs) kept.push(...remarks);
  return kept.join("\n");
}

function isTableOf(line: string, section: string, name: string): boolean {
  const keys = [...line.matchAll(/"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3],
  );
  return keys[0] === section && keys[1] === name;
}

/** Does not wrap long lines. */
const LAYOUT = { lineWidth: 0 };
const INDENT = "  ";

/** Edits block-style YAML as text, so that comments stay in place. */
export const editYaml: Edit = {
  read: (text) => openYaml(text).toJS() ?? {},
  write(text, section, name, entry) {
    const document = openYaml(text);
    const holder = document.get(section);
    const entries = isMap(holder) && !holder.flow && holder.items.length > 0 ? holder : undefined;
    const known = entries?.items.find(({ key }) => isScalar(key) && key.value === name);
    const isInLines = document.contents === null || (isMap(document.contents) && !document.contents.flow);
    if (entry !== undefined && !document.has(section) && isInLines) {
      return `${text.trimEnd()}\n${layOutYaml({ [section]: { [name]: entry } }, "")}`.trimStart();
    }
    const isLastOne = entry === undefined && entries?.items.length === 1;
    if (entries === undefined || isLastOne) return writeWhole(document, section, name, entry);
    const rest = known === undefined ? text : withoutPair(text, known);
    return entry === undefined ? rest : insertFirstPair(rest, section, name, entry);
  },
};

function openYaml(text: string): Document {
  const document = parseDocument(text);
  const [first] = document.errors;
  if (first !== undefined) throw new SyntaxError(first.message);
  return document;
}

/** Serializes the whole document again, for flow style and empty sections. */
function writeWhole(document: Document, section: string, name: string, entry: object | undefined): string {
  if (entry === undefined) document.deleteIn([section, name]);
  else if (isMap(document.get(section))) document.setIn([section, name], entry);
  else document.set(section, { [name]: entry });
  return document.toString(LAYOUT);
}

function insertFirstPair(text: string, section: string, name: string, entry: object): string {
  const document = openYaml(text);
  const [first] = (document.get(section) as YAMLMap | undefined)?.items ?? [];
  if (first === undefined) return writeWhole(document, section, name, entry);
  const start = startOf(text, first);
  const indent = /^ */.exec(text.slice(start))?.[0] ?? "";
  return text.slice(0, start) + layOutYaml({ [name]: entry }, indent) + text.slice(start);
}

function withoutPair(text: string, pair: Pair): string {
  const end = (pair.value as { range?: [number, number, number] } | null)?.range?.[1] ?? text.length;
  return text.slice(0, startOf(text, pair)) + text.slice(end).replace(/^[ \t]*\n/, "");
}

/** Returns the offset of the line of a pair. */
function startOf(text: string, { key }: Pair): number {
  const offset = (key as { range?: [number, number, number] }).range?.[0] ?? 0;
  return text.lastIndexOf("\n", offset - 1) + 1;
}

function layOutYaml(value: object, indent: string): string {
  return stringifyYaml(value, { ...LAYOUT, indent: INDENT.length }).replace(/^(?=.)/gm, indent);
}
