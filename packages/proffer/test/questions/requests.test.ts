import { expect, it } from "vitest";
import { field } from "../../src/questions/fields.ts";
import { connectMemory } from "../../src/transports/memory.ts";
import { call, request, serveTool } from "../one-tool.ts";

it.each(["{}", '{"result":"yes"}', '{"result":{},"error":{}}'])(
  "a call whose question is answered with nonsense ends: %s",
  async (nonsense) => {
    const server = serveTool(async (_, ctx) => (await ctx.ask("Your name?", { name: field.text() })).action);
    // biome-ignore lint/suspicious/noExplicitAny: messages of every shape
    const sent: any[] = [];
    const { send } = connectMemory(server, (text) => sent.push(JSON.parse(text)));
    send(request(0, "initialize", '{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}}}'));
    send(call(1));
    await expect.poll(() => sent.find(({ method }) => method === "elicitation/create")).toBeDefined();
    const { id } = sent.find(({ method }) => method === "elicitation/create");
    send(JSON.stringify({ jsonrpc: "2.0", id, ...JSON.parse(nonsense) }));
    await expect.poll(() => sent.find((message) => message.id === 1)).toBeDefined();
    const answer = sent.find((message) => message.id === 1);
    // A client that cannot ask has, for the handler, cancelled.
    expect(answer.result.content[0].text).toBe("cancel");
  },
);
