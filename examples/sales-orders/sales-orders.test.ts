import { connect, type TestClient } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FIRST_ORDER, ORDERS, openDatabase, USERS } from "./database.ts";
import { UTILITY_CLASS } from "./documents.ts";
import { defineSalesOrders } from "./sales-orders.ts";

const database = openDatabase();
const server = defineSalesOrders(database, { log: () => undefined });

afterAll(() => database.close());

describe.each(["2024-11-05", "2025-06-18", "2026-07-28"])("sales orders on %s", (revision) => {
  let client: TestClient;
  beforeAll(async () => {
    client = await connect(server, { revision });
  });

  const read = async (uri: string) => {
    const { contents } = await client.read(uri);
    expect(contents).toMatchObject([{ uri }]);
    return contents[0];
  };
  const readJson = async (uri: string) => JSON.parse((await read(uri))?.text ?? "");

  it("lists fixed resources with sizes and annotations, including zeros", async () => {
    const { resources } = (await client.request("resources/list")) as { resources: object[] };
    expect(resources.slice(0, 6)).toMatchObject([
      {
        uri: "abap://classes/zcl_my_utility",
        name: "My Utility Class",
        description: "Utility class for XYZ operations",
        mimeType: "text/x-abap",
        size: UTILITY_CLASS.length,
        annotations: { audience: ["assistant"], priority: 0 },
      },
      { uri: "file://documentation/user_guide.md", mimeType: "text/markdown", annotations: { priority: 1 } },
      { uri: "file://documentation/errata.md", size: 0 },
      {
        uri: "db://sales/top_customers",
        name: "Top Customers Report",
        description: "List of top customers by revenue",
        mimeType: "text/csv",
      },
      { uri: "db://customers/top_10", mimeType: "application/json" },
      { uri: "file://reports/sales_summary.pdf", mimeType: "application/pdf" },
    ]);
  });

  it("lists every order and every user once, page by page, with the metadata of the list", async () => {
    const uris: string[] = [];
    const totals: unknown[] = [];
    let cursor: unknown;
    do {
      const page = await client.request("resources/list", cursor === undefined ? {} : { cursor });
      const resources = page.resources as { uri: string }[];
      expect(resources.length).toBeLessThanOrEqual(1000);
      uris.push(...resources.map(({ uri }) => uri));
      totals.push((page._meta as Record<string, unknown> | undefined)?.["sales/users"]);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(uris.filter((uri) => uri.startsWith("orders/"))).toEqual(
      Array.from({ length: ORDERS }, (_, at) => `orders/${FIRST_ORDER + at}`),
    );
    expect(uris.filter((uri) => uri.startsWith("users/"))).toHaveLength(USERS);
    expect(new Set(uris).size).toBe(uris.length);
    expect(totals).toContain(USERS);
    expect(totals.length).toBeGreaterThan(4);
  });

  it("rejects an unknown cursor", async () => {
    await expect(client.request("resources/list", { cursor: "page2" })).rejects.toMatchObject({ code: -32602 });
  });

  it("lists its templates", async () => {
    const templates = (await client.listTemplates()).map(({ uriTemplate, name, mimeType }) => [
      uriTemplate,
      name,
      mimeType,
    ]);
    expect(templates).toEqual([
      ["db://sales/orders/{order_id}", "Order Record", "application/json"],
      ["orders/{order_id}", "Order Details", "application/json"],
      ["users/{username}/profile", "User Profile", "application/json"],
      ["sales_order/{sales_order_id}", "Sales Order Details", "application/json"],
    ]);
  });

  it("reads a class as text, and an empty document as an empty text", async () => {
    expect(await read("abap://classes/zcl_my_utility")).toMatchObject({ mimeType: "text/x-abap", text: UTILITY_CLASS });
    expect(await read("file://documentation/errata.md")).toMatchObject({ mimeType: "text/markdown", text: "" });
  });

  it("reads a report as CSV and another as JSON", async () => {
    const csv = await read("db://sales/top_customers");
    expect(csv?.mimeType).toBe("text/csv");
    const lines = csv?.text?.trimEnd().split("\r\n") ?? [];
    expect(lines[0]).toBe("id,name,city,revenue_cents");
    expect(lines).toHaveLength(51);
    const revenues = (await readJson("db://customers/top_10")).map(
      (row: { revenue_cents: number }) => row.revenue_cents,
    );
    expect(revenues).toHaveLength(10);
    expect(revenues).toEqual(revenues.toSorted((a: number, b: number) => b - a));
  });

  it("reads a PDF as a blob", async () => {
    const pdf = await read("file://reports/sales_summary.pdf");
    expect(pdf).toMatchObject({ mimeType: "application/pdf" });
    expect(pdf).not.toHaveProperty("text");
    const bytes = Buffer.from(pdf?.blob ?? "", "base64").toString("latin1");
    expect(bytes).toMatch(/^%PDF-1\.\d\n/);
    expect(bytes.trimEnd()).toMatch(/%%EOF$/);
    expect(bytes).toContain("/Type /Page");
  });

  it("reads orders and profiles", async () => {
    expect(await readJson("orders/12345")).toMatchObject({ id: 12345, status: expect.any(String) });
    expect(await readJson("db://sales/orders/12345")).toEqual(await readJson("orders/12345"));
    expect(await readJson("users/user0007/profile")).toMatchObject({ username: "user0007", role: expect.any(String) });
  });

  it("reads an order with its items, with metadata on the content and on the result", async () => {
    const { contents, _meta } = await client.read("sales_order/12345");
    const { items, ...head } = JSON.parse(contents[0]?.text ?? "");
    expect(head).toMatchObject({ id: 12345, customer: expect.any(String) });
    expect(items).toHaveLength(2);
    const total = items.reduce(
      (sum: number, item: Record<string, number>) => sum + Number(item.quantity) * Number(item.price_cents),
      0,
    );
    expect(_meta).toMatchObject({ "sales/currency": "EUR" });
    // Contents have metadata since 2025-06-18.
    expect(contents[0]?._meta).toEqual(revision < "2025-06-18" ? undefined : { "sales/totalCents": total });
  });

  it("completes order numbers and usernames", async () => {
    const order = { type: "ref/resource", uri: "sales_order/{sales_order_id}" };
    expect(await client.complete(order, "sales_order_id", "1234")).toEqual(
      Array.from({ length: 10 }, (_, at) => String(12340 + at)),
    );
    const profile = { type: "ref/resource", uri: "users/{username}/profile" };
    expect(await client.complete(profile, "username", "user000")).toHaveLength(9);
  });

  it.each([
    "db://sales/orders/99999",
    "db://unknown",
    "abap://classes/zcl_other",
    "orders/99999",
    "orders/abc",
    "orders/1 or 1=1",
    "orders/999999999999999999999",
    "orders/-1",
    "orders/12345/items",
    "orders/12345?x=1",
    "sales_order/99999",
    "sales_order/x",
    "sales_order/",
    "users/nobody/profile",
    "users/__proto__/profile",
    "users/user0001",
    "users/../profile",
    "users/%ff/profile",
    "https://example.com/",
    "",
  ])("does not find %j", async (uri) => {
    await expect(client.read(uri)).rejects.toMatchObject({ code: -32602, message: `Resource ${uri} not found` });
  });
});
