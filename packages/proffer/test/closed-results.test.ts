import { type } from "arktype";
import { defineServer, defineTool, result } from "proffer";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";

const USER = { type: "object", properties: { id: { type: "number" } }, required: ["id"] } as const;
const SECRET = { id: 1, passwordHash: "secret" };

const users = defineTool({
  name: "users",
  output: { type: "array", items: USER },
  closed: true,
  handle: () => [SECRET],
});
const user = defineTool({ name: "user", output: USER, handle: () => SECRET });
const open = defineTool({ name: "open", output: USER, closed: false, handle: () => SECRET });
const tools = [users, user, open];
const server = defineServer({ name: "people", version: "1.0.0", tools });
const closedServer = defineServer({ name: "people", version: "1.0.0", tools, closedResults: true });

describe.each(["2025-11-25", "2026-07-28"] as const)("on %s", (revision) => {
  it("drops unknown properties from the value and its text", async () => {
    const client = await connect(server, { revision });
    const sent = JSON.stringify(await client.call("users"));
    expect(sent).toContain('{\\"id\\":1}');
    expect(sent).not.toContain("secret");
    expect(JSON.stringify(await client.call("user"))).toContain("secret");
  });

  it("drops them for every tool of a server that closes results, unless the tool is open", async () => {
    const client = await connect(closedServer, { revision });
    expect(JSON.stringify(await client.call("user"))).not.toContain("secret");
    expect(JSON.stringify(await client.call("open"))).toContain("secret");
  });
});

it("lists the output schema as closed", async () => {
  const schemas = async (of: typeof server) =>
    (await (await connect(of)).listTools()).map(({ outputSchema }) => JSON.stringify(outputSchema));
  const closed = JSON.stringify({ ...USER, additionalProperties: false });
  expect(await schemas(server)).toEqual([
    `{"type":"array","items":${closed}}`,
    ...[USER, USER].map((it) => JSON.stringify(it)),
  ]);
  expect(await schemas(closedServer)).toEqual([`{"type":"array","items":${closed}}`, closed, JSON.stringify(USER)]);
});

it("keeps content of the author beside the closed value", async () => {
  const tool = defineTool({
    name: "own",
    output: USER,
    closed: true,
    handle: () => result(SECRET, { content: "One." }),
  });
  const called = await (await connect(defineServer({ name: "own", version: "1.0.0", tools: [tool] }))).call("own");
  expect(called).toMatchObject({ structuredContent: { id: 1 }, content: [{ text: "One." }] });
  expect(called.structuredContent).not.toHaveProperty("passwordHash");
});

it("drops properties after a library has parsed the value, and before a strict JSON Schema rejects them", async () => {
  // The value before the transformation has another property, which the output schema does not have.
  const renamed = type({ number: "number", hash: "string" })
    .pipe(({ number, hash }) => ({ id: number, hash }))
    .to({ id: "number" });
  const tools = [
    defineTool({
      name: "library",
      output: renamed,
      closed: true,
      handle: () => ({ number: 1, hash: "secret" }) as never,
    }),
    defineTool({
      name: "strict",
      output: { ...USER, additionalProperties: false },
      closed: true,
      handle: () => SECRET as never,
    }),
  ];
  const client = await connect(defineServer({ name: "libraries", version: "1.0.0", tools }));
  expect((await client.call("library")).structuredContent).toEqual({ id: 1 });
  expect((await client.call("strict")).structuredContent).toEqual({ id: 1 });
});

it("rejects a value that lacks a required property", async () => {
  const tool = defineTool({ name: "none", output: USER, closed: true, handle: () => ({ hash: 1 }) as never });
  const client = await connect(defineServer({ name: "none", version: "1.0.0", tools: [tool], log: () => undefined }));
  await expect(client.call("none")).rejects.toMatchObject({ code: -32603 });
});

it("rejects options that cannot work", () => {
  expect(() => defineTool({ name: "bare", closed: true, handle: () => "" })).toThrow(
    'Tool "bare": closed requires an output schema, which has the properties.',
  );
  expect(() => defineTool({ name: "bare", closed: "yes" as never, handle: () => "" })).toThrow(
    "closed must be true or false",
  );
  expect(() => defineServer({ name: "bare", version: "1", closedResults: 1 as never })).toThrow(
    "closedResults must be",
  );
});
