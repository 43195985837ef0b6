import { definePrompt, defineResource, defineServer, defineTool } from "proffer";

const pair = {
  type: "object",
  properties: {
    a: { type: "number", description: "the first number" },
    b: { type: "number", description: "the second number" },
  },
  required: ["a", "b"],
} as const;

export default defineServer({
  name: "quickstart",
  version: "1.0.0",
  tools: [defineTool({ name: "add", description: "Adds two numbers.", input: pair, handle: ({ a, b }) => a + b })],
  resources: [
    defineResource({
      uri: "quickstart://motto",
      name: "Motto",
      description: "The motto of Proffer",
      content: "Write functions.",
    }),
  ],
  prompts: [
    definePrompt({
      name: "explain",
      description: "Explains a topic to a newcomer.",
      arguments: { topic: { description: "what to explain", required: true } },
      get: ({ topic }) => `Explain ${topic} to somebody who has never heard of it.`,
    }),
  ],
});
