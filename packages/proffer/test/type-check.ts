import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "proffer-types-"));
symlinkSync(join(root, "node_modules"), join(scratch, "node_modules"));

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const options: ts.CompilerOptions = {
  ...ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile).config.compilerOptions,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts", "lib.webworker.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
  paths: {
    proffer: [join(root, "packages/proffer/src/index.ts")],
    "proffer/testing": [join(root, "packages/proffer/src/testing.ts")],
  },
};

const host = ts.createCompilerHost(options);
const readFile = host.getSourceFile;
const files = new Map<string, ts.SourceFile | undefined>();
let checked = 0;
/** Parses files that all programs share only once. */
host.getSourceFile = (path, ...rest) => {
  if (!files.has(path)) files.set(path, readFile(path, ...rest));
  return files.get(path);
};

/** Checks one module as an editor does. Returns its errors with their notes, and the number of instantiations. */
export function check(name: string, text: string): { problems: string[]; instantiations: number } {
  // The host caches files by path, so each module has its own.
  const path = join(scratch, `${name}-${checked++}.mts`);
  writeFileSync(path, text);
  const program = ts.createProgram([path], options, host);
  const problems = program
    .getSemanticDiagnostics(program.getSourceFile(path))
    .map(({ messageText, relatedInformation = [] }) =>
      [messageText, ...relatedInformation.map((note) => note.messageText)]
        .map((message) => ts.flattenDiagnosticMessageText(message, "\n"))
        .join("\n"),
    );
  return { problems, instantiations: program.getInstantiationCount() };
}

/** A server of many different tools, each of which uses its input and declares an output. */
export function manyTools(head: string, tool: (n: number) => string, length = 200): string {
  const tools = Array.from({ length }, (_, n) => tool(n)).join("\n");
  return `import { defineServer, defineTool } from "proffer";\n${head}\nexport default defineServer({
  name: "many", version: "1", tools: [\n${tools}\n] });\n`;
}

export const plainTool = (n: number) => `defineTool({
    name: "tool_${n}",
    input: {
      type: "object",
      properties: {
        key${n}: { type: "string" },
        count: { type: "integer", minimum: ${n} },
        tags: { type: "array", items: { enum: ["a${n}", "b", "c"] } },
        place: { type: "object", properties: { x${n}: { type: "number" }, y: { type: "number" } }, required: ["y"] },
      },
      required: ["key${n}", "place"],
    },
    output: { type: "object", properties: { found${n}: { type: "string" } }, required: ["found${n}"] },
    handle: (input) => ({ found${n}: input.key${n} + (input.tags?.[0] ?? "") + String(input.place.y + (input.count ?? 0)) }),
  }),`;
