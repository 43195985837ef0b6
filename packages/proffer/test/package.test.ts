import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packages, readManifest } from "./dist.ts";

describe("the packages", () => {
  const runtime = readManifest("proffer");
  const cli = readManifest("cli");
  const inspector = readManifest("inspector");

  it("has a run-time without dependencies", () => {
    expect(runtime.dependencies ?? {}).toEqual({});
  });

  it("have the same version", () => {
    expect([cli.version, inspector.version]).toEqual([runtime.version, runtime.version]);
    expect(cli.dependencies?.["@proffer/inspector"]).toBe(runtime.version);
    expect(inspector.peerDependencies?.proffer).toBe(runtime.version);
    expect(cli.peerDependencies?.proffer).toBe(runtime.version);
  });

  it("publish every entry file of the run-time", () => {
    const entries = readdirSync(join(packages, "proffer/src")).filter((file) => /^[^.]+\.ts$/.test(file));
    const targets = [...Object.values(runtime.exports), ...Object.values(runtime.bin ?? {})].flatMap((target) =>
      typeof target === "string" ? target : [target.types, target.default],
    );
    // The code of proffer/stdio is in process.js, its declarations are not.
    const isDeclared = (entry: string) => entry === "stdio.ts";
    for (const entry of entries)
      expect(targets).toContain(`./dist/${entry.replace(/ts$/, isDeclared(entry) ? "d.ts" : "js")}`);
  });
});
