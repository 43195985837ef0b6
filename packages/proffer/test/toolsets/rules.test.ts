import { defineServer, defineTool, type LogEntry, type ServerOptions } from "proffer";
import { createFetchHandler } from "proffer/fetch";
import { serveHttp } from "proffer/http";
import { chooseItems } from "proffer/process";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { modern, modernHeaders } from "../http/http-client.ts";
import { chosen, listed, openShop } from "./shop.ts";

/** The items that a server lists after a choice. */
async function show(choice: Parameters<typeof chosen>[0] | undefined, server = openShop()): Promise<string> {
  if (choice !== undefined) await chooseItems([server], chosen(choice));
  const client = await connect(server);
  try {
    return await listed(client);
  } finally {
    await client.close();
  }
}

const BY_DEFAULT = "order_get order_set order_count report hello letter greet order_file terms";

describe("a server with toolsets shows", () => {
  it.each([
    ["all but those with default: false, and what has none", undefined, BY_DEFAULT],
    [
      "those that are named, and prompts and resources without one",
      { toolsets: "reports" },
      "order_count report greet terms",
    ],
    [
      "no item of a toolset with default: false because of another one",
      { toolsets: "orders" },
      "order_get order_set order_count letter greet order_file terms",
    ],
    ["a toolset with default: false if it is named", { toolsets: "admin" }, "order_purge reset secret greet log terms"],
    [
      "the default ones and another one",
      { toolsets: "default,admin" },
      "order_get order_set order_count order_purge report reset hello letter secret greet order_file log terms",
    ],
    [
      "everything",
      { toolsets: "all" },
      "order_get order_set order_count order_purge report reset hello letter secret greet order_file log terms",
    ],
    [
      "only tools that say that they change nothing",
      { readOnly: true },
      "order_get order_count report letter greet order_file terms",
    ],
    ["only what is named", { only: "order_*,terms" }, "order_get order_set order_count order_file terms"],
    ["an item that was renamed since it was named", { only: "order_write" }, "order_set"],
    ["all but what is named", { except: "order_*,terms" }, "report hello letter greet"],
    ["nothing that was renamed since it was excluded", { only: "order_s*", except: "order_write" }, ""],
    [
      "the items that every part of the choice shows",
      { toolsets: "orders,admin", readOnly: true, only: "order_*", except: "*_count" },
      "order_get order_file",
    ],
  ] as const)("%s", async (_what, choice, expected) => {
    const logged: LogEntry[] = [];
    expect(await show(choice, openShop({ log: (entry) => void logged.push(entry) }))).toBe(expected);
    expect(logged.map(({ message }) => message)).toEqual(
      expected === "" ? ['Server "shop" shows none of its 7 tools.'] : [],
    );
  });

  it("only items that the option shows permits", async () => {
    const server = openShop({ shows: ({ name }) => name !== "order_get" && name !== "terms" });
    expect(await show({ toolsets: "orders" }, server)).toBe("order_set order_count letter greet order_file");
  });

  it("items that are added later, unless their toolset is hidden or unknown", async () => {
    const server = openShop();
    const client = await connect(server);
    const add = (name: string, toolset?: string) =>
      server.tools.add(defineTool({ name, ...(toolset && { toolset }), handle: () => "" }));
    add("later");
    add("order_purge_2", "admin");
    add("wrong", "admim");
    expect(await listed(client)).toBe(BY_DEFAULT.replace("hello", "hello later"));
    await client.close();
  });

  it("the same after the choice of another person", async () => {
    const server = openShop();
    expect(await show({ only: "report" }, server)).toBe("report");
    expect(await show({ only: "hello" }, server)).toBe("hello");
  });
});

describe("a server without the option toolsets", () => {
  const server = () =>
    defineServer({
      ...{ name: "plain", version: "1", prompts: [], resources: [] },
      tools: [
        defineTool({ name: "a", toolset: "one", handle: () => "" }),
        defineTool({ name: "b", toolset: "two", handle: () => "" }),
        defineTool({ name: "c", handle: () => "" }),
      ],
    });

  it("has those that its items name, and lists no toolset", async () => {
    expect(await show(undefined, server())).toBe("a b c");
    expect(await show({ toolsets: "two" }, server())).toBe("b");
    const client = await connect(server());
    expect(JSON.stringify(await client.listTools())).not.toContain("toolset");
    await client.close();
  });

  it("beside another one shows only the named items", async () => {
    const plain = server();
    await chooseItems([openShop(), plain], chosen({ toolsets: "reports" }));
    expect(await show(undefined, plain)).toBe("");
  });
});

