import { connect, type TypedClient } from "proffer/client";
import { serveHttp } from "proffer/http";
import { connect as connectInTest } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { load } from "../../src/index.ts";
import { buildModule } from "../build-module.ts";
import { createProject } from "../project.ts";
import { ORDERS, SHOP } from "./shop.ts";

type Any = TypedClient<{
  $server: { name: string; version: string };
  tools: AnyTools;
  prompts: AnyTools;
  resources: AnyTools;
}>;
// biome-ignore lint/suspicious/noExplicitAny: the types are checked in a program of their own
type AnyTools = any;

const project = createProject();
afterAll(() => project.remove());

beforeAll(() => {
  project.write("orders.ts", ORDERS);
  project.write("time.ts", "export class Temporal { readonly at = 1; }");
  project.write("shop.ts", SHOP);
});

describe("a typed client of a module", () => {
  async function callAll(client: Any): Promise<void> {
    const { tools, resources, prompts } = client;
    expect(await tools.order("7")).toEqual({ id: "7", limit: 100, revision: true });
    expect(await tools.order("7", undefined, new Date(0))).toMatchObject({
      limit: 100,
      due: "1970-01-01T00:00:00.000Z",
    });
    expect(await tools.find({ text: "a", max: 7 })).toEqual({ text: "a", most: 7 });
    expect(await tools.sum(1n, 2n, "3")).toBe("6");
    expect(await tools.sum(1n)).toBe("1");
    const given = [new Map([["a", 1]]), new Set("ab"), new Uint8Array(3)];
    expect(await tools.letters(...given)).toEqual({ counts: { a: 1 }, marks: 2, bytes: 3 });
    expect(await tools.filter({ filter: "x" })).toEqual({ filter: "x" });
    expect([await tools.close(), await tools.shut(), await tools["close-shop"]()]).toEqual([
      "closed",
      "closed",
      "closed",
    ]);
    expect(await tools.orders.cancel("7")).toBe("cancelled 7");
    expect(await tools.orders.items.add("a")).toEqual(["a"]);
    expect(await tools.count()).toBe(5);
    expect(JSON.parse((await resources.invoice("7", 2026, 2)).contents[0].text)).toEqual({
      id: "7",
      year: 2026,
      page: 2,
    });
    expect((await resources["invoices://{year}/{id}{?page}"]({ id: "7", year: 2026 })).contents).toHaveLength(1);
    expect((await resources.stock()).contents[0].text).toBe("2");
    expect((await prompts.greet("Ada", "cold")).messages[0].content.text).toBe("cold Ada");
    await expect(tools.order("0")).rejects.toMatchObject({ name: "ToolFailure", message: "There is no order 0." });
    await expect(tools.filter("x", "y")).rejects.toThrow(
      'shop 2.0.0 has fewer parameters of tool "filter" than the 2 arguments: filter.',
    );
    await expect(tools.nothing()).rejects.toThrow('shop 2.0.0 has no tool "nothing".');
    await expect(resources["invoices://{year}/{id}{?page}"]({ id: "7", yr: 1 })).rejects.toThrow(
      'shop 2.0.0 has no variable "yr" in invoices://{year}/{id}{?page}.',
    );
    await expect(resources.nothing("7")).rejects.toThrow('shop 2.0.0 has no resource "nothing".');
    await client.close();
  }

  test.each(["2026-07-28", "2025-11-25", "2025-06-18"])("calls them in this process on %s", async (revision) => {
    await callAll((await connect(await load(project.path("shop.ts")), { revision })) as Any);
  });

  test("calls them in tests", async () => {
    await callAll((await connectInTest(await load(project.path("shop.ts")))) as unknown as Any);
  });

  test("calls them over HTTP", async () => {
    const { url, close } = await serveHttp(await load(project.path("shop.ts")), { port: 0 });
    await callAll((await connect(url)) as Any);
    await close();
  });

  test("calls them as built, over stdio", async () => {
    buildModule(project.path("shop.ts"), project.path("dist"));
    await callAll((await connect({ command: process.execPath, args: [project.path("dist/index.js")] })) as Any);
  });
});
