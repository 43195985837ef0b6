import { defineResource, defineServer, defineTool } from "proffer";
import { serveHttp } from "proffer/http";
import { cacheResults } from "proffer/policy";
import { chooseItems } from "proffer/process";
import { connect, type TestClient } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { modern, postModern } from "../http/http-client.ts";
import { chosen, openShop } from "./shop.ts";

const REVISIONS = ["2025-11-25", "2026-07-28"];

/** The answers to a client, with one name instead of another. */
async function answer(client: TestClient, method: string, params: object, name: string, instead: string) {
  const error = await client.request(method, params).catch((thrown) => thrown);
  return JSON.stringify({ code: error.code, message: error.message, data: error.data }).replaceAll(name, instead);
}

const to = { argument: { name: "to", value: "" } };

describe.each(REVISIONS)("an item that a choice hides does not exist, on %s", (revision) => {
  it.each([
    ["tools/call", "order_get", "order_gex", (name: string) => ({ name })],
    ["tools/call", "order_write", "order_wrixe", (name: string) => ({ name })],
    ["prompts/get", "letter", "lexter", (name: string) => ({ name })],
    ["completion/complete", "letter", "lexter", (name: string) => ({ ref: { type: "ref/prompt", name }, ...to })],
    [
      "completion/complete",
      "shop://orders/{id}",
      "shop://orders/{ix}",
      (uri: string) => ({ ref: { type: "ref/resource", uri }, argument: { name: "id", value: "" } }),
    ],
    ["resources/read", "shop://terms", "shop://texms", (uri: string) => ({ uri })],
    ["resources/read", "shop://orders/7", "shop://ordexs/7", (uri: string) => ({ uri })],
  ] as const)("%s %s", async (method, hidden, absent, toParams) => {
    const server = openShop();
    const client = await connect(server, { revision });
    const before = await client.request(method, toParams(hidden)).catch((thrown) => thrown);
    expect(before.code).toBeUndefined();
    await chooseItems([server], chosen({ only: "report,hello,log" }));
    const never = await answer(client, method, toParams(absent), absent, hidden);
    expect(JSON.parse(never).code).toBeTypeOf("number");
    expect(await answer(client, method, toParams(hidden), hidden, hidden)).toBe(never);
    await client.close();
  });

  it("is not suggested", async () => {
    const server = openShop();
    await chooseItems([server], chosen({ except: "report" }));
    const client = await connect(server, { revision });
    await expect(client.call("repord")).rejects.toThrow('Unknown tool "repord". tools/list returns');
    await client.close();
  });

  it("sends no updates to subscribers", async () => {
    const server = defineServer({
      ...{ name: "s", version: "1" },
      resources: ["a", "b"].map((name) => defineResource({ uri: `x://${name}`, name, read: () => name })),
    });
    await chooseItems([server], chosen({ toolsets: "all" }));
    const client = await connect(server, { revision });
    const subscribe = (uri: string) =>
      revision === "2025-11-25" ? client.request("resources/subscribe", { uri }) : client.listen({ uris: [uri] });
    await subscribe("x://a");
    await subscribe("x://b");
    await chooseItems([server], chosen({ except: "a" }));
    await expect(client.request("resources/read", { uri: "x://a" })).rejects.toThrow("x://a");
    server.notify("x://a");
    server.notify("x://b");
    const first = await client.waitFor("notifications/resources/updated");
    expect(first.params?.uri).toBe("x://b");
    await client.close();
  });
});

it("a hidden tool's arguments in headers make no difference", async () => {
  const input = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } } as const;
  const tools = ["move", "stay"].map((name) => defineTool({ name, input, handle: () => "moved" }));
  const server = defineServer({ name: "office", version: "1", tools });
  await chooseItems([server], chosen({ only: "stay" }));
  const service = await serveHttp(server, { port: 0 });
  const call = (name: string) => postModern(service.url, modern("tools/call", { name, arguments: { region: "eu" } }));
  expect((await call("stay")).json.error.message).toContain("mcp-param-region");
  expect((await call("move")).json.error.message).toContain('Unknown tool "move"');
  await service.close();
});

it("hides the tasks of a hidden tool, and still ends them", async () => {
  const tool = defineTool({ name: "copy", task: true, handle: () => "copied" });
  const other = defineTool({ name: "other", task: true, handle: () => "other" });
  const server = defineServer({ name: "s", version: "1", tools: [tool, other] });
  const client = await connect(server);
  const task = await client.startTask("copy");
  await chooseItems([server], chosen({ only: "other" }));
  await expect(client.request("tasks/get", { taskId: task.id })).rejects.toThrow("Unknown task");
  await chooseItems([server], chosen({ only: "copy" }));
  expect(await task.result()).toMatchObject({ content: [{ text: "copied" }] });
  await client.close();
});

it("keeps cached results apart", async () => {
  const server = openShop({ middleware: cacheResults({ names: ["report"], milliseconds: 60_000 }) });
  const client = await connect(server);
  await client.call("report");
  await chooseItems([server], chosen({ only: "hello" }));
  await expect(client.call("report")).rejects.toThrow('Unknown tool "report"');
  await client.close();
});
