import { definePrompt, embed, image, text } from "proffer";
import { png } from "./media.ts";

export const prompts = [
  definePrompt({
    name: "test_simple_prompt",
    description: "A prompt without arguments.",
    get: () => "This is a simple prompt for testing.",
  }),
  definePrompt({
    name: "test_prompt_with_arguments",
    description: "A prompt with two arguments.",
    arguments: {
      arg1: { description: "First argument", required: true, complete: ["paris", "park", "party"] },
      arg2: { description: "Second argument", required: true },
    },
    get: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  }),
  definePrompt({
    name: "test_prompt_with_embedded_resource",
    description: "A prompt that holds a resource.",
    arguments: { resourceUri: { description: "The URI of the resource", required: true } },
    get: ({ resourceUri }) => [
      embed({ uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." }),
      text("Please process the embedded resource above."),
    ],
  }),
  definePrompt({
    name: "test_prompt_with_image",
    description: "A prompt that holds a picture.",
    get: () => [image(png, "image/png"), text("Please analyze the image above.")],
  }),
];
