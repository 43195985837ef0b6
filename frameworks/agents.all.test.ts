import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { distFile } from "../packages/proffer/test/dist.ts";

// The examples of docs/agents.md: compiled, and each calls its tool as the SDK does, without a model.

const here = fileURLToPath(new URL(".", import.meta.url));
const page = readFileSync(join(here, "../docs/agents.md"), "utf8");
const work = join(here, "work-agents");

const SERVER = `import { defineServer, defineTool } from "proffer";
const divide = defineTool({
  name: "divide",
  description: "Divides.",
  input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  handle: ({ a, b }) => String(a / b),
});
export const server = defineServer({ name: "calculator", version: "1.0.0", tools: [divide] });
`;

/** How each SDK calls a tool. */
const CALLS: Readonly<Record<string, string>> = {
  "agents/ai-sdk": 'await tools.divide.execute({ a: 6, b: 2 }, { toolCallId: "1", messages: [] })',
  "agents/langchain": "await tools[0].invoke({ a: 6, b: 2 })",
  "agents/openai": "await tools[0].invoke(undefined, JSON.stringify({ a: 6, b: 2 }))",
};

beforeAll(() => {
  const install = 'import { ensureInstalledIn } from "./scripts/npm.mjs"; ensureInstalledIn("frameworks");';
  spawnSync(process.execPath, ["--input-type=module", "--eval", install], { cwd: join(here, ".."), stdio: "inherit" });
  const copy = join(work, "node_modules/proffer");
  mkdirSync(copy, { recursive: true });
  for (const name of ["dist", "package.json"])
    cpSync(join(dirname(distFile("index.js")), "..", name), join(copy, name), { recursive: true });
  write("package.json", '{ "private": true, "type": "module" }');
  const options = {
    module: "nodenext",
    target: "es2023",
    strict: true,
    skipLibCheck: true,
    outDir: "out",
    types: ["node"],
  };
  const compilerOptions = { ...options, rewriteRelativeImportExtensions: true, rootDir: "." };
  write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["agents", "server.ts"] }));
  write("server.ts", SERVER);
  for (const [, path = "", code = ""] of page.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)) write(path, code);
}, 600_000);
afterAll(() => rmSync(work, { recursive: true, force: true }));

it("compile", () => {
  const tsc = join(here, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [tsc], { cwd: work, encoding: "utf8" });
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
}, 300_000);

it.each(Object.entries(CALLS))("%s calls a tool of a server in this process", (path, call) => {
  const program = `import { tools } from "./out/${path}.js"; console.log(JSON.stringify(${call}));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: work,
    encoding: "utf8",
  });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain('"text":"3"');
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(work, path)), { recursive: true });
  writeFileSync(join(work, path), text);
}
