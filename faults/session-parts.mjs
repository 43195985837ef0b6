import { defineResource, defineTool, field } from "proffer";

/** Parts that sessions of the older revisions use: a tool that asks, one that reports a change, and resources to watch. */
export function createSessionParts(notify) {
  const ask = defineTool({
    name: "ask",
    async handle(_, ctx) {
      const answer = await ctx.ask("Your name?", { name: field.text() });
      return answer.action === "accept" ? `Hello, ${answer.content.name}!` : answer.action;
    },
  });
  const publish = defineTool({
    name: "publish",
    input: { type: "object", properties: { uri: { type: "string" } }, required: ["uri"] },
    handle: ({ uri }) => notify(uri),
  });
  const items = defineResource({ uri: "shop://items/{id}", name: "Item", read: ({ id }) => id });
  return { tools: [ask, publish], resources: [items] };
}
