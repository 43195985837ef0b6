import type { Styles } from "../terminal/terminal.ts";
import { shorten, Text, text } from "../terminal/text.ts";
import type { LockedList } from "./lock-file.ts";

/**
 * How callers notice a change. `break`: a call that worked fails, or a result lacks a part. `caution`: only unusual
 * calls notice. `new` and `changed`: every caller can continue as before.
 */
export type ChangeLevel = "break" | "caution" | "new" | "changed";

/** One difference between a lock and the module. */
export interface Change {
  readonly level: ChangeLevel;
  readonly list: LockedList;
  /** The name of the item, or its URI. */
  readonly key: string;
  /** A sentence about the change. */
  readonly message: string;
  readonly before?: string;
  readonly after?: string;
  /** How to avoid the break. */
  readonly remedy?: string;
}

/** A change of an item that is known from the context. */
export type Found = Omit<Change, "list" | "key">;

/** A change and its place: the code of the item, or its line in the lock if it is gone. */
export interface PlacedChange extends Change {
  readonly file: string;
  readonly line: number;
}

/** Formats changes, one per line, with a remedy below each break. */
export function formatChanges(changes: readonly PlacedChange[], { red, yellow, green, dim, cyan }: Styles): Text {
  const marks = { break: red("break"), caution: yellow("caution"), new: green("new"), changed: dim("changed") };
  const lines = changes.map(({ level, key, message, before, after, remedy, file, line }) => {
    const values =
      before === undefined && after === undefined ? text`` : text` ${before ?? "none"} → ${after ?? "none"}`;
    const first = text`${file}:${line} ${marks[level]} ${cyan(key)}: ${message}${values}`;
    return remedy === undefined ? first : text`${first}\n  ${dim(remedy)}`;
  });
  return Text.join(lines, "\n");
}

/** The kinds of the items of each list, in words. */
export const KINDS: { readonly [list in LockedList]: string } = {
  tools: "tool",
  prompts: "prompt",
  resources: "resource",
  resourceTemplates: "resource template",
};

/** A longer text is cut in the middle of a line of output. */
const MAX_SHOWN = 80;

/** Returns a value for one line of output. */
export function shown(value: unknown): string {
  const isNames = Array.isArray(value) && value.every((each) => typeof each === "string");
  const text = isNames ? value.join("|") : typeof value === "string" ? value : (JSON.stringify(value) ?? "none");
  return shorten(text, MAX_SHOWN);
}
