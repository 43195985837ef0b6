import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const run = "packages/proffer/src";
const cli = "packages/cli/src";

const layer = "lint/style/noRestrictedImports";
const nodeModules = "lint/correctness/noNodejsModules";

interface Planted {
  readonly path: string;
  readonly holds: string;
  readonly source: string;
  readonly rule?: string;
}

/** A file that imports one name from `specifier`; with `rule` it must be refused by it, without it must pass. */
function importing(path: string, specifier: string, rule?: string): Planted {
  const source = `import { name } from "${specifier}";\n\nexport const copy = name;\n`;
  const holds = `an import of ${specifier}`;
  return rule === undefined ? { path, holds, source } : { path, holds, source, rule };
}

/** Whatever folders there are: a new one needs its direction in biome.json before it can land. */
const folders = readdirSync(join(root, run), { withFileTypes: true }).filter((entry) => entry.isDirectory());

const refused: Planted[] = [
  ...folders.map(({ name }) => importing(`${run}/${name}/entry.ts`, "../index.ts", layer)),
  importing(`${run}/protocol/a.ts`, "../uri/parse.ts", layer),
  importing(`${run}/protocol/b.ts`, "../server/define.ts", layer),
  importing(`${run}/protocol/c.ts`, "some-package", layer),
  importing(`${run}/protocol/d.ts`, "@scope/some-package", layer),
  importing(`${run}/protocol/deep/a.ts`, "../../server/define.ts", layer),
  importing(`${run}/protocol/e.ts`, "node:crypto", nodeModules),
  importing(`${run}/uri/a.ts`, "../protocol/errors.ts", layer),
  importing(`${run}/uri/b.ts`, "node:url", nodeModules),
  importing(`${run}/server/a.ts`, "../transports/memory.ts", layer),
  importing(`${run}/server/b.ts`, "../providers/files.ts", layer),
  importing(`${run}/server/c.ts`, "../scale/bus.ts", layer),
  importing(`${run}/server/e.ts`, "proffer", layer),
  importing(`${run}/server/f.ts`, "node:crypto", nodeModules),
  importing(`${run}/server/methods/a.ts`, "../../transports/memory.ts", layer),
  importing(`${run}/server/methods/b.ts`, "../../index.ts", layer),
  importing(`${run}/server/methods/c.ts`, "node:fs/promises", nodeModules),
  importing(`${run}/transports/a.ts`, "../providers/files.ts", layer),
  importing(`${run}/transports/b.ts`, "../stdio.ts", layer),
  importing(`${run}/transports/fetch.ts`, "node:http", nodeModules),
  importing(`${run}/transports/stdio-pipe.ts`, "some-package", layer),
  importing(`${run}/transports/deep/a.ts`, "../../index.ts", layer),
  importing(`${run}/providers/a.ts`, "../transports/memory.ts", layer),
  importing(`${run}/providers/sql.ts`, "node:fs", nodeModules),
  importing(`${run}/scale/a.ts`, "../providers/files.ts", layer),
  importing(`${run}/scale/redis.ts`, "node:net", nodeModules),
  importing(`${run}/adapters/a.ts`, "../transports/memory.ts", layer),
  importing(`${run}/testing/a.ts`, "../transports/stdio.ts", layer),
  importing(`${run}/testing/b.ts`, "some-package", layer),
  importing(`${run}/stdio.ts`, "./index.ts", layer),
  importing(`${run}/testing.ts`, "proffer/stdio", layer),
  importing(`${run}/http.ts`, "node:http", nodeModules),
  importing(`${cli}/a.ts`, "../../proffer/src/server/define.ts", layer),
  importing(`${cli}/commands/a.ts`, "proffer/dist/index.js", layer),
  importing(`${cli}/commands/b.ts`, "typescript", layer),
  importing(`${cli}/derive/a.ts`, "../../../proffer/src/index.ts", layer),
  importing("examples/quickstart/a.ts", "../../packages/proffer/src/index.ts", layer),
  importing(`${run}/server/cycle-a.ts`, "./cycle-b.ts", "lint/suspicious/noImportCycles"),
  {
    path: `${run}/server/BadName.ts`,
    holds: "a name that is not in kebab-case",
    source: "export const name = 1;\n",
    rule: "lint/style/useFilenamingConvention",
  },
  {
    path: `${run}/all.ts`,
    holds: "a re-export of everything",
    source: 'export * from "./server/a.ts";\n',
    rule: "lint/performance/noReExportAll",
  },
  {
    path: `${run}/server/default.ts`,
    holds: "a default export",
    source: "export default 1;\n",
    rule: "lint/style/noDefaultExport",
  },
  {
    path: `${run}/server/long.ts`,
    holds: "301 lines",
    source: lines(301),
    rule: "lint/style/noExcessiveLinesPerFile",
  },
  {
    path: `${run}/server/floating.ts`,
    holds: "a promise that nobody awaits",
    source:
      'async function work(): Promise<string> {\n  return "";\n}\n\nexport function start(): void {\n  work();\n}\n',
    rule: "lint/nursery/noFloatingPromises",
  },
];

