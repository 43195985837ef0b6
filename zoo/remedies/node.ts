import { type Dirent, readdirSync, type Stats, statSync } from "node:fs";
import { returns } from "../expect.ts";

type Size = Pick<Stats, "size" | "mtime">;

/** Shows a file. */
export async function stat(path: string): Promise<Size> {
  const { size, mtime } = statSync(path);
  return { size, mtime };
}
returns(stat, { size: 5, mtime: new Date(0) });

/** Shows the size of a file. */
export function size(path: string): Size {
  const { size, mtime } = statSync(path);
  return { size, mtime };
}
returns(size, { size: 5, mtime: new Date(0) });

/** Lists a folder. */
export function entries(path: string): Pick<Dirent, "name">[] {
  return readdirSync(path, { withFileTypes: true }).map(({ name }) => ({ name }));
}
returns(entries, [{ name: "a" }]);
