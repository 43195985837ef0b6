/**
 * The server that the official conformance suite tests:
 *
 *   npx proffer serve examples/conformance/server.ts --http
 *   npx @modelcontextprotocol/conformance server --url http://localhost:3000/mcp --requirements 2026-07-28
 */
import { definePrompt, defineServer, defineTool, type Server } from "proffer";
import { prompts } from "./prompts.ts";
import { askingPrompt, askingTools } from "./questions.ts";
import { resources } from "./resources.ts";
import { taskTools } from "./tasks.ts";
import { tools } from "./tools.ts";

const temporaryTool = defineTool({
  name: "test_temporary_tool",
  description: "Comes and goes, so that the list changes.",
  handle: () => "Still here.",
});

const temporaryPrompt = definePrompt({
  name: "test_temporary_prompt",
  description: "Comes and goes, so that the list changes.",
  get: () => "Still here.",
});

const triggers = [
  defineTool({
    name: "test_trigger_tool_change",
    description: "Changes the list of tools.",
    handle() {
      if (!server.tools.remove(temporaryTool.name)) server.tools.add(temporaryTool);
      return "The list of tools has changed.";
    },
  }),
  defineTool({
    name: "test_trigger_prompt_change",
    description: "Changes the list of prompts.",
    handle() {
      if (!server.prompts.remove(temporaryPrompt.name)) server.prompts.add(temporaryPrompt);
      return "The list of prompts has changed.";
    },
  }),
];

const server: Server = defineServer({
  name: "conformance",
  version: "1.0.0",
  tools: [...tools, ...askingTools, ...taskTools, ...triggers],
  prompts: [...prompts, askingPrompt],
  resources,
  skills: new URL("./skills", import.meta.url),
});

export default server;
