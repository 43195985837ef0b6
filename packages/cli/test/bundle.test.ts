import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import { linkCommand } from "proffer/client";
import type { FetchHandler } from "proffer/fetch";
import { connectOver } from "proffer/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { legacy, modern, modernHeaders, present } from "../../proffer/test/http/http-client.ts";
import { build } from "../src/commands/build.ts";
import { createProject, type Project } from "./project.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write("data/words.txt", "one two");
  project.write("src/lib/greeting.txt", "Hello");
  project.write("src/values.json", '{ "seven": 7 }');
  project.write("node_modules/old/package.json", '{ "name": "old", "version": "1.0.0", "types": "index.d.ts" }');
  project.write("node_modules/old/index.d.ts", "declare const old: { folder: string; system: string }; export = old;");
  project.write("node_modules/old/index.js", 'exports.folder = __dirname; exports.system = require("os").type();');
  project.write(
    "node.d.ts",
    'declare module "node:fs" { export function readFileSync(url: URL, encoding: string): string; }',
  );
  project.write(
    "src/lib/greet.ts",
    '/// <reference path="../../node.d.ts" />',
    'import { readFileSync } from "node:fs";',
    'export const greeting = readFileSync(new URL("./greeting.txt", import.meta.url), "utf8").trim();',
    "export const require = 'a name that the bundle also needs';",
  );
  project.write(
    "src/tools.ts",
    'import { readFileSync } from "node:fs";',
    'import old from "old";',
    'import { greeting, require } from "./lib/greet.ts";',
    'import values from "./values.json" with { type: "json" };',
    'const words = await Promise.resolve(readFileSync(new URL("../data/words.txt", import.meta.url), "utf8").trim());',
    "/** Shows everything. */",
    "export const show = (): object => ({ ...values, old, greeting, words, require });",
  );
  project.write("node_modules/chokidar/package.json", '{ "name": "chokidar", "version": "5.0.0", "main": "i.js" }');
  project.write("node_modules/chokidar/i.js", "export const watch = () => ({ on() {}, close() {} });");
  project.write("pure.ts", "/** Doubles. */", "export const double = (n: number): number => 2 * n;");
});

afterAll(() => project.remove());

afterEach(() => {
  vi.restoreAllMocks();
});

const assets = ["data", "src/lib/greeting.txt"];

/** Builds in this process, which has loaded the compiler already, and returns the output. */
async function buildHere(file: string, out: string, { bundle = false, asset = [] as string[] } = {}): Promise<string> {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  await build(project.path(file), { out: project.path(out), bundle, asset: asset.map(project.path), start: false });
  const text = written.mock.calls.map(([line]) => String(line)).join("");
  written.mockRestore();
  return text;
}

async function callShow(...command: string[]): Promise<unknown> {
  const client = await connectOver(linkCommand(command));
  const { structuredContent } = await client.call("show");
  await client.close();
  return structuredContent;
}

describe("skills", () => {
  it("S17 have the same bytes in a module, in its build and in its bundle", async () => {
    project.write(
      "skills/refunds/SKILL.md",
      "---",
      "name: refunds",
      "description: Use it to refund.",
      "---",
      "# Refunds",
    );
    project.write("skills/refunds/mail.txt", "Dear customer");
    project.write(
      "skilled.ts",
      'import { defineServer } from "proffer";',
      "const skills = new URL('./skills', import.meta.url);",
      'export default defineServer({ name: "skilled", version: "1.0.0", skills });',
    );
    const asset = ["skills"];
    await buildHere("skilled.ts", "skilled", { asset });
    await buildHere("skilled.ts", "skilled-bundle", { asset, bundle: true });
    const listed = async (...command: string[]) => {
      const client = await connectOver(linkCommand(command));
      const { skills } = await client.request("skills/list");
      await client.close();
      return skills as { resources: object[] }[];
    };
    const built = await listed(process.execPath, project.path("skilled/index.js"));
    expect(built).toMatchObject([{ uri: "skill://refunds/SKILL.md", resources: [{}, { size: 14 }] }]);
    expect(await listed(process.execPath, project.path("skilled-bundle/index.mjs"))).toEqual(built);
  });
});

describe("proffer build", () => {
  it("copies assets to their place beside the modules, and reports those that are missing", async () => {
    const output = await buildHere("src/tools.ts", "dist", { asset: ["data"] });
    expect(output).toMatch(
      /^warning: The module reads .*greeting\.txt, which the build does not contain\. Add --asset /,
    );
    expect(await buildHere("src/tools.ts", "dist", { asset: assets })).toMatch(/^Wrote 1 tool to .*: 10 files/);
    expect(await callShow(process.execPath, project.path("dist/index.js"))).toMatchObject({
      greeting: "Hello",
      words: "one two",
    });
    expect(JSON.parse(project.read("dist/package.json")).dependencies).toEqual({
      old: "1.0.0",
      proffer: expect.any(String),
    });
  });

  it("refuses a missing asset before it writes anything", async () => {
    const { status, stderr } = await project.proffer("build", "pure.ts", "--out", "refused", "--asset", "nothing.txt");
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining("does not exist") });
    expect(existsSync(project.path("refused"))).toBe(false);
  });

  it("writes a server.js that bundles for any run-time and serves every revision there", async () => {
    await buildHere("pure.ts", "pure");
    project.write(
      "worker.js",
      'import { createFetchHandler } from "proffer/fetch";',
      'import server from "./pure/server.js";',
      "export default { fetch: createFetchHandler(server, { sessions: false }) };",
    );
    const { metafile, warnings } = await esbuild.build({
      absWorkingDir: project.folder,
      entryPoints: ["worker.js"],
      outfile: "worker.mjs",
      bundle: true,
      format: "esm",
      platform: "neutral",
      metafile: true,
      logLevel: "silent",
    });
    expect(warnings).toEqual([]);
    expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
    const worker = (await import(pathToFileURL(project.path("worker.mjs")).href)).default as { fetch: FetchHandler };
    const params = { name: "double", arguments: { n: 21 } };
    const send = async (message: { method: string; params?: object }, headers: object) => {
      const init = { method: "POST", headers: headers as Record<string, string>, body: JSON.stringify(message) };
      return (await worker.fetch(new Request("http://localhost/mcp", init))).json();
    };
    const newest = modern("tools/call", params);
    expect(await send(newest, present(modernHeaders(newest)))).toMatchObject({ result: { structuredContent: 42 } });
    const { "mcp-protocol-version": _, ...plain } = present(modernHeaders(newest));
    const older = { ...plain, "mcp-protocol-version": "2025-06-18" };
    expect(await send(legacy("tools/call", params), older)).toMatchObject({
      result: { structuredContent: { result: 42 } },
    });
  });
});

