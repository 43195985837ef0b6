import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { unpackExtension } from "@anthropic-ai/mcpb";
import { linkCommand } from "proffer/client";
import { connectOver } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject, type Project } from "./project.ts";

/** A server with everything that a command must neither need nor begin when it only describes a module. */
const CRM = [
  'import sqlite from "node-sqlite3-wasm";',
  'import { defineServer } from "proffer";',
  'import { defineSettings } from "proffer/settings";',
  "export const settings = defineSettings<{",
  "  /** The key of the enrichment service. @secret */",
  "  ENRICH_KEY: string;",
  "  ENRICH_URL: string;",
  "  LIMIT: number;",
  '  /** The file of the database. @default ":memory:" */',
  "  CRM_DB: string;",
  "}>();",
  "new URL(settings.ENRICH_URL);",
  "const db = new sqlite.Database(settings.CRM_DB);",
  'console.log("a line on stdout");',
  "export const server = defineServer({",
  '  name: "crm", version: "1.0.0",',
  "  onStart() { if (settings.ENRICH_KEY.includes('placeholder')) throw new Error('started'); },",
  "});",
  "/** Counts the customers of the shop. */",
  'export const customers = () => db.get("select 41 + 1 as count");',
];

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write(
    "package.json",
    '{ "name": "crm", "version": "1.0.0", "type": "module", "description": "Customers.", "author": "Ada" }',
  );
  const sqlite = createRequire(import.meta.url).resolve("node-sqlite3-wasm/package.json");
  symlinkSync(dirname(sqlite), project.path("node_modules/node-sqlite3-wasm"), "junction");
  project.write("crm.ts", ...CRM);
  project.write("plain.ts", "/** One. */", "export const one = () => 1;");
});

afterAll(() => project.remove());

/** Writes an installed package. */
function install(name: string, files: { readonly [path: string]: string }): void {
  project.write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: "1.0.0", type: "module" }));
  for (const [path, text] of Object.entries(files)) project.write(`node_modules/${name}/${path}`, text);
}

describe("a written artifact", () => {
  it("is started: a package with WebAssembly and a secret runs elsewhere, and lists its tools", async () => {
    const { status, stderr } = await project.proffer("pack", "crm.ts");
    expect([status, stderr]).toEqual([0, expect.stringContaining("It was started once to check it.")]);
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "proffer-unpacked-")));
    await unpackExtension({ mcpbPath: project.path("crm.mcpb"), outputDir: folder, silent: true });
    const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
    expect(manifest.tools).toEqual([{ name: "customers", description: "Counts the customers of the shop." }]);
    const env = { ...process.env, ENRICH_KEY: "sk-12345678", ENRICH_URL: "https://crm.example", LIMIT: "5" };
    const client = await connectOver(
      linkCommand([process.execPath, join(folder, "server/index.mjs")], { cwd: "/", env }),
    );
    expect((await client.call("customers")).structuredContent).toEqual({ count: 42 });
    // Its output while it is imported went to stderr, or the connection would be broken.
    await client.close();
  });

  it("is written only if it starts: an earlier build stays, and the reason and the remedy are named", async () => {
    project.write("reads.ts", ...readsFile("./words.txt"));
    project.write("words.txt", "some");
    await project.proffer("build", "plain.ts", "--out", "kept", "--no-start");
    const { status, stderr } = await project.proffer("build", "reads.ts", "--out", "kept");
    expect(status).toBe(1);
    expect(stderr).toContain("The build does not start in another folder. Nothing was written.\nError: ENOENT");
    expect(stderr).toContain("Add the files that it reads with --asset");
    expect(existsSync(project.path("kept/modules/plain.js"))).toBe(true);
    expect((await project.proffer("build", "reads.ts", "--out", "kept", "--no-start")).status).toBe(0);
    expect(existsSync(project.path("kept/modules/reads.js"))).toBe(true);
  });

  it("of a folder finds only the packages that its package.json lists", async () => {
    install("hidden", { "index.js": "export default 1;", "index.d.ts": "declare const n: number; export default n;" });
    project.write(
      "computed.ts",
      'const name = ["hid", "den"].join("");',
      "await import(name);",
      "/** One. */",
      "export const two = () => 2;",
    );
    const { status, stderr } = await project.proffer("build", "computed.ts", "--out", "computed");
    expect([status, stderr]).toEqual([1, expect.stringContaining("Cannot find package 'hidden'")]);
  });

  it("of a module that opens ports and timers, writes files and imports from outside the project is ended", async () => {
    project.write("beside/shared.ts", "export const two = 2;");
    project.write("app/package.json", '{ "name": "app", "version": "1.0.0", "type": "module" }');
    project.write(
      "app/effects.ts",
      "declare const process: any, setInterval: any;",
      'import { two } from "../beside/shared.ts";',
      'const { writeFileSync } = process.getBuiltinModule("node:fs");',
      'writeFileSync("relative.txt", "");',
      `writeFileSync(${JSON.stringify(project.path("pid"))}, String(process.pid));`,
      'process.getBuiltinModule("node:http").createServer().listen(0, "127.0.0.1");',
      "setInterval(() => {}, 1000);",
      "/** Two. */",
      "export const number = () => two;",
    );
    const { status, stderr } = await project.proffer("build", "app/effects.ts", "--out", "effects");
    expect([status, stderr]).toEqual([0, expect.stringContaining("It was started once to check it.")]);
    expect(existsSync(project.path("relative.txt"))).toBe(false);
    expect(() => process.kill(Number(project.read("pid")), 0)).toThrow("ESRCH");
  });

  it("says within its time limit that the process never answers", async () => {
    project.write(
      "ends.ts",
      "declare const process: any;",
      "process.exit(3);",
      "/** One. */",
      "export const one = () => 1;",
    );
    const { status, stderr } = await project.proffer("build", "ends.ts", "--out", "ends");
    expect([status, stderr]).toEqual([1, expect.stringMatching(/does not start[\s\S]*ended \(exit code 3\)/)]);
  });
});

