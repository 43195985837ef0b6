import { defineTool, field } from "proffer";

/** Throws an exception that the author did not expect. */
export const throwing = defineTool({
  name: "throws",
  handle: () => {
    throw new Error("inside");
  },
});

/** Asks one question. */
export const asking = defineTool({
  name: "asks",
  handle: async (_input, ctx) => (await ctx.ask("Sure?", { sure: field.boolean() })).action,
});
