import { defineTool, fail, field, link, text } from "proffer";
import { factorial } from "./tools.ts";

const MAX = 1000;

/** The answer is worded by the tool itself. */
export const factorialTool = defineTool({
  name: "factorial",
  description: "Computes the factorial of a non-negative integer.",
  annotations: { readOnlyHint: true },
  input: {
    type: "object",
    properties: { n: { type: "integer", minimum: 0, maximum: MAX, description: "The integer" } },
    required: ["n"],
  },
  handle: ({ n }) => `The factorial is: ${factorial(n)}`,
});

/** Several results of one call: what fails is a text among the others, and the call a success. */
export const factorialsTool = defineTool({
  name: "factorials",
  description: "Computes the factorials of several integers, as far as they have one.",
  annotations: { readOnlyHint: true },
  input: {
    type: "object",
    properties: { ns: { type: "array", items: { type: "integer", maximum: MAX }, maxItems: 10 } },
    required: ["ns"],
  },
  handle: ({ ns }) => [
    ...ns.map((n) => (n < 0 ? fail(`${n} has no factorial.`) : text(`${n}! = ${factorial(n)}`))),
    link({ uri: "logtalk://my-app/readme", name: "readme", description: "Application readme", mimeType: "text/plain" }),
  ],
});

/** Asks if the client can be asked, and does without if it cannot. */
export const askNameTool = defineTool({
  name: "ask_name",
  description: "Asks the user for their name and greets them.",
  async handle(_, ctx) {
    const form = { name: field.text() };
    const answer = await ctx.ask("What is your name?", form, { otherwise: { action: "cancel" } });
    return answer.action === "accept" ? `Hello, ${answer.content.name}!` : "No name provided.";
  },
});
