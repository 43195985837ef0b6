import { spawnSync } from "node:child_process";
import { connect, connectOver, type TestClient } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";
import { linkCommand } from "../src/client/command-link.ts";
import { linkUrl } from "../src/client/http-link.ts";
import { load } from "../src/modules/load.ts";
import { createProject, type Project, waitForStderr } from "./project.ts";

let project: Project;

const FUNCTIONS = [
  "/** Finds an order. @readOnly @toolset orders */",
  "export const order_find = (id: string) => id;",
  "/** Changes an order. @toolset orders */",
  "export const order_change = (id: string) => id;",
  "/** Deletes all orders. @toolset admin */",
  'export const purge = () => "purged";',
  "/** Says hello. */",
  'export const hello = () => "hello";',
  "/** @prompt Writes a letter. @toolset orders */",
  'export const letter = () => "letter";',
  "/** The log. @resource shop://log @toolset admin */",
  'export const log = () => "log";',
];

const SERVER = [
  'import { defineServer } from "proffer";',
  'export const server = defineServer({ name: "shop", version: "1.0.0", toolsets: { orders: [], admin: { default: false } } });',
];

beforeAll(async () => {
  project = createProject();
  project.write("tools.ts", ...FUNCTIONS);
  project.write("shop.ts", ...SERVER, ...FUNCTIONS);
  for (const name of ["tools", "shop"]) {
    expect((await project.proffer("build", `${name}.ts`, "--out", `dist/${name}`)).status).toBe(0);
  }
});

afterAll(() => project.remove());

const WAYS: readonly [way: string, words: (module: string) => string[]][] = [
  ["proffer serve", (module) => [distFile("bin.js"), "serve", project.path(`${module}.ts`)]],
  ["a built folder", (module) => [project.path(`dist/${module}/index.js`)]],
];

async function listed(client: TestClient): Promise<string> {
  const lists = [await client.listTools(), await client.listPrompts(), await client.listResources()];
  return lists.flatMap((list) => list.map(({ name }) => name)).join(" ");
}

/** What a server over stdio lists. */
async function show(words: readonly string[]): Promise<string> {
  const client = await connectOver(linkCommand([process.execPath, ...words]));
  try {
    return await listed(client);
  } finally {
    await client.close();
  }
}

describe.each(WAYS)("%s", (_way, words) => {
  it.each([
    ["tools", [], "order_find order_change purge hello letter log"],
    ["shop", [], "order_find order_change hello letter"],
    ["tools", ["--toolsets", "orders"], "order_find order_change letter"],
    ["shop", ["--toolsets", "default,admin"], "order_find order_change purge hello letter log"],
    ["tools", ["--read-only"], "order_find letter log"],
    ["shop", ["--only", "order_*,hello", "--except", "*_change"], "order_find hello"],
  ])("over stdio, of %s with %j", async (module, flags, expected) => {
    expect(await show([...words(module), ...flags])).toBe(expected);
  });

  it("over HTTP, with variables, which a query narrows and a flag overrides", async () => {
    const env = { PROFFER_TOOLSETS: "orders,admin", PROFFER_READ_ONLY: "1", PROFFER_EXCEPT: "letter" };
    const child = project.startNodeWith({ env }, ...words("shop"), "--http", "0", "--toolsets", "orders");
    const url = /Listening at (\S+)/.exec(await waitForStderr(child, /Listening at \S+\n/))?.[1] ?? "";
    const client = await connectOver(linkUrl(url));
    expect(await listed(client)).toBe("order_find");
    await expect(client.call("order_change", { id: "7" })).rejects.toThrow('Unknown tool "order_change"');
    await client.close();
    const narrowed = connectOver(linkUrl(`${url}?toolsets=admin`));
    await expect(narrowed).rejects.toThrow('Unknown toolset "admin" in ?toolsets=. The toolsets are orders.');
    child.kill("SIGTERM");
  });

  it.each([
    [["--toolsets", "order"], '--toolsets has the unknown toolset "order". Did you mean "orders"?'],
    [["--toolsets", "x"], '--toolsets has the unknown toolset "x". The toolsets are orders, admin, default, all.'],
    [["--only", "order_fnd"], '--only has "order_fnd", which no item matches. Did you mean "order_find"?'],
  ])("does not start with %j", (flags, message) => {
    const options = { cwd: project.folder, encoding: "utf8", input: "", timeout: 600_000 } as const;
    for (const module of ["tools", "shop"]) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [...words(module), ...flags], options);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toContain(`error: ${message}`);
      expect(stderr).not.toContain("    at ");
    }
  });
});

