import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

// Every `ts` snippet of the README and the guides compiles in strict mode, and runs and exits without help.

const root = fileURLToPath(new URL("../../../", import.meta.url));
const source = join(root, "packages/proffer/src");
const scratch = mkdtempSync(join(tmpdir(), "proffer-docs-"));

interface Snippet {
  /** For example `docs/tools.md:7`. */
  readonly place: string;
  readonly path: string;
  readonly code: string;
}

const documents = [
  "README.md",
  "packages/proffer/README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
const snippets = documents.flatMap(snippetsOf);

function snippetsOf(document: string): Snippet[] {
  const text = readFileSync(join(root, document), "utf8");
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((found) => {
    const line = text.slice(0, found.index).split("\n").length;
    const name = `${document.replace(/\W/g, "-").toLowerCase()}-${line}.ts`;
    return { place: `${document}:${line}`, path: join(scratch, name), code: found[1] ?? "" };
  });
}

beforeAll(() => {
  symlinkSync(join(root, "node_modules"), join(scratch, "node_modules"));
  writeFileSync(join(scratch, "package.json"), '{ "type": "module" }');
  for (const { path, code } of snippets) writeFileSync(path, code);
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe("the snippets of the documentation", () => {
  it("exist, and all are marked as ts", () => {
    expect(snippets.length).toBeGreaterThan(10);
    for (const document of documents) {
      expect([document, readFileSync(join(root, document), "utf8").match(/^```(ts .*|typescript)$/gm)]).toEqual([
        document,
        null,
      ]);
    }
  });

  it("compile", () => {
    const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile);
    const paths = { proffer: [join(source, "index.ts")], "proffer/*": [join(source, "*.ts")] };
    // Authors may use enums; Proffer's own sources do not.
    const theirs = { types: ["node"], paths, noUnusedLocals: false, erasableSyntaxOnly: false };
    const { options } = ts.parseJsonConfigFileContent(
      { compilerOptions: { ...config.compilerOptions, ...theirs } },
      ts.sys,
      scratch,
    );
    const program = ts.createProgram(
      snippets.map(({ path }) => path),
      options,
    );
    const problems = snippets.flatMap(({ path, place }) =>
      program.getSemanticDiagnostics(program.getSourceFile(path)).map((problem) => {
        const line = (problem.file?.getLineAndCharacterOfPosition(problem.start ?? 0).line ?? 0) + 1;
        return `${place}+${line}: ${ts.flattenDiagnosticMessageText(problem.messageText, "\n")}`;
      }),
    );
    expect(problems).toEqual([]);
  });

  // Settings need a derived schema; settings.test.ts of the command line loads those of the documentation.
  const runnable = snippets.filter(({ code }) => !code.includes("defineSettings<"));

  it.concurrent.each(runnable)("run: $place", async ({ path }) => {
    const program = path.replace(/\.ts$/, ".mjs");
    await build({
      entryPoints: [path],
      outfile: program,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      logLevel: "error",
      plugins: [
        {
          name: "the workspace's sources, and everybody else's packages",
          setup({ onResolve }) {
            onResolve({ filter: /^proffer(\/|$)/ }, (found) => ({
              path: join(source, `${found.path.slice("proffer/".length) || "index"}.ts`),
            }));
            onResolve({ filter: /^[^./]/ }, (found) => ({ path: found.path, external: found.kind !== "entry-point" }));
          },
        },
      ],
    });
    // Some snippets create a folder and leave it in the temporary directory.
    const env = { ...process.env, TMPDIR: scratch, TEMP: scratch };
    const child = spawn(process.execPath, [program], { cwd: scratch, env, stdio: ["ignore", "ignore", "pipe"] });
    let printed = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
    const [code] = await once(child, "close");
    expect({ code, printed: code === 0 ? "" : printed }).toEqual({ code: 0, printed: "" });
  });
});
