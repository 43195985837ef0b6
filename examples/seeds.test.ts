import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const source = join(root, "packages/proffer/src");
const page = join(root, "examples/seeds.md");
const scratch = mkdtempSync(join(tmpdir(), "proffer-seeds-"));

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The documents that Proffer is based on. */
const DOCUMENTS = [
  "`mcp_resource_protocol` of Logtalk",
  "`mcp_tool_protocol` of Logtalk",
  "`mcp_server` of Logtalk",
  "Resources of the ABAP MCP Server SDK",
  "MCP resources of algocline",
];

interface Row {
  readonly document: string;
  readonly feature: string;
  readonly code: string;
  /** An absolute path. */
  readonly file: string;
  readonly test: string;
}

const rows = readFileSync(page, "utf8")
  .split(/^## /m)
  .slice(1)
  .flatMap((section) =>
    section
      .split("\n")
      .filter(isRow)
      .map((line) => toRow(line, section.split("\n")[0] ?? "")),
  );

function isRow(line: string): boolean {
  return line.startsWith("| ") && !line.startsWith("| feature ");
}

function toRow(line: string, document: string): Row {
  const cells = line
    .slice(2, -2)
    .split(" | ")
    .map((cell) => cell.replaceAll("\\|", "|"));
  const [feature = "", written = "", shown = ""] = cells;
  const [, link = "", test = ""] = /^\[[^\]]+\]\(([^)]+)\): (.+)$/.exec(shown) ?? [];
  const code = written.replace(/^(`+) ?(.*?) ?\1$/, "$2");
  return { document, feature, code, file: join(dirname(page), link), test };
}

/** The test titles of each file: the first argument of `it`, `test` and their variants. */
const namesIn = new Map<string, readonly string[]>();

function testNames(file: string): readonly string[] {
  const known = namesIn.get(file);
  if (known !== undefined) return known;
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = ts.isCallExpression(node) ? node.arguments[0] : undefined;
    if (
      ts.isCallExpression(node) &&
      name &&
      ts.isStringLiteralLike(name) &&
      /^(it|test)\b/.test(node.expression.getText())
    ) {
      names.push(name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ESNext, true));
  namesIn.set(file, names);
  return names;
}

/** Whether a file has the test, by its title or by a title with placeholders whose values appear in the file. */
function hasTest({ file, test }: Row): boolean {
  if (!existsSync(file)) return false;
  if (testNames(file).includes(test)) return true;
  const text = readFileSync(file, "utf8");
  return testNames(file).some((name) => {
    const parts = name.split(/%[sj]/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const found = parts.length > 1 ? new RegExp(`^${parts.join("(.+)")}$`).exec(test) : null;
    return found?.slice(1).every((value) => text.includes(value)) ?? false;
  });
}

/** The imports and declarations that the lines of code may use. */
const PRELUDE = `
  import { assistant, contents, type Context, definePrompt, defineResource, defineServer, defineTool, fail, field, type Integer, type Message, messages, NotFound, param, defineResourceGroup, RpcError, type Server, text, ToolError, truncateJson, user } from "proffer";
  import { confine, files } from "proffer/files";
  import { jsonl } from "proffer/jsonl";
  import { sql } from "proffer/sql";
  import { serveStdio } from "proffer/stdio";
  import { connect, type TestClient } from "proffer/testing";
  import { parseTemplate } from "proffer/uri";
  declare const ctx: Context, server: Server, client: TestClient;
  declare const database: { query(text: string, values: unknown[]): Record<string, unknown>[] };
`;

describe("examples/seeds.md", () => {
  it("has a section for each document, with rows", () => {
    expect([...new Set(rows.map(({ document }) => document))]).toEqual(DOCUMENTS);
    expect(rows.filter(({ feature, code, test }) => !feature || !code || !test)).toEqual([]);
  });

  it("names no feature of a document twice", () => {
    const named = rows.map(({ document, feature }) => `${document}: ${feature}`);
    expect(named.filter((name, at) => named.indexOf(name) !== at)).toEqual([]);
  });

  it.each(DOCUMENTS)("names only tests that exist: %s", (document) => {
    const missing = rows.filter((row) => row.document === document && !hasTest(row));
    expect(missing.map(({ feature, file, test }) => `${feature}: ${file.slice(root.length)}: ${test}`)).toEqual([]);
  });

  it("detects a test that does not exist", () => {
    const [row] = rows;
    expect(row && hasTest({ ...row, test: "does not exist" })).toBe(false);
    expect(row && hasTest({ ...row, file: `${row.file}.gone` })).toBe(false);
  });

  it("has only code that compiles with the types of the package", () => {
    symlinkSync(join(root, "node_modules"), join(scratch, "node_modules"));
    const written = rows.filter(({ code }) => !code.startsWith("npx "));
    const places = new Map(written.map((row, at) => [join(scratch, `row-${at}.mts`), row]));
    for (const [path, { code }] of places) {
      // An exported function is a module; other code becomes the body of a function.
      const body = /\bexport function\b/.test(code) ? code : `export async function row() { ${code} }`;
      writeFileSync(path, `${PRELUDE}${body}\n`);
    }
    expect(problemsIn([...places.keys()]).map(([path, problem]) => `${places.get(path)?.code}: ${problem}`)).toEqual(
      [],
    );
  });

  it("has only commands that docs/cli.md explains", () => {
    const cli = readFileSync(join(root, "docs/cli.md"), "utf8");
    const commands = rows.map(({ code }) => code).filter((code) => code.startsWith("npx "));
    const unknown = commands.flatMap((code) => {
      const name = code.split(" ", 3).slice(1).join(" ");
      return [`## ${name} `, ...(code.match(/--[a-z]+/g) ?? [])].filter((part) => !cli.includes(part));
    });
    expect(commands).not.toEqual([]);
    expect(unknown).toEqual([]);
  });
});

function problemsIn(paths: readonly string[]): [path: string, problem: string][] {
  const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile);
  const theirs = {
    types: ["node"],
    paths: { proffer: [join(source, "index.ts")], "proffer/*": [join(source, "*.ts")] },
    noUnusedLocals: false,
    noUnusedParameters: false,
  };
  const { options } = ts.parseJsonConfigFileContent(
    { compilerOptions: { ...config.compilerOptions, ...theirs } },
    ts.sys,
    scratch,
  );
  const program = ts.createProgram(paths, options);
  return paths.flatMap((path) => {
    const file = program.getSourceFile(path);
    const problems = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return problems.map(({ messageText }): [string, string] => [
      path,
      ts.flattenDiagnosticMessageText(messageText, "\n"),
    ]);
  });
}
