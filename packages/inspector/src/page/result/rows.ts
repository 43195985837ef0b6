import type { Json, JsonObject } from "../../protocol/data.ts";
import { pointerOf } from "../text/json.ts";

/** A line of the tree of a JSON value. */
export interface TreeRow {
  readonly pointer: string;
  readonly depth: number;
  /** The name of the property or the position of the item; undefined for the root. */
  readonly name: string | undefined;
  readonly value: Json;
  /** Undefined for a value without members. */
  readonly open: boolean | undefined;
  readonly position: number;
  readonly siblings: number;
}

/** At the start, so many rows are open at most. */
const MAX_OPEN = 120;
const MAX_ROWS = 200_000;

/** The pointers of the values that are open at the start: as many levels as fit, of those that are longer than a line. */
export function openAtStart(root: Json): ReadonlySet<string> {
  const open = new Set<string>();
  let rows = 1;
  let level: [Json, (string | number)[]][] = [[root, []]];
  while (level.length > 0) {
    const next: [Json, (string | number)[]][] = [];
    for (const [value, path] of level) {
      const members = membersOf(value);
      if (members.length === 0 || onOneLine(value) !== undefined) continue;
      rows += members.length;
      if (rows > MAX_OPEN && open.size > 0) return open;
      open.add(pointerOf(path));
      for (const [name, member] of members) next.push([member, [...path, name]]);
    }
    level = next;
  }
  return open;
}

/** The rows of a value of which some parts are open. */
export function treeRows(root: Json, isOpen: (pointer: string) => boolean): TreeRow[] {
  const rows: TreeRow[] = [];

  function visit(row: Omit<TreeRow, "open">): void {
    if (rows.length >= MAX_ROWS) return;
    const members = membersOf(row.value);
    const open = members.length === 0 ? undefined : isOpen(row.pointer);
    rows.push({ ...row, open });
    if (!open) return;
    const [depth, siblings] = [row.depth + 1, members.length];
    for (const [index, [name, value]] of members.entries()) {
      visit({ pointer: row.pointer + pointerOf([name]), depth, name, value, position: index + 1, siblings });
    }
  }

  visit({ pointer: "", depth: 0, name: undefined, value: root, position: 1, siblings: 1 });
  return rows;
}

function membersOf(value: Json): [string, Json][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

const MAX_TEXT = 300;

/** The text of a row about its value. */
export function summaryOf(value: Json): string {
  const line = onOneLine(value);
  if (line !== undefined) return line;
  if (Array.isArray(value)) return sizeOf(value);
  if (typeof value === "object" && value !== null) {
    const names = Object.keys(value as JsonObject);
    return `{ ${names.slice(0, 4).join(", ")}${names.length > 4 ? ", …" : ""} }`;
  }
  const text = JSON.stringify(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text;
}

/** The text of a row whose members are on the next ones: their number in brackets. */
export function sizeOf(value: Json): string {
  const count = membersOf(value).length;
  return Array.isArray(value) ? `[ ${count} ]` : `{ ${count} }`;
}

/** A value of at most this length is written on one line. */
const MAX_LINE = 60;

/** Writes a short value on one line, as a person would: `{ dice: [3], total: 3 }`. Undefined for a longer one. */
function onOneLine(value: Json, most = MAX_LINE): string | undefined {
  if (typeof value === "string" && value.length > most) return undefined;
  const text = typeof value === "object" && value !== null ? membersOnOneLine(value, most) : JSON.stringify(value);
  return text !== undefined && text.length <= most ? text : undefined;
}

function membersOnOneLine(value: object, most: number): string | undefined {
  const parts: string[] = [];
  let left = most;
  for (const [name, member] of Object.entries(value)) {
    const text = onOneLine(member, left);
    if (text === undefined) return undefined;
    const part = Array.isArray(value) ? text : `${/^[\w$]+$/.test(name) ? name : JSON.stringify(name)}: ${text}`;
    left -= part.length + 2;
    if (left < 0) return undefined;
    parts.push(part);
  }
  if (Array.isArray(value)) return `[${parts.join(", ")}]`;
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

/** Rows above and below the visible ones, for a scroll between two drawings. */
const MARGIN = 10;

/** Finds the rows that are drawn of a long list whose rows have one height. */
export function windowOf(count: number, rowHeight: number, scrollTop: number, height: number) {
  const visible = Math.ceil(height / rowHeight);
  const top = Math.min(Math.max(0, Math.floor(scrollTop / rowHeight)), Math.max(0, count - visible));
  return { first: Math.max(0, top - MARGIN), end: Math.min(count, top + visible + MARGIN) };
}
