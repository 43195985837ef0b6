import { linkUrl } from "proffer/client";
import { connect, connectOver } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { load } from "../src/modules/load.ts";
import { waitForStderr } from "./project.ts";
import { describeFlags, FUNCTIONS, listed, SERVER, useShop } from "./toolsets-cases.ts";

const shop = useShop();

describeFlags("a built folder", shop, (module) => [shop.project.path(`dist/${module}/index.js`)]);

it("serve applies the flags to every mounted module", async () => {
  const words = ["serve", "tools.ts", "--mount", "/shop=shop.ts", "--http", "0", "--toolsets", "admin"];
  const child = shop.project.start(...words);
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
    const edit = (...lines: string[]) => shop.project.write("edited.ts", ...lines);
    edit(...SERVER, ...FUNCTIONS);
    const child = shop.project.start("dev", "edited.ts", "--http", "0", "--toolsets", "admin");
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
    shop.project.write("plain.ts", ...FUNCTIONS);
    const child = shop.project.start("dev", "plain.ts", "--http", "0");
    const url = /http:\S+(?=;)/.exec(await waitForStderr(child, /http:\S+;/))?.[0] ?? "";
    const client = await connectOver(linkUrl(url));
    expect(await listed(client)).toBe("order_find order_change purge hello letter log");
    shop.project.write("plain.ts", ...SERVER, ...FUNCTIONS);
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
      const { stdout } = await shop.project.proffer(...args);
      expect(stdout).toContain("purge()  Deletes all orders. [toolset: admin]\n");
      expect(stdout).toContain("hello()  Says hello.\n");
      expect(stdout).toContain("shop://log  The log. [toolset: admin]\n");
    }
    const { tools, prompts } = JSON.parse((await shop.project.proffer("list", "tools.ts", "--json")).stdout);
    expect(tools[2]).toMatchObject({ name: "purge", toolset: "admin" });
    expect(tools[3]).not.toHaveProperty("toolset");
    expect(prompts[0]).toMatchObject({ toolset: "orders" });
    expect((await shop.project.proffer("call", "shop.ts", "purge")).stdout).toBe("purged\n");
  });

  it.each([
    [["--toolsets", "orders"], "order_find order_change letter"],
    [["--toolsets", "orders", "--toolsets", "admin"], "order_find order_change purge letter shop://log"],
    [["--read-only"], "order_find letter"],
    [["--only", "order_*,hello", "--except", "*_change"], "order_find hello"],
  ])("show with %j the items that serve would show", async (flags, expected) => {
    const { tools, prompts, resources } = JSON.parse(
      (await shop.project.proffer("list", "shop.ts", ...flags, "--json")).stdout,
    );
    const names = [...tools, ...prompts].map(({ name }) => name);
    expect([...names, ...resources.map(({ uri }: { uri: string }) => uri)].join(" ")).toBe(expected);
  });

  it("do not call or examine the items that the flags hide, and name unknown toolsets", async () => {
    const call = await shop.project.proffer("call", "shop.ts", "purge", "--toolsets", "orders");
    expect(call.status).toBe(1);
    expect(call.stderr).toContain('Unknown tool "purge"');
    const doctor = await shop.project.proffer("doctor", "shop.ts", "--toolsets", "admin", "--json");
    const [{ cost }] = JSON.parse(doctor.stdout).filter((finding: { cost?: object }) => finding.cost);
    expect(cost.tools.map(({ name }: { name: string }) => name)).toEqual(["purge"]);
    for (const command of ["list", "doctor"]) {
      const { status, stdout, stderr } = await shop.project.proffer(command, "shop.ts", "--toolsets", "order");
      expect(status).toBe(1);
      expect(stdout + stderr).toContain('--toolsets has the unknown toolset "order". Did you mean "orders"?');
    }
  });

  it("accept the flags for a module only", async () => {
    const url = await shop.project.proffer("list", "http://127.0.0.1:1/mcp", "--toolsets", "orders");
    expect(url).toMatchObject({ status: 2 });
    expect(url.stderr).toContain("--toolsets applies to a module. Start the server with it, or add ?toolsets=name");
    const command = await shop.project.proffer("list", "--read-only", "--", "node", "server.js");
    expect(command).toMatchObject({ status: 2 });
    expect(command.stderr).toContain("--read-only applies to a module. Write it after --, as a flag of the command.");
    const empty = await shop.project.proffer("list", "shop.ts", "--only", ",");
    expect(empty).toMatchObject({ status: 2 });
    expect(empty.stderr).toContain("--only contains no name. Separate names by commas.");
  });

  it("report an invalid toolset in a comment as an error, because the function would be shown", async () => {
    shop.project.write("bad.ts", "/** Deletes. @toolset all of it */", "export const purge = () => 1;");
    const { status, stderr } = await shop.project.proffer("build", "bad.ts", "--out", "bad");
    expect(status).toBe(1);
    expect(stderr).toMatch(/bad\.ts:1:14 error PF\d+.*@toolset must be 1 to 64 of A-Z a-z 0-9 _ -/);
  });

  it("report a function of a toolset that the server does not have", async () => {
    shop.project.write("typo.ts", ...SERVER, "/** Deletes. @toolset admim */", "export const purge = () => 1;");
    const { status, stderr } = shop.project.profferProcess({}, "serve", "typo.ts");
    expect(status).toBe(1);
    expect(stderr).toContain(
      'error: Server "shop": the toolset "admim" of the tool "purge" is not in the option toolsets.',
    );
  });
});

it("a loaded module has its default toolsets in tests", async () => {
  const client = await connect(await load(shop.project.path("shop.ts")));
  expect(await listed(client)).toBe("order_find order_change hello letter");
  await client.close();
});
