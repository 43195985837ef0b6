import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { distFile } from "./dist.ts";

const neutral = ["index.js", "fetch.js", "uri.js", "testing.js"];

describe("the built entries for all run-times", () => {
  it.each(neutral)("%s bundles for a browser, without Node built-ins", async (name) => {
    const { warnings } = await bundleForBrowser(name);
    expect(warnings).toEqual([]);
  });

  it("the check fails for stdio.js, which needs Node", async () => {
    await expect(bundleForBrowser("stdio.js")).rejects.toThrow(/Could not resolve "node:/);
  });

  it.each(neutral)("%s loads if code generation from strings is forbidden", (name) => {
    const script = `await import(${JSON.stringify(pathToFileURL(distFile(name)).href)})`;
    const flags = ["--disallow-code-generation-from-strings", "--input-type=module"];
    const { status, stderr } = spawnSync(process.execPath, [...flags, "--eval", script], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});

function bundleForBrowser(name: string) {
  return build({
    entryPoints: [distFile(name)],
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
    logLevel: "silent",
  });
}
