import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bundleFixture } from "./fixture-process.ts";
import { modern } from "./http/http-client.ts";

const READS = 16;
const FILE_BYTES = 4 * 1024 * 1024;
/** The limit of the process, in MB. All responses together have four times as many bytes. */
const MAX_UNREAD = 20;

it("reads of large files wait while the client of a stdio server does not read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "proffer-stdio-unread-"));
  writeFileSync(join(folder, "large.bin"), Buffer.alloc(FILE_BYTES, 0xff));
  const bundle = await bundleFixture("large-files.ts");
  const env = { ...process.env, FILES_FOLDER: folder };
  const child = spawn(process.execPath, ["--expose-gc", bundle.path], { env });
  const exit = once(child, "exit");
  /** The memory of the process over time, in MB. */
  const memory: number[] = [];
  let lines = 0;
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    memory.push(...text.split("\n").map(Number).filter(Boolean));
  });
  const isRunning = () => expect(child.exitCode).toBeNull();
  const request = (_: unknown, id: number) =>
    JSON.stringify(modern("resources/read", { uri: "f://large.bin" }, {}, id));
  child.stdin.write(`${Array.from({ length: READS }, request).join("\n")}\n`);
  await expect
    .poll(() => {
      isRunning();
      const [last = 0, ...others] = memory.slice(-5);
      // The process has read as much as it will: its memory no longer changes.
      return others.length === 4 && last > MAX_UNREAD / 2 && others.every((value) => value === last);
    })
    .toBe(true);
  child.stdout.on("data", (chunk: Buffer) => {
    for (let at = chunk.indexOf("\n"); at >= 0; at = chunk.indexOf("\n", at + 1)) lines++;
  });
  await expect
    .poll(() => {
      isRunning();
      return lines;
    })
    .toBe(READS);
  child.stdin.end();
  expect(await exit).toEqual([0, null]);
  // A response has its bytes twice for a moment: as a file, and in base64.
  expect(Math.max(...memory)).toBeLessThan(3 * MAX_UNREAD);
  rmSync(folder, { recursive: true });
  await bundle.remove();
});
