import { field } from "proffer";
import { expect, it } from "vitest";
import { connectMemory } from "../../src/transports/memory.ts";
import { call, request, serveTool } from "../one-tool.ts";

it.each(["{}", '{"result":"yes"}', '{"result":{},"error":{}}'])(
  "an invalid response cancels the question: %s",
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
    // The handler sees an invalid response as "cancel".
    expect(answer.result.content[0].text).toBe("cancel");
  },
);

it("many questions at once print no warning, and a question that nobody waits for is withdrawn", async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error) => warnings.push(warning);
  process.on("warning", warn);
  const server = serveTool((_, ctx) => {
    for (let n = 0; n < 20; n++) void ctx.ask(`Name ${n}?`, { name: field.text() });
    return new Promise((resolve) => setImmediate(() => resolve("did not wait")));
  });
  // biome-ignore lint/suspicious/noExplicitAny: messages of every shape
  const sent: any[] = [];
  const { send } = connectMemory(server, (text) => sent.push(JSON.parse(text)));
  send(request(0, "initialize", '{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}}}'));
  send(call(1));
  await expect.poll(() => sent.find(({ id }) => id === 1)).toBeDefined();
  const asked = sent.filter(({ method }) => method === "elicitation/create").map(({ id }) => id);
  const withdrawn = sent.filter(({ method }) => method === "notifications/cancelled");
  expect(asked).toHaveLength(20);
  expect(withdrawn.map(({ params }) => params.requestId)).toEqual(asked);
  process.off("warning", warn);
  expect(warnings).toEqual([]);
});

it("a question without a time limit waits, although a timer without one would fire at once", async () => {
  const limits = { questionTimeout: Number.POSITIVE_INFINITY };
  const server = serveTool(async (_, ctx) => (await ctx.ask("Your name?", { name: field.text() })).action, { limits });
  // biome-ignore lint/suspicious/noExplicitAny: messages of every shape
  const sent: any[] = [];
  const { send, close } = connectMemory(server, (text) => sent.push(JSON.parse(text)));
  send(request(0, "initialize", '{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}}}'));
  send(call(1));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(sent.map(({ id, method }) => method ?? id)).toEqual([0, "elicitation/create"]);
  close();
});
