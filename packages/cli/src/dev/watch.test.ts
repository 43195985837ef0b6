import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { watchProject } from "./watch.ts";

const folder = mkdtempSync(join(tmpdir(), "proffer-watch-"));
const file = join(folder, "tools.ts");

afterAll(() => rmSync(folder, { recursive: true }));

it("reports an edit made before watching started, and later edits", async () => {
  let changes = 0;
  const since = Date.now();
  writeFileSync(file, "export {};");
  const watch = watchProject([file], since, async () => {
    changes++;
  });
  await expect.poll(() => changes).toBeGreaterThan(0);
  const before = changes;
  writeFileSync(file, "export const later = 1;");
  await expect.poll(() => changes).toBeGreaterThan(before);
  await watch.close();
});
