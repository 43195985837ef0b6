import type { SourceView } from "../../protocol/api.ts";
import type { Json, Place } from "../../protocol/data.ts";
import { pointerOf } from "../text/json.ts";

type SourcePlace = SourceView["places"][number];

/** The place of the nearest schema node at or above a pointer. */
export function placeOfPointer(places: readonly SourcePlace[], pointer: string): SourcePlace | undefined {
  const around = places.filter((place) => isWithin(pointer, place.pointer));
  return around.toSorted((a, b) => b.pointer.length - a.pointer.length)[0];
}

/** The schema nodes that come from a line: of the smallest piece of source around it. */
export function pointersOfLine(places: readonly SourcePlace[], at: Place): string[] {
  const around = places.filter((place) => coversLine(place, at));
  const smallest = Math.min(...around.map(lengthOf));
  return around.filter((place) => lengthOf(place) === smallest).map(({ pointer }) => pointer);
}

export function coversLine({ place, endLine }: SourcePlace, { file, line }: Place): boolean {
  return place.file === file && place.line <= line && line <= endLine;
}

export function isWithin(pointer: string, above: string): boolean {
  return pointer === above || pointer.startsWith(`${above}/`);
}

function lengthOf({ place, endLine }: SourcePlace): number {
  return endLine - place.line;
}

/** A line of formatted JSON and the pointer of the value that it belongs to. */
interface JsonLine {
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
