import { defineTool, fail, field, link, result, text } from "proffer";
import { divide, factorial } from "./tools.ts";

const MAX = 1000;

/** A tool with a hand-written result text. */
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

/** Several results of one call: a failed one is a text among the others, and the call succeeds. */
export const factorialsTool = defineTool({
  name: "factorials",
  description: "Computes the factorials of several integers, as far as they have one.",
  annotations: { readOnlyHint: true },
  input: {
    type: "object",
    properties: {
      ns: { type: "array", items: { type: "integer", maximum: MAX }, maxItems: 10, description: "The integers" },
    },
    required: ["ns"],
  },
  handle: ({ ns }) => [
    ...ns.map((n) => (n < 0 ? fail(`${n} has no factorial.`) : text(`${n}! = ${factorial(n)}`))),
    link({ uri: "logtalk://my-app/readme", name: "readme", description: "Application readme", mimeType: "text/plain" }),
  ],
});

/** A value for programs, and a sentence about it for the model. */
export const divideTool = defineTool({
  name: "divide",
  description: "Divides one integer by another.",
  annotations: { readOnlyHint: true },
  input: {
    type: "object",
    properties: {
      dividend: { type: "integer", description: "The integer to divide" },
      divisor: { type: "integer", description: "The integer to divide by" },
    },
    required: ["dividend", "divisor"],
  },
  output: {
    type: "object",
    properties: { quotient: { type: "integer" }, remainder: { type: "integer" } },
    required: ["quotient", "remainder"],
  },
  handle: ({ dividend, divisor }) => {
    const { quotient, remainder } = divide(dividend, divisor);
    const content = `${divisor} goes ${quotient} times into ${dividend}, and ${remainder} is left.`;
    return result({ quotient, remainder }, { content });
  },
});

/** Asks the user if the client supports it, and falls back to `cancel` otherwise. */
export const askNameTool = defineTool({
  name: "ask_name",
  description: "Asks the user for their name and greets them.",
  async handle(_, ctx) {
    const form = { name: field.text() };
    const answer = await ctx.ask("What is your name?", form, { fallback: { action: "cancel" } });
    return answer.action === "accept" ? `Hello, ${answer.content.name}!` : "No name provided.";
  },
});
