import { once } from "node:events";
import { text } from "node:stream/consumers";
import { linkCommand, linkUrl } from "proffer/client";
import { connectOver } from "proffer/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createProject, type Outcome, type Project, waitForStderr } from "./project.ts";

// A module of functions that exports its server.

let project: Project;

/** Returns a module with every kind of item in the server and in functions. */
function shop(version: string, tool = "ping"): string[] {
  return [
    "/**",
    " * Orders of the shop.",
    " * @module",
    " */",
    'import { defineServer, defineTool, type Server } from "proffer";',
    "const states = new Map<string, string>();",
    "export const server: Server = defineServer({",
    `  name: "shop", version: "${version}",`,
    `  tools: [defineTool({ name: "${tool}", description: "Pings.", handle: () => "${version}" })],`,
    '  middleware: async (call, next) => ({ ...(await next()), _meta: { "shop/by": server.info.version } }),',
    "});",
    "/** One order. @resource orders://{id} */",
    'export const order = (id: string): string => states.get(id) ?? "new";',
    "/** Cancels an order. @param id - the number */",
    "export function cancel(id: string): string {",
    '  states.set(id, "cancelled");',
    '  server.notify("orders://" + id);',
    '  return id + " on " + server.info.version;',
    "}",
  ];
}

/** Returns the same module with a default server. */
function plain(): string[] {
  return [
    ...shop("1.0.0").map((line) => line.replace("export const server:", "const server:")),
    "export default server;",
  ];
}

/** Runs commands in one process, which loads the compiler once, and returns the outcome of each. */
async function runAll(...commands: string[][]): Promise<Outcome[]> {
  const end = "\0";
  project.write(
    "run-all.mjs",
    // Bound before the CLI reserves stdout.
    "const marks = [process.stdout, process.stderr].map((stream) => stream.write.bind(stream));",
    'const { run } = await import("@proffer/cli");',
    "const statuses = [];",
    "for (const args of JSON.parse(process.argv[2])) {",
    "  statuses.push(await run(args));",
    '  for (const mark of marks) mark("\\0");',
    "}",
    "marks[0](JSON.stringify(statuses), () => process.exit());",
  );
  const child = project.startNode("run-all.mjs", JSON.stringify(commands));
  const outputs = [child.stdout, child.stderr].map((stream) => text(stream as NodeJS.ReadableStream));
  const [printed = "", errors = ""] = await Promise.all(outputs);
  const stdout = printed.split(end);
  const statuses: number[] = JSON.parse(stdout.pop() ?? "[]");
  const stderr = errors.split(end);
  return statuses.map((status, index) => ({ status, stdout: stdout[index] ?? "", stderr: stderr[index] ?? "" }));
}

const call = (target: string) => ["call", target, "cancel", "--arg", "id=7", "--json"];

/** The outcomes of all commands below, by their arguments. */
const outcomes = new Map<string, Outcome>();
const COMMANDS = [
  ["check", "shop.ts", "--json"],
  ["build", "shop.ts", "--out", "dist", "--no-start"],
  ["list", "shop.ts"],
  ["list", "dist"],
  call("shop.ts"),
  call("dist"),
  ["check", "twice.ts"],
  ["list", "twice.ts"],
  ["serve", "twice.ts"],
  ["dev", "twice.ts"],
  ["doctor", "twice.ts"],
  ["build", "twice.ts", "--out", "never"],
  ["build", "strict.ts", "--out", "strict"],
  ["build", "strict.ts", "--out", "unchecked", "--no-start"],
  ["check", "two.ts", "--json"],
  ["list", "absent.ts"],
  ["check", "plain.ts"],
];

function outcomeOf(...args: string[]): Outcome {
  const outcome = outcomes.get(args.join(" "));
  if (outcome === undefined) throw new Error(`${args.join(" ")} is not one of the commands.`);
  return outcome;
}

beforeAll(async () => {
  project = createProject();
  project.write("shop.ts", ...shop("1.0.0"));
  project.write("twice.ts", ...shop("1.0.0", "cancel"));
  project.write("strict.ts", 'if (!("DATABASE" in globalThis)) throw new Error("no DATABASE");', ...shop("1.0.0"));
  project.write("two.ts", ...shop("1.0.0"), 'export const api = defineServer({ name: "api", version: "1.0.0" });');
  project.write(
    "absent.ts",
    'import type { Server } from "proffer";',
    "export const server = undefined as unknown as Server;",
  );
  project.write("plain.ts", ...plain());
  const all = await runAll(...COMMANDS);
  for (const [index, outcome] of all.entries()) outcomes.set(COMMANDS[index]?.join(" ") ?? "", outcome);
});

afterAll(() => project.remove());

it("check, list, call and a built folder serve the functions with the options of the server", () => {
  const { tools, resourceTemplates, diagnostics } = JSON.parse(outcomeOf("check", "shop.ts", "--json").stdout);
  const names = (items: { name: string }[]) => items.map(({ name }) => name);
  expect([names(tools), names(resourceTemplates), diagnostics]).toEqual([["ping", "cancel"], ["order"], []]);
  const built = outcomeOf("build", "shop.ts", "--out", "dist", "--no-start");
  expect(built.stderr).toContain("Wrote a server, 1 tool, 1 resource to dist");
  for (const target of ["shop.ts", "dist"]) {
    expect(outcomeOf("list", target).stdout).toMatch(/ping\(\)[\s\S]*cancel\(id\)[\s\S]*orders:\/\/\{id\}/);
    const called = JSON.parse(outcomeOf(...call(target)).stdout);
    expect(called).toMatchObject({ content: [{ text: "7 on 1.0.0" }], _meta: { "shop/by": "1.0.0" } });
  }
});