it("serve applies the flags to every mounted module", async () => {
  const words = ["serve", "tools.ts", "--mount", "/shop=shop.ts", "--http", "0", "--toolsets", "admin"];
  const child = project.start(...words);
  const output = await waitForStderr(child, /Listening at \S+\/shop\n/);
  for (const [, url = ""] of output.matchAll(/Listening at (\S+)/g)) {
    const client = await connectOver(linkUrl(url));
    expect(await listed(client)).toBe("purge log");
    await client.close();
  }
  child.kill("SIGTERM");
});

describe("proffer dev", () => {
  it("applies the flags to each edit, and keeps the last version if a toolset is gone", async () => {
    const edit = (...lines: string[]) => project.write("edited.ts", ...lines);
    edit(...SERVER, ...FUNCTIONS);
    const child = project.start("dev", "edited.ts", "--http", "0", "--toolsets", "admin");
    let stderr = "";
    child.stderr?.on("data", (chunk) => {
      stderr += chunk;
    });
    const url = /http:\S+(?=;)/.exec(await waitForStderr(child, /http:\S+;/))?.[0] ?? "";
    const client = await connectOver(linkUrl(url));
    expect(await listed(client)).toBe("purge log");

    edit(...SERVER, ...FUNCTIONS, "/** Stops. @toolset admin */", "export const halt = () => 1;");
    await expect.poll(() => listed(client)).toBe("purge halt log");

    edit(...FUNCTIONS.map((line) => line.replace(" @toolset admin", "")));
    const message = '--toolsets has the unknown toolset "admin".';
    await expect.poll(() => stderr).toContain(message);
    expect(stderr.slice(stderr.indexOf(message))).toContain("The last good version stays active.");
    expect(await listed(client)).toBe("purge halt log");

    edit(...FUNCTIONS);
    await expect.poll(() => listed(client)).toBe("purge log");
    await client.close();
    child.kill("SIGTERM");
  });

  it("hides toolsets with default: false after each edit", async () => {
    project.write("plain.ts", ...FUNCTIONS);
    const child = project.start("dev", "plain.ts", "--http", "0");
    const url = /http:\S+(?=;)/.exec(await waitForStderr(child, /http:\S+;/))?.[0] ?? "";
    const client = await connectOver(linkUrl(url));
    expect(await listed(client)).toBe("order_find order_change purge hello letter log");
    project.write("plain.ts", ...SERVER, ...FUNCTIONS);
    await expect.poll(() => listed(client)).toBe("order_find order_change hello letter");
    await client.close();
    child.kill("SIGTERM");
  });
});