describe("proffer build --bundle", () => {
  it("writes one file that starts in an empty folder, with its assets beside it", async () => {
    const output = await buildHere("src/tools.ts", "one", { bundle: true, asset: assets });
    expect(output).toMatch(/: 4 files\. Run it with: node .*one\/index\.mjs/);
    expect(readdirSync(project.path("one"))).toEqual(["data", "index.mjs", "index.mjs.map", "src"]);
    // Outside of the project, so that Node finds no node_modules.
    const elsewhere = createProject();
    try {
      mkdirSync(elsewhere.path("empty"));
      cpSync(project.path("one"), elsewhere.path("empty"), { recursive: true });
      elsewhere.write("package.json", "{}");
      expect(await callShow(process.execPath, elsewhere.path("empty/index.mjs"))).toEqual({
        seven: 7,
        old: { folder: elsewhere.path("empty"), system: expect.any(String) },
        greeting: "Hello",
        words: "one two",
        require: "a name that the bundle also needs",
      });
    } finally {
      elsewhere.remove();
    }
  });

  it("replaces an earlier bundle or build, and is replaced by one", async () => {
    for (const bundle of [true, true, false, true]) {
      await buildHere("pure.ts", "again", { bundle });
      expect(existsSync(project.path("again/index.mjs"))).toBe(bundle);
      expect(existsSync(project.path("again/server.js"))).toBe(!bundle);
    }
    for (const target of ["again", "again/index.mjs"]) {
      expect(project.profferProcess({}, "serve", target).stderr).toContain(
        "is a bundle, which serves itself. Run node",
      );
    }
  });

  it("does not replace a folder with an index.mjs of the user", async () => {
    project.write("mine/index.mjs", "export {};");
    expect((await project.proffer("build", "pure.ts", "--out", "mine", "--bundle")).stderr).toContain(
      "not a Proffer build",
    );
    expect(project.read("mine/index.mjs")).toBe("export {};\n");
  });

  it("names the package to install if esbuild is missing", async () => {
    const hooks = `export const resolve = (name, context, next) => {
      if (name !== "esbuild") return next(name, context);
      throw Object.assign(new Error("Cannot find package 'esbuild'"), { code: "ERR_MODULE_NOT_FOUND" });
    };`;
    const url = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
    const start = url(`import { register } from "node:module"; register(${JSON.stringify(url(hooks))});`);
    const env = { NODE_OPTIONS: `--import ${start}` };
    const { status, stderr } = project.profferProcess({ env }, "build", "pure.ts", "--out", "without", "--bundle");
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "error: --bundle needs the package esbuild. Install it: npm install --save-dev esbuild\n",
    });
    expect(existsSync(project.path("without"))).toBe(false);
  });

  it("reports the packages that cannot be bundled, and writes nothing", async () => {
    project.write("node_modules/native/package.json", '{ "name": "native", "version": "1.0.0" }');
    project.write("node_modules/native/index.d.ts", "export const x: number;");
    project.write("node_modules/native/index.js", 'module.exports = require("./build.node");');
    project.write("node_modules/native/build.node", "");
    project.write(
      "native.ts",
      'import { x } from "native";',
      "/** Counts. */",
      "export const count = (): number => x;",
    );
    const failure = await buildHere("native.ts", "native", { bundle: true }).catch(String);
    expect(failure).toContain("The package native cannot be bundled: it has native code (build.node).");
    expect(failure).toContain("Nothing was written. Build without --bundle.");
    expect(existsSync(project.path("native"))).toBe(false);
  });

  it("contains the optional peers of the run-time that the project has, and no other", async () => {
    project.write(
      "watching.ts",
      'import { defineServer } from "proffer";',
      'import { files } from "proffer/files";',
      'export default defineServer({ name: "w", version: "1.0.0", resources: files(".", { uri: "f://", watch: true }) });',
    );
    await buildHere("watching.ts", "watching", { bundle: true });
    const elsewhere = createProject();
    try {
      const text = readFileSync(project.path("watching/index.mjs"), "utf8");
      writeFileSync(elsewhere.path("index.mjs"), text);
      expect(text).toMatch(/import\("mime"\)/);
      const client = await connectOver(linkCommand([process.execPath, elsewhere.path("index.mjs")]));
      expect(await client.listTemplates()).toHaveLength(1);
      await client.close();
    } finally {
      elsewhere.remove();
    }
  });
});
