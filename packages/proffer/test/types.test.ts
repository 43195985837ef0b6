import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll, describe, expect, it } from "vitest";

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
  paths: { proffer: [join(root, "packages/proffer/src/index.ts")] },
};

const host = ts.createCompilerHost(options);
const readFile = host.getSourceFile;
const files = new Map<string, ts.SourceFile | undefined>();
/** What all programs share is parsed once. */
host.getSourceFile = (path, ...rest) => {
  if (!files.has(path)) files.set(path, readFile(path, ...rest));
  return files.get(path);
};

/** Checks one module as an editor would, and says what it found and how much work that was. */
function check(name: string, text: string): { problems: string[]; instantiations: number } {
  const path = join(scratch, `${name}.mts`);
  writeFileSync(path, text);
  const program = ts.createProgram([path], options, host);
  const problems = program
    .getSemanticDiagnostics(program.getSourceFile(path))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  return { problems, instantiations: program.getInstantiationCount() };
}

/** A server of many tools, none like the other, each of which uses its input and promises an output. */
function manyTools(head: string, tool: (n: number) => string, length = 200): string {
  const tools = Array.from({ length }, (_, n) => tool(n)).join("\n");
  return `import { defineServer, defineTool } from "proffer";\n${head}\nexport default defineServer({
  name: "many", version: "1", tools: [\n${tools}\n] });\n`;
}

const plainTool = (n: number) => `defineTool({
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

/** The schemas of a library for the n-th tool. */
const zodInput = (n: number) => `z.object({
    key${n}: z.string(),
    count: z.int().min(${n}).optional(),
    tags: z.array(z.enum(["a${n}", "b", "c"])).optional(),
    place: z.object({ x${n}: z.number().optional(), y: z.number() }),
  })`;
const zodOutput = (n: number) => `z.object({ found${n}: z.string() })`;

const zod = manyTools(
  'import { z } from "zod";',
  (n) => `defineTool({
    name: "tool_${n}",
    input: ${zodInput(n)},
    output: ${zodOutput(n)},
    handle: (input) => ({ found${n}: input.key${n} + (input.tags?.[0] ?? "") + String(input.place.y + (input.count ?? 0)) }),
  }),`,
);

/** The same schemas without us: what the library asks of the compiler by itself. */
const zodAlone = `import { z } from "zod";\n${Array.from(
  { length: 200 },
  (_, n) => `const input${n} = ${zodInput(n)};
    const output${n} = ${zodOutput(n)};
    export function handle${n}(input: z.output<typeof input${n}>): z.output<typeof output${n}> {
      return { found${n}: input.key${n} };
    }`,
).join("\n")}`;

describe("two hundred tools", () => {
  it("with JSON Schema are checked with at most 100,000 instantiations", () => {
    const { problems, instantiations } = check("plain", manyTools("", plainTool));
    expect(problems).toEqual([]);
    expect(instantiations).toBeLessThanOrEqual(100_000);
  });

  it("with zod are checked with at most 100,000 instantiations more than zod needs for itself", () => {
    const { problems, instantiations } = check("zod", zod);
    expect(problems).toEqual([]);
    expect(instantiations - check("zod-alone", zodAlone).instantiations).toBeLessThanOrEqual(100_000);
  });

  it("are checked at all: a wrong use of an input is found", () => {
    const { problems } = check("wrong", manyTools("", plainTool, 2).replace("input.key1 ", "input.key0 "));
    expect(problems).toEqual([expect.stringContaining("key0")]);
  });
});
