import { connect, type TestClient } from "proffer/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { defineDemo } from "./demo.ts";
import { DEMO_CLASS } from "./documents.ts";
import { defineSessionDemo } from "./session-demo.ts";

describe.each(["2024-11-05", "2025-06-18", "2026-07-28"])("the stateless demo on %s", (revision) => {
  let client: TestClient;
  beforeAll(async () => {
    client = await connect(defineDemo(), { revision });
  });

  it("has two prompts with a required argument each", async () => {
    expect(await client.listPrompts()).toEqual([
      {
        name: "greet",
        description: "Greet prompt",
        arguments: [{ name: "name", description: "The name", required: true }],
      },
      {
        name: "joke",
        description: "Joke prompt",
        arguments: [{ name: "topic", description: "The topic", required: true }],
      },
    ]);
    expect(await client.get("greet", { name: "Ada" })).toMatchObject({
      description: "Greet prompt",
      messages: [{ role: "user", content: { type: "text", text: "Happily greet Ada and wish them a great day" } }],
    });
  });

  it.each([
    ["greet", undefined, "Prompt greet requires parameter 'name'"],
    ["greet", { name: "" }, "Prompt greet requires parameter 'name'"],
    ["joke", { name: "Ada" }, "Prompt joke requires parameter 'topic'"],
    ["x", {}, "Prompt x unknown."],
    ["__proto__", {}, "Prompt __proto__ unknown."],
  ])("rejects the prompt %s with %j", async (name, values, message) => {
    await expect(client.get(name, values as never)).rejects.toMatchObject({ code: -32602, message });
  });

  it("has one resource and one template", async () => {
    const { contents } = await client.read("abap://classes/zcl_demo");
    expect(contents).toEqual([{ uri: "abap://classes/zcl_demo", mimeType: "text/x-abap", text: DEMO_CLASS }]);
    expect((await client.read("file://sales_receipt/17")).contents[0]?.text).toMatch(/^Receipt of sales order 17\n/);
    for (const uri of ["abap://classes/other", "file://sales_receipt/x"]) {
      await expect(client.read(uri)).rejects.toMatchObject({ code: -32602, message: `Resource ${uri} not found.` });
    }
  });

  it("returns the time as text, and as structured content if the revision has it", async () => {
    const { content, structuredContent } = await client.call("get_server_time");
    const told = JSON.parse((content[0] as { text: string }).text);
    expect(told).toEqual({
      server_date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      server_time: expect.stringMatching(/^\d{2}:\d{2}:\d{2}$/),
    });
    expect(structuredContent).toEqual(revision < "2025-06-18" ? undefined : told);
  });

  it("returns a flight connection, and reports invalid arguments", async () => {
    const call = (airline_code: unknown, connection_number: unknown) =>
      client.call("get_flight_conn_details", { airline_code, connection_number });
    const found = await call("AA", 17);
    expect(JSON.parse((found.content[0] as { text: string }).text)).toMatchObject({ from: "New York" });
    expect(await call("AA", 0)).toMatchObject({ isError: true, content: [{ text: "There is no connection AA 0." }] });
    expect((await call("AA", 9999)).isError).toBe(true);
    const wrong = await call("ZZ", 10_000);
    expect(wrong.isError).toBe(true);
    const { text } = wrong.content[0] as { text: string };
    expect(text).toContain("airline_code");
    expect(text).toContain("connection_number");
    expect((await call("AA", -1)).isError).toBe(true);
    expect((await call("AA", 1.5)).isError).toBe(true);
  });

  it("rejects an unknown tool", async () => {
    await expect(client.call("x")).rejects.toMatchObject({ code: -32602, message: "Tool x not found." });
  });
});

describe.each(["2024-11-05", "2025-11-25"])("the session demo on %s", (revision) => {
  it("keeps a separate sum for each client", async () => {
    const server = defineSessionDemo();
    const text = async (client: TestClient, name: string, input?: object) =>
      ((await client.call(name, input)).content[0] as { text: string }).text;
    const one = await connect(server, { revision });
    const other = await connect(server, { revision });
    expect(await text(one, "increment_example", { increment: 5 })).toBe("Incremented value: 5");
    expect(await text(other, "increment_example", { increment: 1_000_000 })).toBe("Incremented value: 1000000");
    expect(await text(one, "increment_example", { increment: 3 })).toBe("Incremented value: 8");
    expect(await text(one, "get_session_details")).toMatch(/^Session ID: .+/);
    expect(await text(one, "get_session_details")).not.toBe(await text(other, "get_session_details"));
  });

  it.each([0, 1_000_001, 1.5, "five"])("rejects an increment of %j", async (increment) => {
    const client = await connect(defineSessionDemo(), { revision });
    expect(await client.call("increment_example", { increment })).toMatchObject({ isError: true });
  });
});

it("the session demo explains that a revision has no sessions", async () => {
  const client = await connect(defineSessionDemo(), { revision: "2026-07-28" });
  const message = "Protocol revision 2026-07-28 has no sessions; use 2025-11-25 or an older one.";
  for (const [name, input] of [["increment_example", { increment: 1 }], ["get_session_details"]] as const) {
    expect(await client.call(name, input)).toMatchObject({ isError: true, content: [{ text: message }] });
  }
});