function readsFile(path: string): string[] {
  return [
    "declare const process: any;",
    `const words: string = process.getBuiltinModule("fs").readFileSync(${JSON.stringify(path)}, "utf8");`,
    "/** Counts the letters. */",
    "export const letters = () => words.length;",
  ];
}

describe("the files of a bundled package", () => {
  const types = "export declare const texts: string[];";

  it("are copied, for CommonJS and ES modules, with computed names and the package.json", async () => {
    install("locales", {
      "lib/index.js": [
        'import { readFileSync, readdirSync } from "node:fs";',
        'const folder = new URL("../data/", import.meta.url);',
        'const own = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).name;',
        'export const texts = [own, ...readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"))];',
      ].join("\n"),
      "data/de.txt": "Hallo",
      "data/en.txt": "Hello",
      "index.d.ts": types,
    });
    project.write(
      "node_modules/locales/package.json",
      '{ "name": "locales", "version": "1.0.0", "type": "module", "main": "lib/index.js", "types": "index.d.ts" }',
    );
    install("tables", {
      "index.cjs":
        '"use strict"; const { join } = require("path"); exports.texts = [require("fs").readFileSync(join(__dirname, "t.bin"), "utf8").trim()];',
      "t.bin": "table",
      "index.d.ts": types,
    });
    project.write(
      "node_modules/tables/package.json",
      '{ "name": "tables", "main": "index.cjs", "types": "index.d.ts" }',
    );
    project.write(
      "texts.ts",
      'import { texts as locales } from "locales";',
      'import { texts as tables } from "tables";',
      "/** All texts. */",
      "export const all = () => [...locales, ...tables].map((text) => text.trim());",
    );
    expect((await project.proffer("build", "texts.ts", "--out", "texts", "--bundle", "--docker")).status).toBe(0);
    // As the image copies it.
    const ignored = project.read("texts/.dockerignore").trim().split("\n");
    const filter = (from: string) => !ignored.includes(relative(project.path("texts"), from));
    cpSync(project.path("texts"), project.path("image"), { recursive: true, filter });
    const client = await connectOver(linkCommand([process.execPath, project.path("image/index.mjs")], { cwd: "/" }));
    expect((await client.call("all")).structuredContent).toEqual(["locales", "Hallo", "Hello", "table"]);
    await client.close();
    expect(existsSync(project.path("texts/node_modules/locales/lib"))).toBe(false);
  });

  it.each([
    ["worker", { "index.js": 'new Worker(new URL("./w.js", import.meta.url)); export const texts = [];' }, "starts a"],
    ["addon", { "index.js": "export const texts = [];", "build/addon.node": "" }, "has native code (build/addon.node)"],
  ])("that it cannot have are named with the package: %s", async (name, files, reason) => {
    install(name, { ...files, "index.d.ts": types });
    project.write(`${name}.ts`, `import { texts } from "${name}";`, "/** All. */", "export const all = () => texts;");
    for (const words of [
      ["build", `${name}.ts`, "--out", name, "--bundle"],
      ["pack", `${name}.ts`],
    ]) {
      const { status, stderr } = await project.proffer(...words);
      expect([status, stderr]).toEqual([
        1,
        expect.stringContaining(`The package ${name} cannot be bundled: it ${reason}`),
      ]);
      expect(stderr).toContain("Build without --bundle.");
    }
    expect(existsSync(project.path(name))).toBe(false);
  });
});

