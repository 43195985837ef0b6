import { defineResource, defineResourceGroup, defineServer } from "proffer";
import { connect, type TestClient } from "proffer/testing";
import { beforeAll, describe, expect, it } from "vitest";

// The behavior of the resources in the ABAP server SDK, expressed as declarations.

const order = defineResource({
  uri: "sales_order/{sales_order_id}",
  name: "Sales Order Details",
  description: "Details for a specific sales order",
  mimeType: "application/json",
  params: { sales_order_id: /\d+/ },
  read: ({ sales_order_id }) => ({ sales_order_id }),
});

const resources = defineResourceGroup(
  {
    messages: {
      unmatched: ({ uri }) => `Resource ${uri} not found`,
      pattern: ({ uri }) => `Resource ${uri} not found`,
      missing: ({ uri }) => `Resource ${uri} not found`,
    },
  },
  [
    defineResource({
      uri: "abap://classes/zcl_my_utility",
      name: "My Utility Class",
      description: "Utility class for XYZ operations",
      mimeType: "text/x-abap",
      annotations: { audience: ["assistant"], priority: 0 },
      size: 0,
      read: () => "CLASS zcl_my_utility DEFINITION.",
    }),
    defineResource({
      uri: "file://reports/sales_summary.pdf",
      name: "Sales summary",
      mimeType: "application/pdf",
      read: () => Uint8Array.of(0x25, 0x50, 0x44, 0x46),
    }),
    order,
    defineResource({
      uri: "users/{username}/profile",
      name: "User Profile",
      mimeType: "application/json",
      list: ({ cursor }) =>
        cursor === undefined
          ? { items: [{ uri: "users/ann/profile", name: "Ann" }], nextCursor: "page2", _meta: { more: true } }
          : { items: [{ uri: `users/${cursor}/profile`, name: cursor }] },
      read: ({ username }) => (username === "nobody" ? undefined : { username }),
    }),
  ],
);

describe.each(["2025-03-26", "2025-06-18", "2026-07-28"])(
  "the sales orders of the ABAP document, on %s",
  (revision) => {
    let client: TestClient;
    beforeAll(async () => {
      client = await connect(defineServer({ name: "sales", version: "1", log: () => undefined, resources }), {
        revision,
      });
    });

    it("lists its resources page by page", async () => {
      const first = await client.request("resources/list");
      expect(first.resources).toEqual([
        expect.objectContaining({
          uri: "abap://classes/zcl_my_utility",
          size: 0,
          annotations: { audience: ["assistant"], priority: 0 },
        }),
        expect.objectContaining({ uri: "file://reports/sales_summary.pdf" }),
        { uri: "users/ann/profile", name: "Ann", mimeType: "application/json" },
      ]);
      expect(first._meta).toMatchObject({ more: true });
      const second = await client.request("resources/list", { cursor: first.nextCursor });
      expect(second.resources).toEqual([{ uri: "users/page2/profile", name: "page2", mimeType: "application/json" }]);
      expect(second).not.toHaveProperty("nextCursor");
    });

    it("lists its templates, without a scheme", async () => {
      expect((await client.listTemplates()).map(({ uriTemplate }) => uriTemplate)).toEqual([
        "sales_order/{sales_order_id}",
        "users/{username}/profile",
      ]);
    });

    it.each([
      ["abap://classes/zcl_my_utility", { mimeType: "text/x-abap", text: "CLASS zcl_my_utility DEFINITION." }],
      ["file://reports/sales_summary.pdf", { mimeType: "application/pdf", blob: "JVBERg==" }],
      ["sales_order/12345", { mimeType: "application/json", text: '{"sales_order_id":"12345"}' }],
      ["users/ann/profile", { mimeType: "application/json", text: '{"username":"ann"}' }],
    ])("reads %s", async (uri, content) => {
      expect((await client.read(uri)).contents).toEqual([{ uri, ...content }]);
    });

    it.each(["db://customers/top_10", "sales_order/x", "sales_order/1/items", "users/nobody/profile", ""])(
      "does not find %j",
      async (uri) => {
        await expect(client.read(uri)).rejects.toMatchObject({ code: -32602, message: `Resource ${uri} not found` });
      },
    );
  },
);
