import type { Json, JsonObject } from "../../protocol/json.ts";
import { pointerOf } from "../form/path.ts";

/** A line of the tree of a JSON value. */
export interface TreeRow {
  readonly pointer: string;
  readonly depth: number;
  /** The name of the property or the position of the item; undefined for the root. */
  readonly name: string | undefined;
  readonly value: Json;
  /** Undefined for what has no members. */
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
      if (members === undefined || members.length === 0) continue;
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

  function visit(
    value: Json,
    pointer: string,
    depth: number,
    name: string | undefined,
    position: number,
    siblings: number,
  ): void {
    if (rows.length >= MAX_ROWS) return;
    const members = membersOf(value);
    const open = members === undefined || members.length === 0 ? undefined : isOpen(pointer);
    rows.push({ pointer, depth, name, value, open, position, siblings });
    if (!open || members === undefined) return;
    for (const [index, [step, member]] of members.entries()) {
      visit(member, pointer + pointerOf([step]), depth + 1, step, index + 1, members.length);
    }
  }

  visit(root, "", 0, undefined, 1, 1);
  return rows;
}

function membersOf(value: Json): [string, Json][] | undefined {
  return typeof value === "object" && value !== null ? Object.entries(value) : undefined;
}

const MAX_TEXT = 300;

/** What a row says about its value. */
export function summaryOf(value: Json): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[ ${value.length} ]`;
  if (typeof value === "object" && value !== null) {
    const names = Object.keys(value as JsonObject);
    return names.length === 0 ? "{}" : `{ ${names.slice(0, 4).join(", ")}${names.length > 4 ? ", …" : ""} }`;
  }
  const text = JSON.stringify(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text;
}
