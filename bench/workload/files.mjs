import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Number of files, read in order. */
export const FILES = 200;
const SIZE = 4 * 1024;

export function fileName(i) {
  return `page-${i}.md`;
}

/** Returns the content of the file with this name: 4 KiB of text. */
export function fileText(name) {
  return `# ${name}\n\n${"The quick brown fox jumps over the lazy dog.\n".repeat(100)}`.slice(0, SIZE);
}

/** Creates the folder that servers with the profile "files" serve, until the process exits. */
export function makeFiles() {
  const folder = mkdtempSync(join(tmpdir(), "proffer-bench-"));
  for (let i = 0; i < FILES; i++) writeFileSync(join(folder, fileName(i)), fileText(fileName(i)));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  process.env.BENCH_FILES = folder;
}
