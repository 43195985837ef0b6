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

/** The pointers of the values that are open at the start: as many levels as fit. */
export function openAtStart(root: Json): ReadonlySet<string> {
  const open = new Set<string>();
  let rows = 1;
  let level: [Json, (string | number)[]][] = [[root, []]];
  while (level.length > 0) {
    const next: [Json, (string | number)[]][] = [];
    for (const [value, path] of level) {
      const members = membersOf(value);
      if (members.length === 0) continue;
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
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[ ${value.length} ]`;
  if (typeof value === "object" && value !== null) {
    const names = Object.keys(value as JsonObject);
    return names.length === 0 ? "{}" : `{ ${names.slice(0, 4).join(", ")}${names.length > 4 ? ", …" : ""} }`;
  }
  const text = JSON.stringify(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text;
}

/** Rows above and below the visible ones, for a scroll between two drawings. */
const MARGIN = 10;

/** Finds the rows that are drawn of a long list whose rows have one height. */
export function windowOf(count: number, rowHeight: number, scrollTop: number, height: number) {
  const visible = Math.ceil(height / rowHeight);
  const top = Math.min(Math.max(0, Math.floor(scrollTop / rowHeight)), Math.max(0, count - visible));
  return { first: Math.max(0, top - MARGIN), end: Math.min(count, top + visible + MARGIN) };
}
