import { symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { linkCommand } from "proffer/client";
import { connect, connectOver, type TestClient } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { build } from "../src/commands/build.ts";
import { createCompiler } from "../src/dev/compiler-worker.ts";
import { createLiveServer } from "../src/dev/live-server.ts";
import { openVersions } from "../src/dev/versions.ts";
import { load } from "../src/modules/load.ts";
import { prepareModule } from "../src/modules/prepare-module.ts";
import { createProject, type Project } from "./project.ts";

const codecs = (digits: number) => [
  'import { Decimal } from "decimal.js";',
  'import { defineCodec } from "proffer";',
  "/** A decimal number. */",
  "export const decimal = defineCodec<Decimal, string>({",
  "  schema: { maxLength: 20 },",
  "  decode: (text) => new Decimal(text),",
  `  encode: (value) => value.toFixed(${digits}),`,
  "});",
];

const SHOP = [
  'import { Decimal } from "decimal.js";',
  // Types only, so that nothing but the added export evaluates the file.
  'import type {} from "./codecs.ts";',
  "/** Adds tax. */",
  'export const gross = (net: Decimal, rate = new Decimal("0.2")): { gross: Decimal } => ({ gross: net.mul(rate.plus(1)) });',
  "/** A price. @resource prices://{net} */",
  "export const price = (net: Decimal) => net.plus(1);",
  "/** Answers when the gate opens. */",
  "export const slow = async (): Promise<Decimal> => { await (globalThis as { gate?: Promise<void> }).gate; return new Decimal(1); };",
];

let project: Project;

beforeAll(async () => {
  project = createProject();
  const decimal = dirname(createRequire(import.meta.url).resolve("decimal.js"));
  symlinkSync(decimal, project.path("node_modules/decimal.js"), "junction");
  project.write("codecs.ts", ...codecs(2));
  project.write("shop.ts", ...SHOP);
  const quiet = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  await build(project.path("shop.ts"), { out: project.path("dist"), start: false });
  await build(project.path("shop.ts"), { out: project.path("one"), bundle: true, start: false });
  quiet.mockRestore();
});

afterAll(() => project.remove());

async function examine(client: TestClient): Promise<object> {
  const tool = (await client.listTools()).find(({ name }) => name === "gross");
  const wrong = await client.call("gross", { net: "ten" });
  const examined = {
    schema: (tool?.inputSchema as { properties?: object } | undefined)?.properties,
    gross: (await client.call("gross", { net: "10.5" })).structuredContent,
    wrong: wrong.content[0],
    price: (await client.read("prices://1.5")).contents[0],
    refused: await client.read("prices://ten").catch(({ code, message }) => ({ code, message })),
  };
  await client.close();
  return examined;
}

const SCHEMA = { type: "string", maxLength: 20, description: "A decimal number." };
const LISTED = { ...SCHEMA, description: "A decimal number. At most 20 characters." };
const EXAMINED = {
  schema: { net: LISTED, rate: LISTED },
  gross: { gross: "12.60" },
  wrong: { type: "text", text: 'Invalid arguments for tool "gross":\n/net: must be a valid Decimal' },
  price: expect.objectContaining({ text: "2.50" }),
  refused: { code: -32602, message: 'The variable "net" must be a valid Decimal.' },
};

describe("a custom codec in a file that the module imports", () => {
  it("reads arguments and writes results, from the sources and the cache", async () => {
    for (const _ of ["sources", "cache"]) {
      expect(await examine(await connect(await load(project.path("shop.ts"))))).toEqual(EXAMINED);
    }
  });

  it.each(["dist/index.js", "one/index.mjs"])("does the same in a build: %s", async (file) => {
    expect(await examine(await connectOver(linkCommand([process.execPath, project.path(file)])))).toEqual(EXAMINED);
  });

  it("works on the command line", async () => {
    const call = (net: string) => project.proffer("call", "shop.ts", "gross", "--arg", `net=${net}`);
    expect(await call("10.5")).toMatchObject({ status: 0, stdout: '{"gross":"12.60"}\n' });
    expect(await call("ten")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("/net: must be a valid Decimal"),
    });
  });

  it("is known before the module is imported", async () => {
    project.write("broken.ts", ...SHOP, 'throw new Error("not now");');
    const { manifest } = await prepareModule(project.path("broken.ts"));
    expect(manifest.tools[0]?.inputSchema.properties).toEqual({ net: SCHEMA, rate: SCHEMA });
  });

  it("takes effect when it is edited, and calls in flight keep their version", async () => {
    const versions = openVersions(project.path("shop.ts"), createCompiler(project.path("shop.ts")));
    const live = createLiveServer((await versions.next()).server);
    const client = await connect(live.server);
    const gross = async () => (await client.call("gross", { net: "10" })).structuredContent;
    expect(await gross()).toEqual({ gross: "12.00" });
    let open = () => {};
    vi.stubGlobal("gate", new Promise<void>((resolve) => (open = resolve)));
    const slow = client.call("slow");
    project.write("codecs.ts", ...codecs(4));
    live.follow((await versions.next()).server);
    expect(versions.files).toContain(project.path("codecs.ts"));
    expect(await gross()).toEqual({ gross: "12.0000" });
    open();
    expect((await slow).structuredContent).toBe("1.00");
    await client.close();
    vi.unstubAllGlobals();
    versions.clear();
    project.write("codecs.ts", ...codecs(2));
  });

  it("does not mix with the codec of another module for the same class", async () => {
    project.write("other/codecs.ts", ...codecs(0));
    project.write("other/shop.ts", ...SHOP);
    const clients = [];
    for (const file of ["shop.ts", "other/shop.ts"]) clients.push(await connect(await load(project.path(file))));
    const results = clients.map(async (client) => (await client.call("gross", { net: "10" })).structuredContent);
    expect(await Promise.all(results)).toEqual([{ gross: "12.00" }, { gross: "12" }]);
    for (const client of clients) await client.close();
  });
});
