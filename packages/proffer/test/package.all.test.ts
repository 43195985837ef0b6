import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { distFile, packages, readManifest } from "./dist.ts";

const installScripts = ["preinstall", "install", "postinstall", "prepare"];

describe.each(["proffer", "inspector", "cli"] as const)("the package in packages/%s", (folder) => {
  const manifest = readManifest(folder);

  it("publishes only its built files, README and license", () => {
    distFile("index.js", folder);
    const files = packedFiles(folder);
    const required = ["LICENSE", "README.md", "dist/index.js", "dist/index.d.ts", "package.json"];
    expect(files).toEqual(expect.arrayContaining(required));
    expect(manifest).toMatchObject({ license: "MIT", keywords: expect.arrayContaining(["mcp", "typescript"]) });
    const other = files.filter(
      (file) => !/^(LICENSE|README\.md|package\.json|dist\/.+\.(js|d\.ts)|dist\/page\/.+)$/.test(file),
    );
    expect(other).toEqual([]);
  });

  it("has no install scripts", () => {
    expect(Object.keys(manifest.scripts ?? {}).filter((name) => installScripts.includes(name))).toEqual([]);
  });

  it("is published with its provenance", () => {
    expect(manifest.publishConfig).toEqual({ access: "public", provenance: true });
  });
});

describe("the packed run-time", () => {
  it("is installed in an empty folder without a registry, and serves", () => {
    const folder = mkdtempSync(join(tmpdir(), "proffer-package-"));
    try {
      npm(["pack", "--pack-destination", folder], join(packages, "proffer"));
      writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
      npm(
        ["install", "--offline", "--no-audit", "--no-fund", `./proffer-${readManifest("proffer").version}.tgz`],
        folder,
      );
      expect(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["proffer"]);
      const entries = Object.keys(readManifest("proffer").exports).filter(
        (name) => !/package\.json|ajv|telemetry/.test(name),
      );
      writeFileSync(
        join(folder, "use.js"),
        `for (const entry of ${JSON.stringify(entries)}) await import(entry.replace(".", "proffer"));
        const { defineServer, defineTool } = await import("proffer");
        const { connect } = await import("proffer/testing");
        const hello = defineTool({ name: "hello", handle: () => "Hello!" });
        const client = await connect(defineServer({ name: "s", version: "1", tools: [hello] }));
        console.log((await client.call("hello")).content[0].text);`,
      );
      const { stdout, stderr } = spawnSync(process.execPath, ["use.js"], { cwd: folder, encoding: "utf8" });
      expect({ stdout, stderr }).toEqual({ stdout: "Hello!\n", stderr: "" });
      expect(npm(["exec", "--offline", "--", "proffer", "--version"], folder)).toContain(
        readManifest("proffer").version,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** Runs npm and returns its output. */
function npm(args: string[], cwd: string): string {
  const shell = process.platform === "win32";
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd, encoding: "utf8", shell });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed:\n${stderr}`);
  return stdout;
}

function packedFiles(folder: string): string[] {
  const output = npm(["pack", "--dry-run", "--json"], join(packages, folder));
  const [packed] = JSON.parse(output) as [{ readonly files: { readonly path: string }[] }];
  return packed.files.map(({ path }) => path);
}
