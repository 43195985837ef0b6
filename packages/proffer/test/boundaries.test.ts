import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const run = "packages/proffer/src";
const cli = "packages/cli/src";

const packages = "lint/style/noRestrictedImports";
const direction = "plugin";
const nodeModules = "lint/correctness/noNodejsModules";

interface Planted {
  readonly path: string;
  readonly holds: string;
  readonly source: string;
  readonly rule?: string;
}

/** A file that imports one name from `specifier`; with `rule` it must be refused by it, without it must pass. */
function importing(path: string, specifier: string, rule?: string): Planted {
  return planted(
    path,
    `an import of ${specifier}`,
    `import { name } from "${specifier}";\n\nexport const copy = name;\n`,
    rule,
  );
}

/** The same with a type. */
function importingType(path: string, specifier: string, rule?: string): Planted {
  const source = `import type { Name } from "${specifier}";\n\nexport type Copy = Name;\n`;
  return planted(path, `an import of a type of ${specifier}`, source, rule);
}

function planted(path: string, holds: string, source: string, rule: string | undefined): Planted {
  return rule === undefined ? { path, holds, source } : { path, holds, source, rule };
}

function foldersIn(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** The folders of the run-time whose values each folder may import; a test below checks that every folder has a row. */
const CORE: { [folder: string]: readonly string[] } = {
  protocol: [],
  support: [],
  uri: [],
  schema: ["protocol", "support"],
  results: ["protocol", "support"],
  profiles: ["protocol", "schema", "support"],
  calls: ["profiles", "protocol", "results", "support", "uri"],
  catalog: ["protocol", "results", "support"],
  observe: ["calls", "protocol", "support"],
  questions: ["calls", "protocol", "results", "schema", "support"],
  tools: ["calls", "catalog", "protocol", "questions", "results", "schema", "support", "uri"],
  prompts: ["calls", "catalog", "protocol", "questions", "results", "schema", "support", "uri"],
  resources: ["calls", "catalog", "protocol", "questions", "results", "schema", "support", "uri"],
};
CORE["resource-tools"] = [
  ...["calls", "catalog", "profiles", "protocol", "questions"],
  ...["resources", "results", "schema", "support", "tools", "uri"],
];
CORE.cluster = ["catalog", "protocol", "server", "support"];
CORE["max-result"] = [
  ...["calls", "catalog", "cluster", "protocol", "resources"],
  ...["results", "schema", "support", "tools"],
];
CORE.tasks = ["calls", "cluster", "protocol", "questions", "results", "schema", "server", "support", "tools"];
CORE.toolsets = ["calls", "protocol", "server", "support"];
CORE.server = Object.keys(CORE);
const OUTER: { readonly [folder: string]: readonly string[] } = {
  adapters: ["schema", "support"],
  bullmq: ["cluster", "protocol", "redis", "support"],
  derived: Object.keys(CORE),
  oauth: ["protocol", "support"],
  policy: ["calls", "observe", "protocol", "results", "schema", "server", "support"],
  providers: ["protocol", "resources", "results", "support", "uri"],
  redis: ["cluster", "protocol", "support"],
  settings: ["schema", "support"],
  telemetry: ["calls", "observe", "protocol", "support"],
  testing: ["cluster", "profiles", "protocol", "server", "tasks"],
  transports: ["calls", "cluster", "protocol", "results", "server", "support"],
};
const DERIVE: { readonly [folder: string]: readonly string[] } = {
  model: [],
  program: [],
  comments: ["model"],
  types: ["comments", "model", "program"],
  exports: ["comments", "model", "program", "types"],
  emit: ["exports", "program"],
};
const CLI: { [folder: string]: readonly string[] } = {
  derive: [],
  terminal: [],
  modules: ["derive", "terminal"],
  build: ["derive", "modules", "terminal"],
  client: ["derive", "modules", "terminal"],
  dev: ["derive", "modules", "terminal"],
  doctor: ["derive", "modules", "terminal"],
  init: ["derive", "modules", "terminal"],
  inspector: ["client", "derive", "dev", "doctor", "install", "modules", "terminal"],
  install: ["derive", "modules", "terminal"],
  lock: ["derive", "modules", "terminal"],
  pack: ["build", "derive", "modules", "terminal"],
  publish: ["derive", "modules", "terminal"],
};
CLI.commands = Object.keys(CLI);

/** One planted import for every pair of folders: refused, unless the table allows it. */
function pairs(base: string, rows: typeof CORE, targets: readonly string[]): Planted[] {
  return Object.entries(rows).flatMap(([from, allowed]) =>
    targets
      .filter((to) => to !== from)
      .map((to) =>
        importing(`${base}/${from}/pair-${to}.ts`, `../${to}/a.ts`, allowed.includes(to) ? undefined : direction),
      ),
  );
}

const directions = [
  ...pairs(run, { ...CORE, ...OUTER }, [...Object.keys(CORE), ...Object.keys(OUTER)]),
  ...pairs(cli, CLI, Object.keys(CLI)),
  ...pairs(`${cli}/derive`, DERIVE, Object.keys(DERIVE)),
];

const refused: Planted[] = [
  ...foldersIn(run).map((name) => importing(`${run}/${name}/entry.ts`, "../index.ts", direction)),
  ...foldersIn(run).map((name) => importing(`${run}/${name}/deep/entry.ts`, "../../index.ts", direction)),
  importing(`${run}/transports/http/node/entry.ts`, "../../../http.ts", direction),
  // Folders without a row, whose names begin or end like those of folders with one.
  ...["unknown", "old-tools", "tools-old"].map((name) =>
    importing(`${run}/${name}/a.ts`, "../support/a.ts", direction),
  ),
  ...["unknown", "old-lock", "lock-old"].map((name) => importing(`${cli}/${name}/a.ts`, "../terminal/a.ts", direction)),
  ...["unknown", "old-types", "types-old"].map((name) =>
    importing(`${cli}/derive/${name}/a.ts`, "../model/a.ts", direction),
  ),
  importing(`${run}/protocol/revisions/a.ts`, "../../server/server.ts", direction),
  importing(`${run}/schema/json-schema/a.ts`, "../../calls/call.ts", direction),
  importing(`${run}/transports/http/node/a.ts`, "../../../tools/define.ts", direction),
  importing(`${run}/testing/a.ts`, "../transports/stdio/serve.ts", direction),
  importing(`${run}/oauth/a.ts`, "../transports/http/node/server.ts", direction),
  importing(`${run}/transports/flags.ts`, "../oauth/oauth.ts", direction),
  importing(`${run}/oauth/b.ts`, "jose", packages),
  importingType(`${run}/calls/type.ts`, "../transports/memory.ts", direction),
  importingType(`${run}/server/type.ts`, "../providers/files/files.ts", direction),
  planted(`${run}/calls/reexport.ts`, "a re-export", 'export { name } from "../server/server.ts";\n', direction),
  planted(
    `${run}/calls/dynamic.ts`,
    "a dynamic import",
    'export const name = () => import("../server/server.ts");\n',
    direction,
  ),
  importing(`${run}/protocol/c.ts`, "some-package", packages),
  importing(`${run}/protocol/d.ts`, "@scope/some-package", packages),
  importing(`${run}/server/e.ts`, "proffer", packages),
  importing(`${run}/adapters/e.ts`, "proffer/stdio", packages),
  importing(`${run}/transports/stdio/a.ts`, "some-package", packages),
  importing(`${run}/testing/b.ts`, "some-package", packages),
  importing(`${run}/policy/b.ts`, "some-package", packages),
  importing(`${run}/telemetry/b.ts`, "proffer/observe", packages),
  importing(`${run}/stdio.ts`, "./index.ts", packages),
  importing(`${run}/testing.ts`, "proffer/stdio", packages),
  importing(`${cli}/a.ts`, "../../proffer/src/server/server.ts", packages),
  importing(`${cli}/commands/a.ts`, "proffer/dist/index.js", packages),
  importing(`${cli}/commands/b.ts`, "typescript", packages),
  importing(`${cli}/derive/a.ts`, "../../../proffer/src/index.ts", packages),
  importing(`${cli}/inspector/page/a.ts`, "../server.ts", direction),
  importing(`${cli}/inspector/page/state/a.ts`, "../../server.ts", direction),
  importing(`${cli}/inspector/page/state/b.ts`, "commander", direction),
  importing(`${cli}/inspector/page/state/c.ts`, "node:fs", nodeModules),
  importing(`${cli}/inspector/page/state/d.ts`, "proffer/uri", direction),
  importing(`${cli}/inspector/b.ts`, "./page/main.tsx", direction),
  importing("examples/quickstart/a.ts", "../../packages/proffer/src/index.ts", packages),
  importing(`${run}/protocol/e.ts`, "node:crypto", nodeModules),
  importing(`${run}/uri/b.ts`, "node:url", nodeModules),
  importing(`${run}/server/f.ts`, "node:crypto", nodeModules),
  importing(`${run}/schema/json-schema/c.ts`, "node:fs/promises", nodeModules),
  importing(`${run}/transports/memory.ts`, "node:http", nodeModules),
  importing(`${run}/transports/http/a.ts`, "node:http", nodeModules),
  importing(`${run}/transports/http/fetch/a.ts`, "node:http", nodeModules),
  importing(`${run}/providers/sql/a.ts`, "node:fs", nodeModules),
  importing(`${run}/http.ts`, "node:http", nodeModules),
  importing(`${run}/server/cycle-a.ts`, "./cycle-b.ts", "lint/suspicious/noImportCycles"),
  planted(
    `${run}/server/BadName.ts`,
    "a name that is not in kebab-case",
    "export const name = 1;\n",
    "lint/style/useFilenamingConvention",
  ),
  planted(
    `${run}/all.ts`,
    "a re-export of everything",
    'export * from "./server/a.ts";\n',
    "lint/performance/noReExportAll",
  ),
  planted(`${run}/server/default.ts`, "a default export", "export default 1;\n", "lint/style/noDefaultExport"),
  planted(`${run}/server/long.ts`, "301 lines", lines(301), "lint/style/noExcessiveLinesPerFile"),
  planted(
    `${run}/server/floating.ts`,
    "a promise that nobody awaits",
    'async function work(): Promise<string> {\n  return "";\n}\n\nexport function start(): void {\n  work();\n}\n',
    "lint/nursery/noFloatingPromises",
  ),
];

const allowed: Planted[] = [
  importing(`${run}/protocol/ok.ts`, "./errors.ts"),
  importing(`${run}/protocol/revisions/ok.ts`, "../errors.ts"),
  importing(`${run}/schema/json-schema/ok.ts`, "../../support/memo.ts"),
  importing(`${run}/transports/http/node/ok.ts`, "../../../server/server.ts"),
  importing(`${run}/transports/http/node/ok-own.ts`, "../exchange.ts"),
  importingType(`${run}/calls/ok-type.ts`, "../server/server.ts"),
  importing(`${run}/server/ok.test.ts`, "some-package"),
  importing(`${run}/transports/stdio/ok.ts`, "node:fs/promises"),
  importing(`${run}/transports/http/node/ok-node.ts`, "node:http"),
  importing(`${run}/providers/files/ok.ts`, "node:fs"),
  importing(`${run}/providers/jsonl/ok.ts`, "node:fs"),
  importing(`${run}/adapters/ok.ts`, "some-package"),
  importing(`${run}/telemetry/ok.ts`, "@opentelemetry/api"),
  importing(`${run}/testing/ok.ts`, "../transports/memory.ts"),
  importing(`${run}/oauth/ok.ts`, "../transports/http/challenge.ts"),
  importing(`${run}/transports/protections.ts`, "../oauth/oauth.ts"),
  importing(`${run}/transports/serve-built.ts`, "../flags.ts"),
  importing(`${run}/oauth/jose.ts`, "jose"),
  importing(`${run}/bin.ts`, "node:module"),
  importing(`${run}/index.ts`, "./server/server.ts"),
  importing(`${run}/ajv.ts`, "ajv"),
  importing(`${cli}/ok.ts`, "proffer/stdio"),
  importing(`${cli}/derive/ok.ts`, "typescript"),
  importing(`${cli}/inspector/page/ok.ts`, "preact/hooks"),
  importing(`${cli}/inspector/page/state/ok.ts`, "../ok.ts"),
  importingType(`${cli}/inspector/page/state/ok-type.ts`, "../../protocol/call.ts"),
  planted("examples/quickstart/server.ts", "a default export", "export default 1;\n", undefined),
  planted(`${run}/server/long-enough.ts`, "300 lines", lines(300), undefined),
  planted(`${run}/server/long.test.ts`, "301 lines", lines(301), undefined),
];

function lines(count: number): string {
  return Array.from({ length: count }, (_, line) => `export const line${line} = ${line};\n`).join("");
}

describe("the linter keeps the import directions", () => {
  const scratch = mkdtempSync(join(tmpdir(), "proffer-boundaries-"));
  const found = new Map<string, string[]>();

  beforeAll(() => {
    for (const name of ["biome.json", ".gitignore"]) copyFileSync(join(root, name), join(scratch, name));
    cpSync(join(root, "scripts/lint"), join(scratch, "scripts/lint"), { recursive: true });
    const other = importing(`${run}/server/cycle-b.ts`, "./cycle-a.ts");
    for (const { path, source } of [...directions, ...refused, ...allowed, other]) {
      mkdirSync(dirname(join(scratch, path)), { recursive: true });
      writeFileSync(join(scratch, path), source);
    }
    for (const { category, location } of lint(scratch)) {
      found.set(location.path, [...(found.get(location.path) ?? []), category]);
    }
  });

  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  it("has a row for every folder", () => {
    expect(foldersIn(run).sort()).toEqual([...Object.keys(CORE), ...Object.keys(OUTER)].sort());
    expect(foldersIn(cli).sort()).toEqual(Object.keys(CLI).sort());
    expect(foldersIn(`${cli}/derive`).sort()).toEqual(Object.keys(DERIVE).sort());
  });

  it("refuses an import of a value from another folder, unless the table allows it", () => {
    const wrong = directions.filter(
      ({ path, rule }) => (found.get(path) ?? []).includes(direction) !== (rule === direction),
    );
    expect(wrong).toEqual([]);
  });

  for (const { path, holds, rule } of refused) {
    it(`refuses ${holds} in ${path}`, () => {
      expect(found.get(path) ?? []).toContain(rule);
    });
  }

  for (const { path, holds } of allowed) {
    it(`accepts ${holds} in ${path}`, () => {
      expect(found.get(path) ?? []).toEqual([]);
    });
  }
});

interface Diagnostic {
  readonly category: string;
  readonly location: { readonly path: string };
}

function lint(folder: string): Diagnostic[] {
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
  const { stdout } = spawnSync(process.execPath, [biome, "lint", "--reporter=json", "--max-diagnostics=none", "."], {
    cwd: folder,
    encoding: "utf8",
  });
  return JSON.parse(stdout).diagnostics;
}
