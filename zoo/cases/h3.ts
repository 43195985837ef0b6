import { type CoordIJ, type CoordPair, cellToBoundary, cellToLocalIj, gridDisk, latLngToCell } from "h3-js";
import { gives, refuses } from "../expect.ts";

/** Shows a cell. */
export function cell(lat: number, lng: number): { id: string; around: string[]; boundary: CoordPair[]; at: CoordIJ } {
  const id = latLngToCell(lat, lng, 5);
  return { id, around: gridDisk(id, 1), boundary: cellToBoundary(id), at: cellToLocalIj(id, id) };
}
gives(cell, [46.9, 7.4]);
refuses(cell, ["46.9", 7.4]);
