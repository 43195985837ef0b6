import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = new URL("../../../", import.meta.url);
const script = fileURLToPath(new URL("scripts/llms.mjs", root));

it("llms.txt is that of the docs; UPDATE=1 writes it", () => {
  const args = process.env.UPDATE === "1" ? [] : ["--check"];
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

it("llms.txt describes each page of the guide and the reference, and llms-full.txt contains it", () => {
  const index = readFileSync(new URL("llms.txt", root), "utf8");
  const whole = spawnSync(process.execPath, [script, "--whole"], { encoding: "utf8", maxBuffer: 10_000_000 }).stdout;
  const pages = [...index.matchAll(/^- \[[^\]]+\]\((docs\/[^)]+)\): (.+)$/gm)];
  expect(pages.length).toBeGreaterThan(15);
  for (const [, path = "", summary = ""] of pages)
    expect([path, summary]).toEqual([path, expect.stringMatching(/\w.*\.$/)]);
  for (const name of ["start", "tools", "resources", "tags", "cli", "errors"]) {
    const heading = readFileSync(new URL(`docs/${name}.md`, root), "utf8").split("\n", 1)[0];
    expect(whole).toContain(`<!-- docs/${name}.md -->\n\n${heading}\n`);
  }
  // Links work from the folder of the file.
  expect(whole).not.toContain("](../");
  expect(whole).toContain("](docs/tags.md");
});
