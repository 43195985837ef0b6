import { contents, definePrompt, defineResource, defineServer, messages } from "proffer";
import { askNameTool, divideTool, factorialsTool, factorialTool } from "./custom-tools.ts";
import { crashingPrompt, crashingResource, crashingTool, failingTool, throwingTool } from "./failures.ts";
import { code_review, config, debate, readme, summarize } from "./tools.ts";

/** A picture of one transparent pixel. */
const ICON = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

export default defineServer({
  name: "my-server",
  version: "2.0.0",
  title: "My server",
  instructions: "The examples of Logtalk's mcp_server documentation, written with define functions.",
  tools: [factorialTool, factorialsTool, divideTool, askNameTool, failingTool, throwingTool, crashingTool],
  prompts: [
    definePrompt({
      name: "code_review",
      description: "Reviews code for potential issues",
      arguments: {
        code: { description: "The code to review", required: true },
        language: { description: "The programming language", complete: ["logtalk", "prolog", "typescript"] },
      },
      get: ({ code, language }) => code_review(code, language),
    }),
    definePrompt({
      name: "summarize",
      description: "Summarizes a given text",
      arguments: { text: { description: "The text to summarize", required: true } },
      get: ({ text }) => summarize(text),
    }),
    definePrompt({
      name: "debate",
      description: "Opens a debate",
      arguments: { topic: { description: "What to debate", required: true } },
      get: ({ topic }) => messages(debate(topic), { description: `A debate on ${topic}` }),
    }),
    crashingPrompt,
  ],
  resources: [
    defineResource({
      uri: "logtalk://my-app/config",
      name: "config",
      description: "Application configuration",
      mimeType: "application/json",
      read: config,
    }),
    defineResource({
      uri: "logtalk://my-app/readme",
      name: "readme",
      description: "Application readme",
      mimeType: "text/plain",
      content: readme(),
    }),
    defineResource({
      uri: "logtalk://my-app/logs",
      name: "logs",
      description: "Application log, one content per entry, and its icon",
      mimeType: "text/plain",
      read: () =>
        contents([
          { text: "Log entry 1" },
          { text: "Log entry 2" },
          { uri: "logtalk://my-app/icon", mimeType: "image/gif", blob: ICON },
        ]),
    }),
    crashingResource,
  ],
});
