import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { distFile } from "./dist.ts";

const neutral = [
  "index.js",
  "client.js",
  "client/oauth.js",
  "fetch.js",
  "oauth.js",
  "uri.js",
  "testing.js",
  "derived.js",
];

describe("the built entries for all run-times", () => {
  it.each(neutral)("%s bundles for a browser, without Node built-ins", async (name) => {
    const { warnings } = await bundleForBrowser(name);
    expect(warnings).toEqual([]);
  });

  it("the check fails for http.js, which needs Node", async () => {
    await expect(bundleForBrowser("http.js")).rejects.toThrow(/Could not resolve "node:/);
  });

  it.each(neutral)("%s loads if code generation from strings is forbidden", (name) => {
    const script = `await import(${JSON.stringify(urlOf(name))})`;
    expect(run(["--disallow-code-generation-from-strings"], script)).toEqual({ status: 0, stdout: "", stderr: "" });
  });
});

describe("the built run-time", () => {
  /** Serves a tool, a list and a read, with a schema and a pattern. */
  const script = `
    const { defineResource, defineServer, defineTool } = await import(${JSON.stringify(urlOf("index.js"))});
    const { connect } = await import(${JSON.stringify(urlOf("testing.js"))});
    const text = { type: "string", pattern: "^[a-z]+$" };
    const input = { type: "object", properties: { text }, required: ["text"] };
    const tools = [defineTool({ name: "t", input, handle: ({ text }) => text })];
    const read = ({ id }) => id;
    const resources = [defineResource({ uri: "x://{id}", name: "x", list: () => [{ uri: "x://1" }], read })];
    const server = defineServer({ name: "s", version: "1", tools, resources, log() {} });
    for (const revision of ["2025-11-25", "2026-07-28"]) {
      const client = await connect(server, { revision });
      const { content } = await client.call("t", { text: "a" });
      const { isError } = await client.call("t", { text: "1" });
      const [{ uri }] = await client.listResources();
      const { contents } = await client.read(uri);
      console.log(content[0].text, isError, contents[0].text);
    }`;

  it.each([
    ["code generation from strings is forbidden", "--disallow-code-generation-from-strings"],
    ["all built-in objects are frozen", "--frozen-intrinsics"],
    ["__proto__ throws", "--disable-proto=throw"],
  ])("serves if %s", (_what, flag) => {
    const { status, stdout } = run([flag, "--no-warnings"], script);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "a true 1\na true 1\n" });
  });

  it("generates no code and requires nothing by a computed name", () => {
    const folder = dirname(distFile("index.js"));
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js"));
    // Not a method of that name. bin.js imports the CLI, which may be installed anywhere; redis-nodes.js imports two fixed
    // packages whose names bundlers must not see.
    const code = /\beval\(|\bnew Function\b|\bFunction\(|node:vm|(?<![.\w])(?:require|import)\((?!["']|[.\w]*\) \{)/;
    const found = files.flatMap((file) => {
      const lines = readFileSync(join(folder, file), "utf8").split("\n");
      return lines.filter((line) => code.test(line)).map((line) => `${file}: ${line.trim()}`);
    });
    expect(found.filter((line) => !/^(?:bin|shared\/redis-nodes\d?)\.js:/.test(line))).toEqual([]);
  });
});

function urlOf(name: string): string {
  return pathToFileURL(distFile(name)).href;
}

function run(flags: readonly string[], script: string) {
  const args = [...flags, "--input-type=module", "--eval", script];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, stdout, stderr };
}

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
