import { Writable } from "node:stream";
import { defineResource, defineServer, defineTool, field, type Middleware, ToolError } from "proffer";
import { connect } from "proffer/testing";
import { afterEach, expect, it, vi } from "vitest";
import { stylesFor } from "../terminal/terminal.ts";
import { createLiveServer } from "./live-server.ts";
import { formatEdit, reportCalls } from "./report.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const nothing = { type: "object" } as const;
const number = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;

it("each call is printed with its client, name, time and outcome", async () => {
  vi.stubEnv("FORCE_COLOR", undefined);
  const lines: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => lines.push(String(text)) > 0);
  const seen: string[] = [];
  const middleware: Middleware = (call, next) => {
    seen.push(call.method);
    return next();
  };
  const server = defineServer({
    name: "live",
    version: "1",
    middleware,
    tools: [
      defineTool({ name: "say", handle: () => "word" }),
      defineTool({
        name: "fail",
        handle: () => {
          throw new ToolError("no\u001b[2J\nluck");
        },
      }),
      defineTool({ name: "ask", handle: async (_, ctx) => (await ctx.ask("Who?", { name: field.text() })).action }),
      defineTool({ name: "count", input: number, handle: () => "1" }),
    ],
    resources: [defineResource({ uri: "a://b", name: "B", content: "text" })],
  });
  const live = createLiveServer(server, reportCalls);
  const client = await connect(live.server, { answers: [{ name: "Ada" }] });
  await client.listTools();
  await client.call("say");
  await client.call("fail");
  await client.call("ask");
  await client.call("count", { n: "x" });
  await client.read("a://b");
  await client.read("a://absent").catch(() => undefined);
  await client.close();
  vi.restoreAllMocks();
  expect(lines.map((line) => line.replace(/ {2}(proffer[\w-]*) \S+ {2}\d+ ms {2}/, " <client> <time> "))).toEqual([
    "call say <client> <time> ok\n",
    "call fail <client> <time> failed: no\\u001b[2J\\nluck\n",
    "call ask <client> <time> asks the user\n",
    "call ask <client> <time> ok\n",
    expect.stringMatching(/^call count <client> <time> failed: .*must be number/),
    "read a://b <client> <time> ok\n",
    expect.stringMatching(/^read a:\/\/absent <client> <time> error: /),
  ]);
  // The server's own middleware still runs.
  expect(seen).toContain("tools/call");
});

it("an edit is described by the items that it added, changed and removed", () => {
  const tool = (name: string, description: string, input: typeof nothing | typeof number = nothing) =>
    defineTool({ name, description, input, handle: () => "" });
  const before = defineServer({ name: "a", version: "1", tools: [tool("add", "Adds."), tool("old", "Is old.")] });
  const after = defineServer({
    name: "a",
    version: "1",
    tools: [tool("add", "Adds numbers.", number), tool("fresh", "Is new.\nMore.")],
  });
  const styles = stylesFor(new Writable());
  const show = (first: typeof before, second: typeof before) => {
    const difference = createLiveServer(first).follow(second);
    return String(formatEdit({ before: first, after: second, difference, milliseconds: 12.3 }, styles));
  };
  expect(show(before, after).split("\n")).toEqual([
    "✓ Applied in 12 ms.",
    "  + fresh()  Is new.",
    "  ~ add(n)  description, input",
    "  - old()",
  ]);
  expect(show(before, before)).toBe("✓ Applied in 12 ms. The lists are unchanged.");
});
