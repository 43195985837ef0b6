import { type Document, isMap, isScalar, type Pair, parseDocument, stringify, type YAMLMap } from "yaml";
import type { Edit } from "./edit-json.ts";

/** Does not wrap long lines. */
const LAYOUT = { lineWidth: 0 };
const INDENT = "  ";

/** Edits block-style YAML as text, so that comments stay in place. */
export const editYaml: Edit = {
  read: (text) => open(text).toJS() ?? {},
  write(text, section, name, entry) {
    const document = open(text);
    const holder = document.get(section);
    const entries = isMap(holder) && !holder.flow && holder.items.length > 0 ? holder : undefined;
    const known = entries?.items.find((pair) => keyOf(pair) === name);
    const isInLines = document.contents === null || (isMap(document.contents) && !document.contents.flow);
    if (entry !== undefined && !document.has(section) && isInLines) {
      return `${text.trimEnd()}\n${layOut({ [section]: { [name]: entry } }, "")}`.trimStart();
    }
    const isLastOne = entry === undefined && entries?.items.length === 1;
    if (entries === undefined || isLastOne) return writeWhole(document, section, name, entry);
    const rest = known === undefined ? text : without(text, known);
    return entry === undefined ? rest : insertFirst(rest, section, name, entry);
  },
};

function open(text: string): Document {
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

function insertFirst(text: string, section: string, name: string, entry: object): string {
  const document = open(text);
  const [first] = (document.get(section) as YAMLMap | undefined)?.items ?? [];
  if (first === undefined) return writeWhole(document, section, name, entry);
  const start = startOf(text, first);
  const indent = /^ */.exec(text.slice(start))?.[0] ?? "";
  return text.slice(0, start) + layOut({ [name]: entry }, indent) + text.slice(start);
}

function without(text: string, pair: Pair): string {
  const end = (pair.value as { range?: [number, number, number] } | null)?.range?.[1] ?? text.length;
  return text.slice(0, startOf(text, pair)) + text.slice(end).replace(/^[ \t]*\n/, "");
}

/** Returns the offset of the line of a pair. */
function startOf(text: string, { key }: Pair): number {
  const offset = (key as { range?: [number, number, number] }).range?.[0] ?? 0;
  return text.lastIndexOf("\n", offset - 1) + 1;
}

function layOut(value: object, indent: string): string {
  return stringify(value, { ...LAYOUT, indent: INDENT.length }).replace(/^(?=.)/gm, indent);
}

function keyOf({ key }: Pair): unknown {
  return isScalar(key) ? key.value : undefined;
}
