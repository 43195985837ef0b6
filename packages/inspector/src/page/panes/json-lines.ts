import type { Json } from "../../protocol/json.ts";
import { pointerOf } from "../form/path.ts";

/** A line of formatted JSON and the pointer of the value that it belongs to. */
export interface JsonLine {
  readonly text: string;
  readonly pointer: string;
}

const MAX_LINES = 5000;

/** Formats JSON with the pointer of each line. */
export function jsonLines(root: Json): JsonLine[] {
  const lines: JsonLine[] = [];

  function write(value: Json, pointer: string, indent: string, before: string, after: string): void {
    if (lines.length >= MAX_LINES) return;
    const isList = Array.isArray(value);
    const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
    if (members.length === 0) {
      lines.push({ text: `${indent}${before}${JSON.stringify(value)}${after}`, pointer });
      return;
    }
    lines.push({ text: `${indent}${before}${isList ? "[" : "{"}`, pointer });
    for (const [index, [name, member]] of members.entries()) {
      const comma = index < members.length - 1 ? "," : "";
      write(member, pointer + pointerOf([name]), `${indent}  `, isList ? "" : `${JSON.stringify(name)}: `, comma);
    }
    lines.push({ text: `${indent}${isList ? "]" : "}"}${after}`, pointer });
  }

  write(root, "", "", "", "");
  return lines;
}
