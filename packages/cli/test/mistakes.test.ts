import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createProject, type Project } from "./project.ts";

/** Mistakes of people who use Proffer for the first time. Each message names the cause and the remedy. */

let project: Project;

beforeAll(() => {
  project = createProject();
});
afterAll(() => project.remove());

/** Runs a command and returns all of its output. */
async function outputOf(...args: string[]): Promise<string> {
  const { stdout, stderr } = await project.proffer(...args);
  return stdout + stderr;
}

describe("check", () => {
  test("reports one error for a missing parenthesis, with the word before which it is missing", async () => {
    project.write("syntax.ts", "/** Doubles. */", "export function f(a: number: number {", "  return a;", "}");
    const output = await outputOf("check", "syntax.ts");
    expect(output.match(/TS1005/g)).toHaveLength(1);
    expect(output).toContain(
      "syntax.ts:2:28 error TS1005 ',' expected before ':'. Other errors in this file may follow",
    );
    expect(output).toContain("error: syntax.ts has an error.");
  });

  test("names the functions that are not exported", async () => {
    project.write("private.ts", "/** Adds. */", "function add(a: number) { return a; }", "const sub = () => add(1);");
    expect(await outputOf("check", "private.ts")).toContain("Write export before 'add' or 'sub'");
  });

  test("says in which file a CommonJS module is not one, and how to rename it", async () => {
    project.write("common.js", "/** Adds. */", "exports.add = (a) => a;");
    expect(await outputOf("check", "common.js")).toMatch(
      /common\.js:2:1 error PF1009 'exports' is CommonJS.*Write export, or rename it to common\.cjs/,
    );
  });

  test("proposes a URI for a resource without a scheme", async () => {
    project.write("scheme.ts", "/** Things. @resource things */", 'export const things = () => "x";');
    expect(await outputOf("check", "scheme.ts")).toContain("Write, for example, @resource app://things;");
  });
});

describe("call", () => {
  test("names the package to install, and no file that Proffer wrote", async () => {
    project.write(
      "missing.ts",
      'import { x } from "not-installed/part";',
      "/** X. */",
      "export const f = (): string => x;",
    );
    const output = await outputOf("call", "missing.ts", "f");
    expect(output).toContain(
      "TS2307 Cannot find module 'not-installed/part' or its corresponding type declarations. If",
    );
    expect(output).toContain(
      "missing.ts, or a file that it imports, needs this package. Run: npm install not-installed\n",
    );
    expect(output).not.toContain(".proffer");
  });

  test.each([
    ["exports", "globalThis.old = exports;", "Write export instead of exports"],
    ["require", 'typeof require; require("node:fs");', "createRequire"],
    ["__dirname", "typeof __dirname; globalThis.old = __dirname;", "Write import.meta.dirname."],
  ])("says that an ES module has no '%s'", async (name, statement, remedy) => {
    const file = `esm-${name}.ts`;
    project.write(file, "// @ts-nocheck", statement, "/** X. */", "export const f = () => 1;");
    const output = await outputOf("call", file, "f");
    expect(output).toContain(`'${name}' of CommonJS does not exist. `);
    expect(output).toContain(remedy);
    expect(output).not.toContain(".proffer");
  });

  test("names the revisions instead of an unknown one", async () => {
    project.write("plain.ts", "/** One. */", "export const one = () => 1;");
    expect(await outputOf("call", "plain.ts", "one", "--revision", "2030-01-01")).toBe(
      'error: Unknown protocol revision "2030-01-01". Use one of 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05.\n',
    );
  });

  test.each([
    ["2026-07-28", "does not speak revision 2026-07-28. Leave out --revision"],
    ["2025-03-26", 'does not speak revision 2025-03-26 and answers with "2025-06-18". Leave out --revision'],
  ])("says that a server does not speak revision %s", async (revision, message) => {
    // Like a server of the year 2025: it knows initialize only, and offers the one revision that it has.
    project.write(
      "old-server.mjs",
      'import { createInterface } from "node:readline";',
      "for await (const line of createInterface({ input: process.stdin })) {",
      "  const { id, method } = JSON.parse(line);",
      '  const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "old", version: "1" } };',
      '  const answer = method === "initialize" ? { result } : { error: { code: -32601, message: "Method not found" } };',
      '  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));',
      "}",
    );
    const output = await outputOf("list", "--revision", revision, "--", "node", "old-server.mjs");
    expect(output).toContain(message);
  });
});
