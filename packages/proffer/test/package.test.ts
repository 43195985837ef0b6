import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { distFile } from "./dist.ts";

const packages = fileURLToPath(new URL("../../", import.meta.url));
const installScripts = ["preinstall", "install", "postinstall", "prepare"];

describe.each(["proffer", "cli"] as const)("the package in packages/%s", (folder) => {
  const manifest = readManifest(folder);

  it("publishes only its built files, README and license", () => {
    distFile("index.js", folder);
    const files = packedFiles(folder);
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "dist/index.js", "dist/index.d.ts", "package.json"]));
    const other = files.filter((file) => !/^(LICENSE|README\.md|package\.json|dist\/.+\.(js|d\.ts))$/.test(file));
    expect(other).toEqual([]);
  });

  it("T120: has no install scripts", () => {
    expect(Object.keys(manifest.scripts ?? {}).filter((name) => installScripts.includes(name))).toEqual([]);
  });

  it("T120: is published with its provenance", () => {
    expect(manifest.publishConfig).toEqual({ access: "public", provenance: true });
  });
});

describe("the pair of packages", () => {
  const runtime = readManifest("proffer");
  const cli = readManifest("cli");

  it("T120: has a run-time without dependencies", () => {
    expect(runtime.dependencies ?? {}).toEqual({});
  });

  it("has the same version", () => {
    expect(cli.version).toBe(runtime.version);
    expect(cli.peerDependencies).toEqual({ proffer: runtime.version });
  });

  it("publishes every entry file of the run-time", () => {
    const entries = readdirSync(join(packages, "proffer/src")).filter((file) => /^[^.]+\.ts$/.test(file));
    const targets = [...Object.values(runtime.exports), ...Object.values(runtime.bin ?? {})].map((target) =>
      typeof target === "string" ? target : target.default,
    );
    for (const entry of entries) expect(targets).toContain(`./dist/${entry.replace(/ts$/, "js")}`);
  });
});

interface Manifest {
  readonly version: string;
  readonly scripts?: Record<string, string>;
  readonly bin?: Record<string, string>;
  readonly exports: Record<string, string | { readonly default: string }>;
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly publishConfig?: Record<string, unknown>;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(packages, folder, "package.json"), "utf8"));
}

function packedFiles(folder: string): string[] {
  const { stdout } = spawnSync("npm", ["pack", "--dry-run", "--json"], {
    cwd: join(packages, folder),
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  const [packed] = JSON.parse(stdout) as [{ readonly files: { readonly path: string }[] }];
  return packed.files.map(({ path }) => path);
}
