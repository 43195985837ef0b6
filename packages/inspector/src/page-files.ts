import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export interface PageFile {
  readonly type: string;
  readonly encoding?: "br" | "gzip";
  readonly content: Buffer;
}

/** The files of the page, by path. The page finds its own way from any of its addresses. */
const FILES: { readonly [path: string]: { readonly name: string; readonly type: string } } = {
  "/": { name: "index.html", type: "text/html; charset=utf-8" },
  "/page.js": { name: "page.js", type: "text/javascript; charset=utf-8" },
  "/page.css": { name: "page.css", type: "text/css; charset=utf-8" },
};
/** The addresses within the page, such as /tools/order. */
const ADDRESS = /^\/(?:tools|prompts|resources|templates|wire|history|clients)(?:\/.*)?$/;
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/** Returns a file of the page as it was compressed when it was built; undefined for an unknown path. */
export async function readPageFile(path: string, accepted: string): Promise<PageFile | undefined> {
  const known = Object.hasOwn(FILES, path) ? path : ADDRESS.test(path) ? "/" : undefined;
  const file = known === undefined ? undefined : FILES[known];
  if (file === undefined) return undefined;
  const { name, type } = file;
  for (const [encoding, ending] of ENCODINGS) {
    if (!new RegExp(`\\b${encoding}\\b(?! *; *q=0(?:\\.0*)?(?:,|$))`, "i").test(accepted)) continue;
    const content = await read(name + ending);
    if (content !== undefined) return { type, encoding, content };
  }
  const content = await read(name);
  if (content !== undefined) return { type, content };
  const text = "The page of the inspector is not built. In a clone, run: node scripts/build.mjs\n";
  return { type: "text/plain; charset=utf-8", content: Buffer.from(text) };
}

function read(name: string): Promise<Buffer | undefined> {
  // The root of this package has other depths below it in the sources and in a build.
  const root = dirname(createRequire(import.meta.url).resolve("@proffer/inspector/package.json"));
  return readFile(join(root, "dist/page", name)).catch(() => undefined);
}
