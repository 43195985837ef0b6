import { existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { linkCommand, linkUrl } from "proffer/client";
import { connectOver } from "proffer/testing";
import ts from "typescript";
import { afterAll, beforeAll, expect, it } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";
import { createProject, type Project, waitForStderr } from "./project.ts";

const NODE_TYPES = fileURLToPath(new URL("../../../node_modules/@types/node/index.d.ts", import.meta.url));

let project: Project;

beforeAll(async () => {
  project = createProject();
  project.write("lib/when.ts", "export const days = (count: number): number => count * 86_400_000;");
  project.write(
    "tools.ts",
    'import type { Context } from "proffer";',
    'import { days } from "./lib/when.ts";',
    "/** Days later. */",
    "export const later = (from: Date, count = 1): Date => new Date(from.getTime() + days(count));",
    "/** Asks. */",
    "export async function ask(ctx: Context): Promise<string> {",
    '  const answer = await ctx.ask<{ name: string }>("Who?");',
    '  return answer.action === "accept" ? answer.content.name : answer.action;',
    "}",
  );
  expect(await project.proffer("build", "tools.ts", "--out", "dist")).toMatchObject({ status: 0, stdout: "" });
});

afterAll(() => project.remove());

/** Runs `work` without an installed command line and compiler. */
async function withoutCommandLine(work: () => Promise<void>): Promise<void> {
  rmSync(project.path("node_modules/@proffer"), { recursive: true });
  try {
    await work();
  } finally {
    const cli = fileURLToPath(new URL("..", import.meta.url));
    project.write("node_modules/@proffer/readme", "");
    symlinkSync(cli, project.path("node_modules/@proffer/cli"), "junction");
  }
}

it("a built folder runs over stdio with only the run-time package installed", () =>
  withoutCommandLine(async () => {
    const client = await connectOver(linkCommand([process.execPath, project.path("dist/index.js")]), {
      answers: [{ name: "Ada" }],
    });
    const { structuredContent } = await client.call("later", { from: "2024-02-28T00:00:00Z" });
    expect(structuredContent).toBe("2024-02-29T00:00:00.000Z");
    expect((await client.call("ask")).content).toEqual([{ type: "text", text: "Ada" }]);
    await client.close();
  }));

it("a built folder runs over HTTP", async () => {
  const server = project.startNode("dist/index.js", "--http", "0");
  const url = /http:\S+/.exec(await waitForStderr(server, /http:\S+/))?.[0] ?? "";
  const client = await connectOver(linkUrl(url), { revision: "2025-11-25" });
  expect((await client.call("later", { from: "2024-02-28T00:00:00Z", count: 2 })).structuredContent).toEqual({
    result: "2024-03-01T00:00:00.000Z",
  });
  await client.close();
});

it("the commands accept a built folder like a module", async () => {
  expect((await project.proffer("list", "dist")).stdout).toContain("later(from, count?)");
});

it("serve exits with 1 and reports a damaged build", async () => {
  project.write("broken/server.js", project.read("dist/server.js"));
  project.write("broken/manifest.js", "export default JSON.parse('{');");
  const { status, stderr } = project.profferProcess({}, "serve", "broken");
  expect(status).toBe(1);
  expect(stderr).toContain("broken failed to load");
});

it("a build contains no eval", () => {
  for (const file of ["index.js", "server.js", "modules/tools.js"]) {
    expect(readFileSync(project.path(`dist/${file}`), "utf8")).not.toMatch(/\beval\b|new Function/);
  }
});

it("a built folder checks arguments, and returns the same errors as serve", async () => {
  const built = await connectOver(linkCommand([process.execPath, project.path("dist/index.js")]));
  const served = await connectOver(
    linkCommand([process.execPath, distFile("bin.js"), "serve", project.path("tools.ts")]),
  );
  const from = "2024-02-28T00:00:00Z";
  for (const input of [
    { from },
    { from, count: 2 },
    { from, count: "2" },
    { from, count: "two" },
    { count: 1 },
    { from: "now", more: 1 },
  ]) {
    const result = await built.call("later", input);
    expect(result).toEqual(await served.call("later", input));
    expect(result.isError ?? false).toBe(input.from !== from || input.count === "two");
  }
  await Promise.all([built.close(), served.close()]);
});

it("a process that serves over stdio imports a linked package by its real path", async () => {
  project.write("packages/linked/index.js", "export default import.meta.url;");
  symlinkSync(project.path("packages/linked"), project.path("node_modules/linked"), "junction");
  project.write(
    "linked.mjs",
    'import { defineServer, defineTool } from "proffer";',
    'import { serveStdio } from "proffer/stdio";',
    'const handle = async () => (await import("linked/index.js")).default;',
    'await serveStdio(defineServer({ name: "s", version: "1", tools: [defineTool({ name: "url", handle })] }));',
  );
  const client = await connectOver(linkCommand([process.execPath, project.path("linked.mjs")]));
  const url = pathToFileURL(project.path("packages/linked/index.js")).href;
  expect((await client.call("url")).content).toEqual([{ type: "text", text: url }]);
  await client.close();
});

it("a strict project knows the type of the built server", () => {
  project.write(
    "app.ts",
    'import { createServer } from "node:http";',
    'import { createNodeHandler } from "proffer/http";',
    'import server from "./dist/server.js";',
    "createServer(createNodeHandler(server));",
    "// @ts-expect-error: it is not any",
    "server.nothing;",
  );
  const options = { strict: true, noEmit: true, skipLibCheck: true, module: ts.ModuleKind.NodeNext, types: [] };
  const program = ts.createProgram([project.path("app.ts"), NODE_TYPES], options);
  const problems = program.getSemanticDiagnostics(program.getSourceFile(project.path("app.ts")));
  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
});

it("build --docker writes a Dockerfile that serves with a health check", async () => {
  const { status, stderr } = await project.proffer("build", "tools.ts", "--out", "image", "--docker", "--no-start");
  expect(status).toBe(0);
  expect(stderr).toContain("Make an image with: docker build image");
  const dockerfile = project.read("image/Dockerfile");
  expect(dockerfile).toContain("/readyz");
  expect(dockerfile).toContain('CMD ["node","index.js","--http","--health"]');
  for (const name of ["PROFFER_ALLOWED_HOSTS", "PROFFER_KEYS", "PROFFER_REDIS_URL", "PROFFER_OAUTH_ISSUER"]) {
    expect(dockerfile).toContain(name);
  }
  expect(dockerfile).not.toContain("chown");
  expect(project.read("image/.dockerignore")).toContain("node_modules\n");
});

it("build replaces an earlier build but no other folder", async () => {
  project.write("precious/notes.txt", "mine");
  const refused = await project.proffer("build", "tools.ts", "--out", "precious");
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain("precious contains files that are not a Proffer build");
  expect(project.read("precious/notes.txt")).toBe("mine\n");
  expect((await project.proffer("build", "tools.ts", "--out", "precious/notes.txt")).stderr).toContain("is a file");
  expect((await project.proffer("build", "tools.ts", "--out", ".")).stderr).toContain(". contains tools.ts itself");
  project.write("dist/modules/stale.js", "");
  expect((await project.proffer("build", "tools.ts", "--out", "dist", "--no-start")).status).toBe(0);
  expect(existsSync(project.path("dist/modules/stale.js"))).toBe(false);
});

it("build fails on an undocumented export and on a TypeScript error", async () => {
  project.write("bare.ts", "export const bare = (): string => 'a';");
  const refused = await project.proffer("build", "bare.ts", "--out", "bare");
  expect(refused).toMatchObject({ status: 1, stdout: "" });
  expect(refused.stderr).toMatch(/bare\.ts:1:14 error PF2001[\s\S]*Nothing was written/);
  expect(existsSync(project.path("bare"))).toBe(false);
  expect(
    (await project.proffer("build", "bare.ts", "--out", "bare", "--allow-undocumented", "--no-start")).status,
  ).toBe(0);
  project.write(
    "wrong.ts",
    "/** Wrong. */",
    "export const wrong = (): string => { const a: number = 'a'; return 'b'; };",
  );
  expect((await project.proffer("build", "wrong.ts", "--out", "wrong")).stderr).toMatch(/wrong\.ts:2:\d+ error TS2322/);
});

it("check prints the tools, prompts and resources, and the diagnostics", async () => {
  const { status, stdout } = await project.proffer("check", "tools.ts", "--json");
  expect(status).toBe(0);
  const { tools, prompts, resources, resourceTemplates, diagnostics } = JSON.parse(stdout);
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(["later", "ask"]);
  expect(tools[0]).not.toHaveProperty("binding");
  expect([prompts, resources, resourceTemplates, diagnostics]).toEqual([[], [], [], []]);
  project.write(
    "noted.ts",
    "/** Pays. */",
    "export function pay(): string { throw new Error('No card.'); }",
    "/** Ships. */",
    "export const ship = () => { throw new TypeError('No address.'); };",
    "/** Greets. */",
    "export const greet = () => ({ content: [{ type: 'text', text: 'Hi' }] });",
  );
  const noted = await project.proffer("check", "noted.ts");
  expect(noted.status).toBe(0);
  expect(noted.stdout).toMatch(/noted\.ts:2:17 note PF3001 2 functions \('pay', 'ship'\) throw errors whose messages/);
  expect(noted.stdout).toMatch(/noted\.ts:6:14 note PF3002 'greet' returns the result of the call itself/);
  expect(await project.proffer("call", "noted.ts", "greet")).toMatchObject({ status: 0, stdout: "Hi\n", stderr: "" });
  const wrong = await project.proffer("check", "wrong.ts");
  expect(wrong.status).toBe(1);
  expect(wrong.stdout).toMatch(/wrong\(\).*[\s\S]*wrong\.ts:2:\d+ error TS2322/);
});
