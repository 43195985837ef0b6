import { defineServer, defineTool } from "proffer";
import { serveHttp } from "proffer/http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createProject } from "../project.ts";

const project = createProject();
afterAll(() => project.remove());

const tool = (name: string, description: string) =>
  defineTool({
    name,
    description,
    input: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    output: { type: "object", properties: { total: { type: "number" } }, required: ["total"] },
    handle: () => ({ total: 1 }),
  });

/** Serves tools at a new address. */
async function serve(...tools: ReturnType<typeof tool>[]) {
  return serveHttp(defineServer({ name: "git hub", version: "1.0.0", tools }), { port: 0 });
}

const FILE = `// Written by \`proffer types\`. Do not edit: write it again.
export interface GitHub {
  readonly $server: { readonly name: "git hub"; readonly version: "1.0.0" };
  readonly tools: {
    /** Finds *\\/ things. */
    readonly find: (input: {
      id: string;
    }) => Promise<{
      total: number;
    }>;
    /** Reads. */
    readonly read: (input: {
      id: string;
    }) => Promise<{
      total: number;
    }>;
  };
  readonly prompts: {};
  readonly resources: {};
}
`;

describe("proffer types", () => {
  beforeAll(async () => {
    const { url, close } = await serve(tool("read", "Reads."), tool("find", "Finds */ things."));
    const first = await project.proffer("types", url, "--out", "hub.d.ts");
    await close();
    expect(first).toMatchObject({ status: 0, stderr: "Wrote hub.d.ts.\n" });
  });

  test("writes the interface of a server", () => {
    expect(project.read("hub.d.ts")).toBe(FILE);
  });

  test("writes the same for lists in another order, and prints without a file", async () => {
    const { url, close } = await serve(tool("find", "Finds */ things."), tool("read", "Reads."));
    expect(await project.proffer("types", url, "--out", "hub.d.ts", "--check")).toMatchObject({
      status: 0,
      stderr: "hub.d.ts is up to date.\n",
    });
    expect((await project.proffer("types", url)).stdout).toBe(FILE);
    await close();
  });

  test("shows what changed with --check, and exits with code 1", async () => {
    const { url, close } = await serve(tool("find", "Finds */ things."), tool("write", "Writes."));
    const { status, stdout, stderr } = await project.proffer("types", url, "--out", "hub.d.ts", "--check");
    await close();
    expect(status).toBe(1);
    expect(stdout).toContain("-     /** Reads. */\n-     readonly read: (input: {\n+     /** Writes. */");
    expect(stderr).toContain("hub.d.ts is not up to date with the server.");
    expect(project.read("hub.d.ts")).toBe(FILE);
  });

  test("replaces no file that it did not write, and none that TypeScript does not read", async () => {
    project.write("own.d.ts", "export const own: 5;");
    project.write("shop.ts", "/** Orders. */ export const order = (id: string, limit?: number) => ({ id, limit });");
    const refused = await project.proffer("types", "shop.ts", "--out", "own.d.ts");
    expect(refused).toMatchObject({ status: 1 });
    expect(refused.stderr).toContain("own.d.ts was not written by this command.");
    const hidden = await project.proffer("types", "shop.ts", "--out", "shop.d.ts");
    expect(hidden.stderr).toContain("TypeScript would read shop.ts instead of shop.d.ts.");
    const missing = await project.proffer("types", "shop.ts", "--out", "none.d.ts", "--check");
    expect(missing.stderr).toContain("none.d.ts does not exist.");
    expect(missing.status).toBe(1);
  });

  test("writes functions with their parameters", async () => {
    project.write("shop.ts", "/** Orders. */ export const order = (id: string, limit?: number) => ({ id, limit });");
    const { stdout } = await project.proffer("types", "shop.ts", "--name", "Shop");
    expect(stdout).toContain("export interface Shop {");
    expect(stdout).toContain(
      "readonly order: (...args: [id: string, limit?: number]) => Promise<{\n      id: string;\n      limit?: number;",
    );
  });

  test.each([
    [["--check"], "--check compares with a file: add --out <file>."],
    [["--name", "git hub"], '--name must be the name of an interface, such as GitHub, not "git hub".'],
  ])("refuses %j", async (flags, message) => {
    const { status, stderr } = await project.proffer("types", "shop.ts", ...flags);
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });
});
