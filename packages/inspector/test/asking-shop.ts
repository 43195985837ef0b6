import { definePrompt, defineResource, defineServer, defineTool, field, type Server } from "proffer";

/** A server for the checks of the inspector: with steps, questions, progress and subscriptions. */
export function createShop(): { server: Server; notify: () => void; effects: string[] } {
  const effects: string[] = [];
  const input = {
    type: "object",
    properties: { id: { type: "integer" }, note: { type: "string", maxLength: 5 } },
    required: ["id"],
  } as const;
  const order = defineTool({
    name: "order",
    input,
    handle: async ({ id }, ctx) => {
      const price = await ctx.step("price", () => {
        effects.push("price");
        return Number(id) * 2;
      });
      const answer = await ctx.ask(`Pay ${price}?`, { sure: field.boolean() });
      return answer.action === "accept" && answer.content.sure ? `paid ${price}` : `not paid: ${answer.action}`;
    },
  });
  const both = defineTool({
    name: "both",
    handle: async (_, ctx) => {
      const [a, b] = await Promise.all([
        ctx.ask("First?", { value: field.text() }),
        ctx.ask("Second?", { value: field.text() }),
      ]);
      return [a, b].map((each) => (each.action === "accept" ? each.content.value : each.action)).join("+");
    },
  });
  const count = defineTool({
    name: "count",
    handle: async (_, ctx) => {
      for (let n = 1; n <= 5; n++) ctx.progress(n, 5, `step ${n}`);
      return "counted";
    },
  });
  const wait = defineTool({
    name: "wait",
    handle: (_, ctx) =>
      new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason))),
  });
  const large = defineTool({ name: "large", handle: () => "x".repeat(1_000_000) });
  let stock = 1;
  const resource = defineResource({ uri: "shop://stock", name: "stock", read: () => `stock ${stock}` });
  const greet = definePrompt({
    name: "greet",
    arguments: { name: { required: true } },
    get: ({ name }) => `Greet ${name}.`,
  });
  const server = defineServer({
    name: "shop",
    version: "1.0.0",
    tools: [order, both, count, wait, large],
    resources: [resource],
    prompts: [greet],
  });
  return {
    server,
    effects,
    notify() {
      stock++;
      server.notify("shop://stock");
    },
  };
}