describe("commands of the author", () => {
  it("show every toolset, with its name", async () => {
    for (const args of [
      ["list", "shop.ts"],
      ["list", "dist/shop"],
      ["check", "shop.ts"],
    ]) {
      const { stdout } = await project.proffer(...args);
      expect(stdout).toContain("purge()  Deletes all orders. [toolset: admin]\n");
      expect(stdout).toContain("hello()  Says hello.\n");
      expect(stdout).toContain("shop://log  The log. [toolset: admin]\n");
    }
    const { tools, prompts } = JSON.parse((await project.proffer("list", "tools.ts", "--json")).stdout);
    expect(tools[2]).toMatchObject({ name: "purge", toolset: "admin" });
    expect(tools[3]).not.toHaveProperty("toolset");
    expect(prompts[0]).toMatchObject({ toolset: "orders" });
    expect((await project.proffer("call", "shop.ts", "purge")).stdout).toBe("purged\n");
  });

  it.each([
    [["--toolsets", "orders"], "order_find order_change letter"],
    [["--toolsets", "orders", "--toolsets", "admin"], "order_find order_change purge letter shop://log"],
    [["--read-only"], "order_find letter"],
    [["--only", "order_*,hello", "--except", "*_change"], "order_find hello"],
  ])("show with %j what serve would show", async (flags, expected) => {
    const { tools, prompts, resources } = JSON.parse(
      (await project.proffer("list", "shop.ts", ...flags, "--json")).stdout,
    );
    const names = [...tools, ...prompts].map(({ name }) => name);
    expect([...names, ...resources.map(({ uri }: { uri: string }) => uri)].join(" ")).toBe(expected);
  });

  it("do not call or examine what the flags hide, and name unknown toolsets", async () => {
    const call = await project.proffer("call", "shop.ts", "purge", "--toolsets", "orders");
    expect(call.status).toBe(1);
    expect(call.stderr).toContain('Unknown tool "purge"');
    const doctor = await project.proffer("doctor", "shop.ts", "--toolsets", "admin", "--json");
    const [{ cost }] = JSON.parse(doctor.stdout).filter((finding: { cost?: object }) => finding.cost);
    expect(cost.tools.map(({ name }: { name: string }) => name)).toEqual(["purge"]);
    for (const command of ["list", "doctor"]) {
      const { status, stdout, stderr } = await project.proffer(command, "shop.ts", "--toolsets", "order");
      expect(status).toBe(1);
      expect(stdout + stderr).toContain('--toolsets has the unknown toolset "order". Did you mean "orders"?');
    }
  });

  it("accept the flags for a module only", async () => {
    const url = await project.proffer("list", "http://127.0.0.1:1/mcp", "--toolsets", "orders");
    expect(url).toMatchObject({ status: 2 });
    expect(url.stderr).toContain("--toolsets applies to a module. Start the server with it, or add ?toolsets=name");
    const command = await project.proffer("list", "--read-only", "--", "node", "server.js");
    expect(command).toMatchObject({ status: 2 });
    expect(command.stderr).toContain("--read-only applies to a module. Write it after --, as a flag of the command.");
    const empty = await project.proffer("list", "shop.ts", "--only", ",");
    expect(empty).toMatchObject({ status: 2 });
    expect(empty.stderr).toContain("--only contains no name. Separate names by commas.");
  });

  it("report an invalid toolset in a comment as an error, because the function would be shown", async () => {
    project.write("bad.ts", "/** Deletes. @toolset all of it */", "export const purge = () => 1;");
    const { status, stderr } = await project.proffer("build", "bad.ts", "--out", "bad");
    expect(status).toBe(1);
    expect(stderr).toMatch(/bad\.ts:1:14 error PF\d+.*@toolset must be 1 to 64 of A-Z a-z 0-9 _ -/);
  });

  it("report a function of a toolset that the server does not have", async () => {
    project.write("typo.ts", ...SERVER, "/** Deletes. @toolset admim */", "export const purge = () => 1;");
    const { status, stderr } = project.profferProcess({}, "serve", "typo.ts");
    expect(status).toBe(1);
    expect(stderr).toContain(
      'error: Server "shop": the toolset "admim" of the tool "purge" is not in the option toolsets.',
    );
  });
});

it("a loaded module has its default toolsets in tests", async () => {
  const client = await connect(await load(project.path("shop.ts")));
  expect(await listed(client)).toBe("order_find order_change hello letter");
  await client.close();
});
