import { describe, expect, it } from "vitest";
import { definePrompt } from "../src/prompts/define.ts";
import { InvalidParams } from "../src/protocol/errors.ts";
import { defineResource } from "../src/resources/define.ts";
import { defineServer } from "../src/server/server.ts";
import type { LogEntry } from "../src/support/log.ts";
import { connect } from "../src/testing/connect.ts";
import { defineTool } from "../src/tools/define.ts";
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
  it("is told to the log in full, and to the client not at all", async () => {
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

  it("is told to the client too in dev mode, with what to do about it", async () => {
    const client = await connect(serve().server, { revision, exposeErrors: true });
    const { isError, content } = await client.call("t");
    expect(isError).toBe(true);
    expect(content).toEqual([
      {
        type: "text",
        text: `${SECRET} (shown because the server runs in dev mode; throw a ToolError to show it always)`,
      },
    ]);
    const message = `${SECRET} (shown because the server runs in dev mode; throw a NotFound or InvalidParams to show it always)`;
    await expect(client.get("p")).rejects.toMatchObject({ code: -32603, message });
    await expect(client.read("s://r")).rejects.toMatchObject({ code: -32603, message });
  });

  it("of what cannot be written as JSON ends that call alone", async () => {
    const client = await connect(serve().server, { revision });
    await expect(client.call("unwritable")).rejects.toMatchObject({ code: -32603 });
    await expect(client.call("hides")).rejects.toMatchObject({ code: -32602, message: "Shown to everybody." });
    await client.listTools();
  });
});