const allowed: Planted[] = [
  importing(`${run}/protocol/ok.ts`, "./errors.ts"),
  importing(`${run}/protocol/deep/ok.ts`, "../errors.ts"),
  importing(`${run}/server/ok-protocol.ts`, "../protocol/errors.ts"),
  importing(`${run}/server/ok-uri.ts`, "../uri/parse.ts"),
  importing(`${run}/server/methods/ok-own.ts`, "../registry.ts"),
  importing(`${run}/server/methods/ok-sibling.ts`, "../json-schema/compile.ts"),
  importing(`${run}/server/methods/ok-protocol.ts`, "../../protocol/errors.ts"),
  importing(`${run}/server/ok.test.ts`, "some-package"),
  importing(`${run}/transports/ok.ts`, "../server/dispatch.ts"),
  importing(`${run}/transports/stdio-ok.ts`, "node:fs/promises"),
  importing(`${run}/transports/node-ok.ts`, "node:http"),
  importing(`${run}/providers/files-ok.ts`, "node:fs"),
  importing(`${run}/providers/jsonl-ok.ts`, "node:fs"),
  importing(`${run}/scale/ok.ts`, "../uri/parse.ts"),
  importing(`${run}/adapters/ok.ts`, "some-package"),
  importing(`${run}/adapters/ok-server.ts`, "../server/schema.ts"),
  importing(`${run}/testing/ok.ts`, "../transports/memory.ts"),
  importing(`${run}/bin.ts`, "node:module"),
  importing(`${run}/index.ts`, "./server/define.ts"),
  importing(`${run}/ajv.ts`, "ajv"),
  importing(`${cli}/ok.ts`, "proffer/stdio"),
  importing(`${cli}/derive/ok.ts`, "typescript"),
  { path: "examples/quickstart/server.ts", holds: "a default export", source: "export default 1;\n" },
  { path: `${run}/server/long-enough.ts`, holds: "300 lines", source: lines(300) },
  { path: `${run}/server/long.test.ts`, holds: "301 lines", source: lines(301) },
];

function lines(count: number): string {
  return Array.from({ length: count }, (_, line) => `export const line${line} = ${line};\n`).join("");
}

describe("the linter keeps the import directions", () => {
  const scratch = mkdtempSync(join(tmpdir(), "proffer-boundaries-"));
  const found = new Map<string, string[]>();

  beforeAll(() => {
    for (const name of ["biome.json", ".gitignore"]) copyFileSync(join(root, name), join(scratch, name));
    const other = importing(`${run}/server/cycle-b.ts`, "./cycle-a.ts");
    for (const { path, source } of [...refused, ...allowed, other]) {
      mkdirSync(dirname(join(scratch, path)), { recursive: true });
      writeFileSync(join(scratch, path), source);
    }
    for (const { category, location } of lint(scratch)) {
      found.set(location.path, [...(found.get(location.path) ?? []), category]);
    }
  });

  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

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
