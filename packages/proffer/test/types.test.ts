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
function check(name: string, text: string): { problems: string[]; instantiations: number } {
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

/** The same schemas without Proffer: the cost of the library alone. */
const zodAlone = `import { z } from "zod";\n${Array.from(
  { length: 200 },
  (_, n) => `const input${n} = ${zodInput(n)};
    const output${n} = ${zodOutput(n)};
    export function handle${n}(input: z.output<typeof input${n}>): z.output<typeof output${n}> {
      return { found${n}: input.key${n} };
    }`,
).join("\n")}`;

describe("two hundred tools", () => {
  it("with JSON Schema need at most 100,000 instantiations", () => {
    const { problems, instantiations } = check("plain", manyTools("", plainTool));
    expect(problems).toEqual([]);
    expect(instantiations).toBeLessThanOrEqual(100_000);
  });

  it("with zod need at most 100,000 instantiations more than zod alone", () => {
    const { problems, instantiations } = check("zod", zod);
    expect(problems).toEqual([]);
    expect(instantiations - check("zod-alone", zodAlone).instantiations).toBeLessThanOrEqual(100_000);
  });

  it("are checked: a wrong use of an input is an error", () => {
    const { problems } = check("wrong", manyTools("", plainTool, 2).replace("input.key1 ", "input.key0 "));
    expect(problems).toEqual([expect.stringContaining("key0")]);
  });
});

describe("plain options instead of a defined item", () => {
  it.each([
    ["tools", '{ name: "t", handle: () => "" }', "CreatedByDefineTool"],
    [
      "tools",
      '{ name: "t", title: "T", description: "A tool", input: { type: "object" }, handle: () => "" }',
      "CreatedByDefineTool",
    ],
    ["prompts", '{ name: "p", description: "A prompt", get: () => "" }', "CreatedByDefinePrompt"],
    ["resources", '{ uri: "s://r", name: "r", content: "" }', "CreatedByDefineResource"],
  ])("in %s lead to the define function: %s", (list, item, hint) => {
    const { problems } = check(
      "undefined",
      `import { defineServer } from "proffer";\ndefineServer({ name: "s", version: "1", ${list}: [${item}] });\n`,
    );
    expect(problems).toEqual([expect.stringContaining(hint)]);
  });
});

describe("a call of the testing client", () => {
  const head = `import { defineTool, type Server, type Tool } from "proffer";
    import { connect } from "proffer/testing";
    declare const server: Server;
    const client = await connect(server);
    export const twice = defineTool({
      name: "twice",
      input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      handle: ({ n }) => String(2 * n),
    });
    export const nothing = defineTool({ name: "nothing", handle: () => {} });
    export declare const any: Tool;\n`;
  const problemsOf = (call: string) => check("call", `${head}await client.call(${call});\n`).problems;

  it.each([
    "twice, { n: 1 }",
    "nothing",
    "any",
    "any, {}",
    '"twice"',
    '"twice", {}',
    "nothing, undefined, { _meta: {} }",
  ])("accepts %s", (call) => {
    expect(problemsOf(call)).toEqual([]);
  });

  it("names the missing input", () => {
    expect(problemsOf("twice")).toEqual([expect.stringMatching(/Expected 2-3 arguments, but got 1.*\n.*'input'/)]);
  });

  it("names the missing property of the input", () => {
    expect(problemsOf("twice, {}")).toEqual([expect.stringContaining("Property 'n' is missing in type '{}'")]);
  });

  it("names the wrong type of a property", () => {
    expect(problemsOf('twice, { n: "1" }')).toEqual([
      expect.stringContaining("Type 'string' is not assignable to type 'number'."),
    ]);
  });
});
