import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

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
    const value: unknown = parse(text, errors, OPTIONS);
    const [first] = errors;
    if (first !== undefined && text.trim() !== "") {
      throw new SyntaxError(`${printParseErrorCode(first.error)} at ${placeOf(text, first.offset)}`);
    }
    return value ?? {};
  },
  write(text, section, name, entry) {
    const root = parseTree(text, [], OPTIONS);
    const indent = indentOf(text);
    const holder = root && findNodeAtLocation(root, [section]);
    const known = root && findNodeAtLocation(root, [section, name]);
    if (entry === undefined) return known?.parent === undefined ? text : remove(text, known.parent);
    if (root === undefined) return `${JSON.stringify({ [section]: { [name]: entry } }, undefined, indent)}\n`;
    if (known !== undefined) return replace(text, known, layOut(entry, indent, 2));
    if (holder === undefined) return insertFirst(text, root, section, layOut({ [name]: entry }, indent, 1), indent, 1);
    return insertFirst(text, holder, name, layOut(entry, indent, 2), indent, 2);
  },
};

/** Serializes a value, indented for a place `depth` levels deep. */
function layOut(value: object, indent: string, depth: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll("\n", `\n${indent.repeat(depth)}`);
}

function replace(text: string, { offset, length }: Node, value: string): string {
  return text.slice(0, offset) + value + text.slice(offset + length);
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

function indentOf(text: string): string {
  return /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
