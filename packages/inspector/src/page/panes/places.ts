import type { SourceView } from "../../protocol/api.ts";

export type SourcePlace = SourceView["places"][number];

/** A line of a source file. */
export interface SourceLine {
  readonly file: number;
  readonly line: number;
}

/** The place of the nearest schema node at or above a pointer. */
export function placeOfPointer(places: readonly SourcePlace[], pointer: string): SourcePlace | undefined {
  let best: SourcePlace | undefined;
  for (const place of places) {
    if (!isWithin(pointer, place.pointer)) continue;
    if (best === undefined || place.pointer.length > best.pointer.length) best = place;
  }
  return best;
}

/** The schema nodes that come from a line: of the smallest piece of source around it. */
export function pointersOfLine(places: readonly SourcePlace[], at: SourceLine): string[] {
  const around = places.filter((place) => coversLine(place, at));
  const smallest = Math.min(...around.map(lengthOf));
  return around.filter((place) => lengthOf(place) === smallest).map(({ pointer }) => pointer);
}

export function coversLine({ place, endLine }: SourcePlace, { file, line }: SourceLine): boolean {
  return place.file === file && place.line <= line && line <= endLine;
}

export function isWithin(pointer: string, above: string): boolean {
  return pointer === above || pointer.startsWith(`${above}/`);
}

function lengthOf({ place, endLine }: SourcePlace): number {
  return endLine - place.line;
}
