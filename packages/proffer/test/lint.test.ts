import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const run = "packages/proffer/src";
const cli = "packages/cli/src";

const packages = "lint/style/noRestrictedImports";
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

function planted(path: string, holds: string, source: string, rule: string | undefined): Planted {
  return rule === undefined ? { path, holds, source } : { path, holds, source, rule };
}

const refused: Planted[] = [
  importing(`${run}/oauth/b.ts`, "jose", packages),
  importing(`${run}/protocol/c.ts`, "some-package", packages),
  importing(`${run}/protocol/d.ts`, "@scope/some-package", packages),
  importing(`${run}/server/e.ts`, "proffer", packages),
  importing(`${run}/adapters/e.ts`, "proffer/stdio", packages),
  importing(`${run}/transports/stdio/a.ts`, "some-package", packages),
  importing(`${run}/testing/b.ts`, "some-package", packages),
  importing(`${run}/policy/b.ts`, "some-package", packages),
  importing(`${run}/features/telemetry/b.ts`, "proffer/observe", packages),
  importing(`${run}/stdio.ts`, "./index.ts", packages),
  importing(`${run}/testing.ts`, "proffer/stdio", packages),
  importing(`${cli}/a.ts`, "../../proffer/src/server/server.ts", packages),
  importing(`${cli}/commands/a.ts`, "proffer/dist/index.js", packages),
  importing(`${cli}/commands/b.ts`, "typescript", packages),
  importing(`${cli}/derive/a.ts`, "../../../proffer/src/index.ts", packages),
  importing("packages/inspector/src/page/state/c.ts", "node:fs", nodeModules),
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
  importing(`${run}/server/ok.test.ts`, "some-package"),
  importing(`${run}/transports/stdio/ok.ts`, "node:fs/promises"),
  importing(`${run}/transports/http/node/ok-node.ts`, "node:http"),
  importing(`${run}/providers/files/ok.ts`, "node:fs"),
  importing(`${run}/providers/jsonl/ok.ts`, "node:fs"),
  importing(`${run}/adapters/ok.ts`, "some-package"),
  importing(`${run}/features/telemetry/ok.ts`, "@opentelemetry/api"),
  importing(`${run}/oauth/issuer.ts`, "jose"),
  importing(`${run}/bin.ts`, "node:module"),
  importing(`${run}/ajv.ts`, "ajv"),
  importing(`${cli}/ok.ts`, "proffer/stdio"),
  importing(`${cli}/derive/ok.ts`, "typescript"),
  importing("packages/inspector/src/page/ok.ts", "preact/hooks"),
  planted("examples/quickstart/server.ts", "a default export", "export default 1;\n", undefined),
  planted(`${run}/server/long-enough.ts`, "300 lines", lines(300), undefined),
  planted(`${run}/server/long.test.ts`, "301 lines", lines(301), undefined),
];

function lines(count: number): string {
  return Array.from({ length: count }, (_, line) => `export const line${line} = ${line};\n`).join("");
}

describe("the linter", () => {
  const scratch = mkdtempSync(join(tmpdir(), "proffer-lint-"));
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