describe("a module that is only described", () => {
  it("needs no value of a setting, with or without a server", async () => {
    project.write("plain-crm.ts", ...CRM.filter((line) => !/server = define|name: "crm"|onStart|^}\);/.test(line)));
    for (const file of ["crm.ts", "plain-crm.ts"]) {
      for (const words of [
        ["check"],
        ["lock", "--file", `${file}.lock.json`],
        ["links", "--url", "https://a.example"],
      ]) {
        const { status, stderr } = await project.proffer(words[0] ?? "", file, ...words.slice(1));
        expect([file, words[0], status, stderr.includes("missing or invalid")]).toEqual([file, words[0], 0, false]);
      }
    }
    const lock = JSON.parse(project.read("crm.ts.lock.json"));
    expect(Object.keys(lock.tools)).toEqual(["customers"]);
  });

  it("is examined by doctor as a process, and with its settings if they are set", () => {
    const described = project.profferProcess({}, "doctor", "crm.ts");
    expect(described.stdout).toContain(
      "Without a value of ENRICH_KEY, ENRICH_URL, LIMIT, the server was only described",
    );
    expect([described.status, described.stdout]).toEqual([0, expect.stringContaining("The server responds")]);
    const env = { ENRICH_KEY: "placeholder-like", ENRICH_URL: "https://crm.example", LIMIT: "5" };
    const started = project.profferProcess({ env }, "doctor", "crm.ts");
    expect([started.status, started.stdout]).toEqual([1, expect.stringContaining("failed: started")]);
  });

  it("must not show a setting, in a text or as a number", async () => {
    const show = (value: string) => [
      'import { defineServer } from "proffer";',
      'import { defineSettings } from "proffer/settings";',
      "const settings = defineSettings<{ TOKEN: string; /** @format email */ MAIL: string; LIMIT: number }>();",
      `export const server = defineServer({ name: "s", version: "1.0.0", resources: [] });`,
      'import { defineTool } from "proffer";',
      `server.tools.add(defineTool({ name: "own", description: \`Uses \${${value}}.\`, handle: () => 1 }));`,
      "/** One. */",
      "export const one = () => 1;",
    ];
    for (const name of ["TOKEN", "MAIL", "LIMIT"]) {
      project.write(`shows-${name}.ts`, ...show(`settings.${name}`));
      for (const words of [["lock"], ["build", "--out", "shows"]]) {
        const { status, stderr } = await project.proffer(words[0] ?? "", `shows-${name}.ts`, ...words.slice(1));
        expect([status, stderr]).toEqual([1, expect.stringContaining(`The value of ${name} is part of what clients`)]);
      }
    }
    expect(existsSync(project.path("shows"))).toBe(false);
  });

  it("may print a secret: without values it has none, and no command repeats it", async () => {
    const printing = [
      'import { defineServer } from "proffer";',
      'import { defineSettings } from "proffer/settings";',
      "const settings = defineSettings<{ /** Secret. @secret */ ACCESS: string }>();",
      'console.log("it is", settings.ACCESS);',
      'if (settings.ACCESS.startsWith("sk-")) throw new Error("refused " + settings.ACCESS);',
      "/** One. */",
      "export const one = () => 1;",
    ];
    project.write("prints.ts", ...printing);
    project.write("prints-server.ts", ...printing, 'export const server = defineServer({ name: "s", version: "1" });');
    // The name of the setting does not say that it is secret.
    const secret = `sk-${"x".repeat(60)}-4711`;
    for (const file of ["prints.ts", "prints-server.ts"]) {
      for (const words of [["check"], ["lock", "--file", `${file}.json`], ["build", "--out", "prints"], ["pack"]]) {
        const [command = "", ...rest] = words;
        const output = await project.profferWith({ env: { ACCESS: secret } }, command, file, ...rest);
        expect([command, output.status, output.stderr]).toEqual([command, 0, expect.not.stringContaining("4711")]);
      }
    }
    for (const words of [
      ["build", "prints.ts", "--out", "refused"],
      ["doctor", "prints-server.ts"],
    ]) {
      const { status, stdout, stderr } = project.profferProcess({}, ...words, "--env", `ACCESS=${secret}`);
      // The module itself prints where it likes, in one line.
      const own = (stdout + stderr).replace(`it is ${secret}\n`, "");
      expect([words[0], status, own]).toEqual([words[0], 1, expect.not.stringContaining("4711")]);
      expect(own).toContain("refused");
    }
    expect(existsSync(project.path("refused"))).toBe(false);
  });

  it("gets the values of --env, which are checked, if it insists", async () => {
    project.write(
      "insists.ts",
      'import { defineServer } from "proffer";',
      'import { defineSettings } from "proffer/settings";',
      "const settings = defineSettings<{ /** @secret */ TOKEN: string; /** @integer */ LIMIT: number }>();",
      "declare const process: any;",
      'if (!settings.TOKEN.startsWith("sk-") || process.env.TOKEN !== settings.TOKEN) throw new Error("bad token");',
      'export const server = defineServer({ name: "s", version: "1.0.0" });',
      "/** One. */",
      "export const one = () => 1;",
    );
    const refused = project.profferProcess({}, "build", "insists.ts", "--out", "insists");
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(/bad token[\s\S]*--env NAME=value/)]);
    const invalid = project.profferProcess({}, "lock", "insists.ts", "--env", "LIMIT=many");
    expect(invalid.stderr).toContain('LIMIT must be integer, not "many"');
    const given = project.profferProcess({}, "build", "insists.ts", "--out", "insists", "--env", "TOKEN=sk-4711");
    expect([given.status, given.stderr]).toEqual([0, expect.stringContaining("It was started once")]);
    expect(project.read("insists/modules/insists.js")).not.toContain("sk-4711");
  });
});