describe("a choice is refused", () => {
  it.each([
    [{ toolsets: "order" }, '--toolsets has the unknown toolset "order". Did you mean "orders"?'],
    [
      { toolsets: "orders,nothing" },
      '--toolsets has the unknown toolset "nothing". The toolsets are orders, reports, admin, default, all.',
    ],
    [{ only: "order_gte" }, '--only has "order_gte", which no item matches. Did you mean "order_get"?'],
    [
      { except: "x*" },
      '--except has "x*", which no item matches. The names are order_get, order_set, order_write, order_count, order_purge, report, reset, hello, letter, secret, greet, log, order_file, terms.',
    ],
  ])("%j", async (choice, message) => {
    const server = openShop();
    await chooseItems([server], chosen({ only: "hello" }));
    await expect(chooseItems([server], chosen(choice))).rejects.toThrow(message);
    expect(await show(undefined, server)).toBe("hello");
  });
});

describe("toolsets are refused before the first request", () => {
  const tools = [defineTool({ name: "order_get", handle: () => "" })];
  const cases: readonly [ServerOptions["toolsets"], string][] = [
    [["orders"] as never, 'Server "s": toolsets must be an object with a property for each toolset.'],
    ["orders" as never, "toolsets must be an object"],
    [{ orders: ["oder_get"] }, 'Server "s": the toolset "orders" has "oder_get", which no item matches. Did you mean'],
    [{ orders: ["x_*"] }, "The names are order_get."],
    [{ all: [] }, 'Server "s": the toolset "all" has an invalid name. Use 1 to 64 of A-Z a-z 0-9 _ -'],
    [{ "a,b": [] }, 'the toolset "a,b" has an invalid name'],
    [
      { orders: "order_get" as never },
      "toolsets.orders must be an array of names, which may contain *, or an object with",
    ],
    [{ orders: [7 as never] }, "toolsets.orders must be"],
    [{ orders: [""] }, "toolsets.orders must be"],
    [{ orders: null as never }, "toolsets.orders must be"],
    [{ orders: { default: "no" as never } }, "toolsets.orders must be"],
    [{ orders: { hidden: true } as never }, "toolsets.orders must be"],
  ];

  it.each(cases)("%j", async (toolsets, message) => {
    const server = defineServer({ name: "s", version: "1", tools, toolsets: toolsets as never });
    await expect(connect(server)).rejects.toThrow(message);
    await expect(serveHttp(server, { port: 0 })).rejects.toThrow(message);
  });

  it("and so is an item with another one", async () => {
    const open = (toolset: unknown, toolsets?: ServerOptions["toolsets"]) =>
      defineServer({
        name: "s",
        version: "1",
        tools: [defineTool({ name: "t", toolset: toolset as string, handle: () => "" })],
        ...(toolsets && { toolsets }),
      });
    await expect(connect(open("admim", { admin: { default: false } }))).rejects.toThrow(
      'Server "s": the toolset "admim" of the tool "t" is not in the option toolsets. Did you mean "admin"?',
    );
    await expect(connect(open("x", {}))).rejects.toThrow("is not in the option toolsets. There are none.");
    await expect(chooseItems([open("a b")], {})).rejects.toThrow(
      'the toolset "a b" of the tool "t" has an invalid name',
    );
    await expect(chooseItems([open(7)], {})).rejects.toThrow("has an invalid name");
  });

  it("by a handler, which answers every request with 500 and logs the reason once", async () => {
    const logged: LogEntry[] = [];
    const server = defineServer({
      ...{ name: "s", version: "1", tools, toolsets: { orders: ["typo"] } },
      log: (entry) => void logged.push(entry),
    });
    const handler = createFetchHandler(server);
    const message = modern("tools/list");
    const headers = modernHeaders(message) as Record<string, string>;
    const request = new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(message) });
    expect((await handler(request)).status).toBe(500);
    await expect(handler.ready()).rejects.toThrow('"typo", which no item matches');
    expect(logged).toMatchObject([{ level: "error", message: "The server cannot be served" }]);
    await handler.close();
  });
});

it("selects from 500 tools in 100 toolsets, and serializes the list once", async () => {
  let annotated = 0;
  const tools = Array.from({ length: 500 }, (_, index) => {
    const tool = defineTool({ name: `t${index % 100}_${index}`, handle: () => `${index}` });
    const { description } = tool;
    return Object.defineProperty({ ...tool }, "description", {
      enumerable: true,
      get: () => {
        annotated++;
        return description;
      },
    });
  });
  const toolsets = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`s${index}`, [`t${index}_*`]]));
  const server = defineServer({ name: "many", version: "1", tools, toolsets, cache: { cacheScope: "public" } });
  await chooseItems([server], chosen({ toolsets: "s7,s42", except: "*_142" }));
  const names = ["t7_7", "t42_42", "t7_107", "t7_207", "t42_242", "t7_307", "t42_342", "t7_407", "t42_442"];
  const principals = Array.from({ length: 10 }, (_, index) => ({ id: `caller${index}` }));
  const counts: number[] = [];
  for (const principal of principals) {
    const client = await connect(server, { principal });
    const page = (await client.request("tools/list")) as { tools: { name: string }[]; cacheScope: string };
    expect(page.tools.map(({ name }) => name)).toEqual(names);
    expect(page.cacheScope).toBe("public");
    counts.push(annotated);
    await client.close();
  }
  // Nobody reads a description again after the first list.
  expect(new Set(counts).size).toBe(1);
});
