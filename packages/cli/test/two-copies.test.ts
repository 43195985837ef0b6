import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { linkCommand } from "proffer/client";
import { connectOver } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressOf } from "../../inspector/test/address.ts";
import { openPage } from "../../inspector/test/page-client.ts";
import { createProject, type Project } from "./project.ts";

/** A built folder with packages of its own has another copy of the run-time than the command line. */

const source = dirname(createRequire(import.meta.url).resolve("proffer/package.json"));
let project: Project;

beforeAll(async () => {
  project = createProject();
  project.write(
    "package.json",
    '{ "name": "shop", "version": "1.0.0", "type": "module", "description": "A shop.", "author": "Ada" }',
  );
  project.write(
    "shop.ts",
    'import { type Context, defineServer, NotFound, ToolError } from "proffer";',
    'export const server = defineServer({ name: "shop", version: "1.0.0", pageSize: 2 });',
    "/** Cancels. */",
    "export async function cancel(ctx: Context): Promise<string> {",
    '  const answer = await ctx.ask<{ sure: boolean }>("Really?");',
    '  if (answer.action !== "accept" || !answer.content.sure) throw new ToolError("Not sure.");',
    '  return "cancelled";',
    "}",
    "/** Works. @task */",
    'export const work = async () => "worked";',
    "/** An order. @resource orders://{id} */",
    "export function order(id: string): string {",
    '  if (id !== "7") throw new NotFound("There is no order " + id + ".");',
    '  return "Order 7";',
    "}",
    ...["a", "b", "c"].map(
      (name) => `/** Page ${name}. @resource page://${name} */\nexport const ${name} = () => "${name}";`,
    ),
  );
  for (const name of ["own", "other"]) {
    expect((await project.proffer("build", "shop.ts", "--out", name, "--no-start")).status).toBe(0);
  }
  copyRunTime("own");
  copyRunTime("other", "9.9.9");
});

afterAll(() => project.remove());

function copyRunTime(folder: string, version?: string): void {
  mkdirSync(project.path(`${folder}/node_modules/proffer`), { recursive: true });
  cpSync(join(source, "dist"), project.path(`${folder}/node_modules/proffer/dist`), { recursive: true });
  const content = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  const changed = { ...content, ...(version !== undefined && { version }) };
  project.write(`${folder}/node_modules/proffer/package.json`, JSON.stringify(changed));
}

describe("a built folder with a copy of the same version", () => {
  it("is listed, page by page, called, asked and read", async () => {
    const listed = await project.proffer("list", "own", "--json");
    const { tools, resources } = JSON.parse(listed.stdout);
    expect([tools.length, resources.length]).toEqual([2, 3]);
    const cancel = (answer: string) => project.proffer("call", "own", "cancel", "--answer", `sure=${answer}`);
    expect(await cancel("true")).toMatchObject({ status: 0, stdout: "cancelled\n" });
    expect(await cancel("false")).toMatchObject({ status: 1, stderr: "error: Not sure.\n" });
    expect(await project.proffer("call", "own", "work")).toMatchObject({ status: 0, stdout: "worked\n" });
    expect((await project.proffer("read", "own", "orders://7")).stdout).toBe("Order 7\n");
    expect(await project.proffer("read", "own", "orders://8")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("There is no order 8."),
    });
  });

  it("is served over stdio, and packed", async () => {
    const command = [process.execPath, join(source, "dist/bin.js"), "serve", project.path("own")];
    const client = await connectOver(linkCommand(command), { answers: [{ sure: true }] });
    expect((await client.call("cancel")).content).toEqual([{ type: "text", text: "cancelled" }]);
    await client.close();
    const { status, stderr } = await project.proffer("pack", "own", "--out", "own.mcpb");
    expect([status, stderr]).toEqual([0, expect.stringContaining("It was started once to check it.")]);
  });

  it("is inspected: its lists, questions with their traces, errors, tasks and findings", async () => {
    const child = project.start("inspect", "own", "--port", "0");
    const page = await openPage(await addressOf(child));
    const { offer } = await page.until("offer");
    expect(offer.items.map(({ key }) => key).sort()).toEqual([
      ...["cancel", "orders://{id}", "page://a", "page://b", "page://c", "work"],
    ]);
    for (const revision of ["2026-07-28", "2025-11-25"]) {
      const call = (name: string, sure = true) =>
        page.call({
          revision,
          method: "tools/call",
          params: { name },
          answers: [{ action: "accept", content: { sure } }],
        });
      const cancelled = await call("cancel");
      expect(cancelled).toMatchObject({ status: "done", result: { content: [{ text: "cancelled" }] } });
      expect(cancelled.runs[0]?.trace).toMatchObject([{ kind: "ask", message: "Really?", how: "asked" }]);
      expect(await call("cancel", false)).toMatchObject({
        result: { isError: true, content: [{ text: "Not sure." }] },
      });
      expect(await call("work")).toMatchObject({ result: { content: [{ text: "worked" }] } });
      const missing = await page.call({ revision, method: "resources/read", params: { uri: "orders://8" } });
      expect(missing).toMatchObject({ status: "failed", error: { message: "There is no order 8." } });
    }
    const { findings } = await page.post("doctor", {});
    expect(findings.map(({ message }) => message).join("\n")).not.toContain("copy of proffer");
    page.close();
    child.kill("SIGINT");
    expect((await once(child, "exit"))[0]).toBe(0);
  });
});

describe("a built folder with a copy of another version", () => {
  it.each([
    ["list", "other"],
    ["call", "other", "work"],
    ["read", "other", "orders://7"],
    ["serve", "other"],
    ["inspect", "other", "--port", "0"],
  ])("is refused by %s with both places", (...words) => {
    const { status, stderr } = project.profferProcess({}, ...words);
    expect(status).toBe(1);
    expect(stderr).toContain(`proffer 9.9.9 in ${project.path("other/node_modules/proffer")}`);
    expect(stderr).toContain(`${source}. Install the same version`);
  });

  it("is packed, because it is started with its own copy", async () => {
    const { status, stderr } = await project.proffer("pack", "other", "--out", "other.mcpb");
    expect([status, stderr]).toEqual([0, expect.stringContaining("It was started once to check it.")]);
  });
});
