import { definePrompt, defineResource, defineServer, defineTool, InvalidParams, type LogEntry } from "proffer";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { EVERY } from "./versions.ts";

const SECRET = "password=hunter2";

function fails(): never {
  throw new Error(SECRET, { cause: new Error("the reason") });
}

function serve() {
  const logged: LogEntry[] = [];
  const server = defineServer({
    name: "s",
    version: "1",
    tools: [
      defineTool({ name: "t", handle: fails }),
      defineTool({ name: "unwritable", handle: () => ({ huge: 1n }) }),
      defineTool({
        name: "hides",
        handle: () => {
          throw new InvalidParams("Shown to everybody.", { big: 1n });
        },
      }),
    ],
    prompts: [definePrompt({ name: "p", get: fails })],
    resources: [defineResource({ uri: "s://r", name: "r", read: fails })],
    log: (entry) => logged.push(entry),
  });
  return { server, logged };
}

describe.each(EVERY)("an unexpected exception in %s", (revision) => {
  it("is logged in full, and hidden from the client", async () => {
    const { server, logged } = serve();
    const client = await connect(server, { revision });
    await client.call("t");
    await client.get("p").catch(() => {});
    await client.read("s://r").catch(() => {});
    expect(client.transcript.messages("server").join("\n")).not.toContain("hunter2");
    expect(logged).toMatchObject([
      { level: "error", method: "tools/call", name: "t", error: { message: SECRET, cause: { message: "the reason" } } },
      { level: "error", method: "prompts/get", name: "p", error: { message: SECRET } },
      { level: "error", method: "resources/read", name: "s://r", error: { message: SECRET } },
    ]);
  });

  it("is also shown to the client with exposeErrors, with advice", async () => {
    const client = await connect(serve().server, { revision, exposeErrors: true });
    const { isError, content } = await client.call("t");
    expect(isError).toBe(true);
    expect(content).toEqual([
      {
        type: "text",
        text: `${SECRET} (shown because exposeErrors is on; throw a ToolError to show it always)`,
      },
    ]);
    const message = `${SECRET} (shown because exposeErrors is on; throw a NotFound or InvalidParams to show it always)`;
    await expect(client.get("p")).rejects.toMatchObject({ code: -32603, message });
    await expect(client.read("s://r")).rejects.toMatchObject({ code: -32603, message });
  });

  it("during serialization ends only that call", async () => {
    const client = await connect(serve().server, { revision });
    await expect(client.call("unwritable")).rejects.toMatchObject({ code: -32603 });
    await expect(client.call("hides")).rejects.toMatchObject({ code: -32602, message: "Shown to everybody." });
    await client.listTools();
  });
});
