import { describe, expect, it } from "vitest";
import { describeModule } from "../transports.ts";

const ENDS = ["2024-11-05", "2026-07-28"];

describe("sales orders", () => {
  const module = new URL("./server.ts", import.meta.url);
  // The URIs of orders are relative, as in the original.
  describeModule({ module, revisions: ENDS, relativeUris: true }, (leg) => {
    it("lists fixed resources with sizes and annotations, including zeros, and continues by cursor", async () => {
      const { resources, nextCursor } = await leg.client.request("resources/list");
      expect(resources).toHaveLength(1000);
      expect((resources as object[])[0]).toMatchObject({
        uri: "abap://classes/zcl_my_utility",
        name: "My Utility Class",
        mimeType: "text/x-abap",
        annotations: { audience: ["assistant"], priority: 0 },
      });
      expect((resources as object[])[2]).toMatchObject({ uri: "file://documentation/errata.md", size: 0 });
      const next = await leg.client.request("resources/list", { cursor: nextCursor });
      expect((next.resources as object[])[0]).toMatchObject({ uri: "orders/10995" });
      await expect(leg.client.request("resources/list", { cursor: "page2" })).rejects.toMatchObject({ code: -32602 });
    });

    it("lists its templates, including those without a scheme", async () => {
      const templates = (await leg.client.listTemplates()).map(({ uriTemplate }) => uriTemplate);
      expect(templates).toEqual(
        expect.arrayContaining(["orders/{order_id}", "users/{username}/profile", "sales_order/{sales_order_id}"]),
      );
    });

    it.each([
      ["abap://classes/zcl_my_utility", "text/x-abap", "text"],
      ["file://documentation/errata.md", "text/markdown", "text"],
      ["db://sales/top_customers", "text/csv", "text"],
      ["db://sales/orders/12345", "application/json", "text"],
      ["file://reports/sales_summary.pdf", "application/pdf", "blob"],
      ["orders/12345", "application/json", "text"],
      ["users/user0007/profile", "application/json", "text"],
      ["sales_order/12345", "application/json", "text"],
    ])("reads %s as %s", async (uri, mimeType, kind) => {
      const { contents } = await leg.client.read(uri);
      expect(contents).toMatchObject([{ uri, mimeType, [kind]: expect.any(String) }]);
    });

    it.each(["sales_order/99999", "sales_order/x", "db://unknown", "users/../profile"])(
      "does not find %s",
      async (uri) => {
        await expect(leg.client.read(uri)).rejects.toMatchObject({
          code: -32602,
          message: `Resource ${uri} not found`,
        });
      },
    );

    it("rejects the methods of tools and prompts, which it does not have, except for their lists", async () => {
      for (const method of ["tools/call", "prompts/get"]) {
        await expect(leg.client.request(method, { name: "x" })).rejects.toMatchObject({ code: -32601 });
      }
    });
  });
});

describe("the stateless demo", () => {
  describeModule({ module: new URL("./demo.ts", import.meta.url), revisions: ENDS }, (leg) => {
    it("greets, reads a class and a receipt, and returns the time", async () => {
      expect(await leg.client.get("greet", { name: "Ada" })).toMatchObject({
        description: "Greet prompt",
        messages: [{ role: "user", content: { text: "Happily greet Ada and wish them a great day" } }],
      });
      expect((await leg.client.read("abap://classes/zcl_demo")).contents).toMatchObject([{ mimeType: "text/x-abap" }]);
      expect((await leg.client.read("file://sales_receipt/17")).contents[0]?.text).toContain("sales order 17");
      const { content } = await leg.client.call("get_server_time");
      expect(content).toMatchObject([{ type: "text", text: expect.stringContaining('"server_date"') }]);
    });

    it("lists annotations that are false", async () => {
      const [tool] = await leg.client.listTools();
      // Tools have annotations since 2025-03-26.
      expect(tool?.annotations).toEqual(
        leg.revision === "2024-11-05" ? undefined : { readOnlyHint: true, openWorldHint: false },
      );
    });

    it.each([
      ["prompts/get", { name: "greet" }, "Prompt greet requires parameter 'name'"],
      ["prompts/get", { name: "x" }, "Prompt x unknown."],
      ["tools/call", { name: "x" }, "Tool x not found."],
      ["resources/read", { uri: "abap://x" }, "Resource abap://x not found."],
    ])("rejects %s with %j and its own message", async (method, params, message) => {
      await expect(leg.client.request(method, params)).rejects.toMatchObject({ code: -32602, message });
    });

    it.each(["prompts/get", "tools/call", "resources/read"])("rejects %s without a name or URI", async (method) => {
      await expect(leg.client.request(method)).rejects.toMatchObject({ code: -32602 });
    });

    it.each([
      [{}, ["airline_code", "connection_number"]],
      [{ airline_code: "", connection_number: -1 }, ["/airline_code", "/connection_number"]],
      [{ airline_code: 1, connection_number: "17" }, ["/airline_code", "/connection_number"]],
      [{ airline_code: "AA", connection_number: 1.5 }, ["/connection_number"]],
    ])("reports all invalid arguments of %j", async (input, places) => {
      const { content, isError } = await leg.client.call("get_flight_conn_details", input);
      expect(isError).toBe(true);
      for (const place of places) expect((content[0] as { text: string }).text).toContain(place);
    });
  });
});

describe("the session demo", () => {
  describeModule(
    { module: new URL("./session-demo.ts", import.meta.url), revisions: ["2024-11-05", "2025-11-25"] },
    (leg) => {
      it("keeps a separate sum for each client", async () => {
        const other = await leg.connect();
        const add = async (client: typeof other, increment: number) =>
          (await client.call("increment_example", { increment })).content;
        expect(await add(leg.client, 5)).toMatchObject([{ text: "Incremented value: 5" }]);
        expect(await add(other, 1)).toMatchObject([{ text: "Incremented value: 1" }]);
        expect(await add(leg.client, 3)).toMatchObject([{ text: "Incremented value: 8" }]);
        const details = (await leg.client.call("get_session_details")).content;
        expect(details).toMatchObject([{ text: expect.stringMatching(/^Session ID: .+/) }]);
        expect(details).not.toEqual((await other.call("get_session_details")).content);
      });
    },
  );
});