it("a built folder starts, describes itself by its server, and checks arguments", async () => {
  const client = await connectOver(linkCommand([process.execPath, project.path("dist/index.js")]));
  const discovered = await client.request("server/discover");
  expect(JSON.stringify(discovered)).toContain('{"name":"shop","version":"1.0.0"}');
  expect(discovered.instructions).toBe("Orders of the shop.");
  const stop = await client.listen({ uris: ["orders://7"] });
  expect(await client.call("cancel", { id: 7 })).toMatchObject({ isError: true });
  expect(await client.call("cancel", { id: "7" })).toMatchObject({ content: [{ text: "7 on 1.0.0" }] });
  await client.waitFor("notifications/resources/updated");
  await stop.close();
  await client.close();
});

it("load returns the exported server itself, with its functions added once", async () => {
  project.write(
    "use.mjs",
    'import { load } from "@proffer/cli";',
    'import { connect } from "proffer/testing";',
    'const [one, two] = [await load("shop.ts"), await load(new URL("./shop.ts", import.meta.url))];',
    "const client = await connect(one);",
    'const stop = await client.listen({ uris: ["orders://7"] });',
    'const { content } = await client.call("cancel", { id: "7" });',
    'await client.waitFor("notifications/resources/updated");',
    "console.log(JSON.stringify([one === two, one.tools.size, one.resources.size, content[0].text]));",
    "process.exit();",
  );
  const child = project.startNode("use.mjs");
  const [printed] = await Promise.all([text(child.stdout as NodeJS.ReadableStream), once(child, "close")]);
  expect(JSON.parse(printed)).toEqual([true, 2, 1, "7 on 1.0.0"]);
});

it("every command rejects a name of both the server and a function, with both places", () => {
  const error = 'Duplicate tool "cancel": the function cancel (twice.ts:15) and `tools` of the server "shop".';
  for (const args of COMMANDS.filter((words) => words.includes("twice.ts"))) {
    const { status, stdout, stderr } = outcomeOf(...args);
    expect([args, status, stdout + stderr]).toEqual([args, 1, expect.stringContaining(error)]);
  }
});

it("build refuses a module that needs its production environment, and writes it with --no-start", () => {
  const refused = outcomeOf("build", "strict.ts", "--out", "strict");
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("--env NAME=value")]);
  const { status, stderr } = outcomeOf("build", "strict.ts", "--out", "unchecked", "--no-start");
  expect(status).toBe(0);
  expect(stderr).toContain("Wrote a server, 1 tool, 1 resource to unchecked");
});

it("check shows the error of a module that exports two servers", () => {
  const { status, stdout } = outcomeOf("check", "two.ts", "--json");
  expect(status).toBe(1);
  expect(JSON.parse(stdout).diagnostics).toMatchObject([
    { code: "PF1701", message: expect.stringContaining("two servers, 'server' and 'api'") },
  ]);
});

it("an export 'server' that is no server at run time is an error", () => {
  const { status, stderr } = outcomeOf("list", "absent.ts");
  expect(status).toBe(1);
  expect(stderr).toContain("The export 'server' of absent.ts is undefined, not a server.");
});

it("check names the functions beside a default server", () => {
  const { status, stdout } = outcomeOf("check", "plain.ts");
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Tools\n {2}ping\(\) .*\n\nSizes .*\n {2}ping .*\n\n.*warning PF2201/);
  expect(stdout).toContain("so 'order' and 'cancel' are not served");
});

it("dev applies edits of the functions and of the server's options, and names functions that an edit drops", async () => {
  project.write("live.ts", ...shop("1.0.0"));
  const child = project.start("dev", "live.ts", "--http", "0");
  const dropped = waitForStderr(child, "so 'order' and 'cancel' are not served");
  const url = /http:\S+(?=;)/.exec(await waitForStderr(child, /http:\S+;/))?.[0] ?? "";
  const client = await connectOver(linkUrl(url), { revision: "2026-07-28" });
  expect(await client.call("cancel", { id: "7" })).toMatchObject({ _meta: { "shop/by": "1.0.0" } });
  project.write("live.ts", ...shop("2.0.0", "pong"));
  const called = () => client.call("cancel", { id: "8" });
  await expect.poll(called).toMatchObject({ content: [{ text: "8 on 2.0.0" }], _meta: { "shop/by": "2.0.0" } });
  expect(JSON.stringify(await client.request("server/discover"))).toContain('{"name":"shop","version":"2.0.0"}');
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["pong", "cancel"]);
  const stop = await client.listen({ uris: ["orders://8"] });
  await called();
  await client.waitFor("notifications/resources/updated");
  await stop.close();
  project.write("live.ts", ...plain());
  await dropped;
  await client.close();
});