it("telemetry of a built folder reaches the SDK of the project, because both have the same API", async () => {
  const scope = fileURLToPath(new URL("../../../node_modules/@opentelemetry", import.meta.url));
  symlinkSync(scope, project.path("node_modules/@opentelemetry"), "junction");
  project.write(
    "traced.ts",
    'import { defineServer } from "proffer";',
    'import { telemetry } from "proffer/telemetry";',
    'export const server = defineServer({ name: "traced", version: "1.0.0", observe: telemetry() });',
    "/** One. */",
    "export const one = () => 1;",
  );
  project.write(
    "instrumentation.mjs",
    'import { trace } from "@opentelemetry/api";',
    'import { BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";',
    "const exporter = {",
    '  export: (spans, done) => { for (const { name } of spans) console.error("span", name); done({ code: 0 }); },',
    "  shutdown: async () => {},",
    "};",
    "trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));",
  );
  const api = JSON.parse(project.read("node_modules/@opentelemetry/api/package.json")).version;
  project.write(
    "package.json",
    JSON.stringify({
      name: "traced",
      version: "1.0.0",
      description: "Traced.",
      author: "Ada",
      type: "module",
      dependencies: { "@opentelemetry/api": "^1.9.0" },
    }),
  );
  expect((await project.proffer("build", "traced.ts", "--out", "traced")).status).toBe(0);
  expect(JSON.parse(project.read("traced/package.json")).dependencies["@opentelemetry/api"]).toBe(api);
  // As npm installs the folder.
  cpSync(join(scope, "api"), project.path("traced/node_modules/@opentelemetry/api"), { recursive: true });
  let stderr = "";
  const command = [process.execPath, "--import", "./instrumentation.mjs", "traced/index.js"];
  const onStderr = (text: string) => {
    stderr += text;
  };
  const client = await connectOver(linkCommand(command, { cwd: project.folder, onStderr }));
  await client.call("one");
  await client.close();
  expect(stderr).toContain("span tools/call one");
});
