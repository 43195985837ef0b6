import { defineServer, defineTool, field, type Server } from "proffer";

/** A server with one tool that reports progress and asks. */
export function createShop(): Server {
  return defineServer({
    name: "shop",
    version: "1",
    log: () => {},
    tools: [
      defineTool({
        name: "order",
        async handle(_, ctx) {
          ctx.progress(1, 2);
          const { action } = await ctx.ask("Pay 14?", { sure: field.boolean() });
          return action;
        },
      }),
    ],
  });
}
