/**
 * Connects frameworks to a server, and shows a model's view of its tools: node converters.mjs <framework> <url> <calls>
 *
 * Prints the schema of each tool as the framework sends it to a model, and the text of each call, which passes the
 * framework's own validation. Each framework runs in its own process, because they log and leave connections open.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [framework = "", url = "", calls = "[]"] = process.argv.slice(2);
/** Some frameworks log to stdout. */
const print = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
const INFO = { name: "converters", version: "1.0.0" };

async function connectClient() {
  const client = new Client(INFO);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

/** The text of a result, whatever the framework makes of it. */
function textOf(result) {
  if (typeof result === "string") return result;
  if (Array.isArray(result)) return result.map(textOf).join("");
  const { text, content, output, result: inner } = result ?? {};
  return text ?? textOf(content ?? output ?? inner ?? JSON.stringify(result ?? null));
}

/** For each framework: its tools, by name, with the schema for the model, and how to call them as a model does. */
const FRAMEWORKS = {
  async "Vercel AI SDK"() {
    const { createMCPClient } = await import("@ai-sdk/mcp");
    const { asSchema, generateText } = await import("ai");
    const { MockLanguageModelV3: Mock } = await import("ai/test");
    const client = await createMCPClient({ transport: { type: "http", url } });
    const tools = await client.tools();
    return Promise.all(
      Object.entries(tools).map(async ([name, tool]) => ({
        name,
        schema: await asSchema(tool.inputSchema).jsonSchema,
        // generateText validates the call of the model.
        async call(input) {
          const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
          const model = new Mock({
            doGenerate: async () => ({
              content: [{ type: "tool-call", toolCallId: "1", toolName: name, input: JSON.stringify(input) }],
              finishReason: { unified: "tool-calls" },
              usage,
              warnings: [],
            }),
          });
          const { content } = await generateText({ model, tools, prompt: "x" });
          const failure = content.find(({ type }) => type === "tool-error");
          if (failure !== undefined) throw failure.error;
          return content.find(({ type }) => type === "tool-result")?.output;
        },
      })),
    );
  },

  async LangChain() {
    const { loadMcpTools } = await import("@langchain/mcp-adapters");
    const tools = await loadMcpTools("shop", await connectClient());
    return tools.map((tool) => ({ name: tool.name, schema: tool.schema, call: (input) => tool.invoke(input) }));
  },

  async "OpenAI Agents"() {
    const { getAllMcpTools, MCPServerStreamableHttp, RunContext } = await import("@openai/agents");
    const server = new MCPServerStreamableHttp({ url, name: "shop" });
    await server.connect();
    const tools = await getAllMcpTools({ mcpServers: [server], convertSchemasToStrict: true });
    return tools.map((tool) => ({
      name: tool.name,
      schema: tool.parameters,
      isStrict: tool.strict,
      call: (input) => tool.invoke(new RunContext(), JSON.stringify(input)),
    }));
  },

  async "Google ADK"() {
    const { MCPToolset } = await import("@google/adk");
    const tools = await new MCPToolset({ type: "StreamableHTTPConnectionParams", url }).getTools();
    return tools.map((tool) => ({
      name: tool.name,
      schema: tool._getDeclaration().parameters,
      call: (args) => tool.runAsync({ args, toolContext: {} }),
    }));
  },

  async "Google GenAI"() {
    const { mcpToTool } = await import("@google/genai");
    const callable = mcpToTool(await connectClient());
    const { functionDeclarations } = await callable.tool();
    return functionDeclarations.map(({ name, parameters, parametersJsonSchema }) => ({
      name,
      schema: parametersJsonSchema ?? parameters,
      async call(args) {
        const [part] = await callable.callTool([{ name, args }]);
        return part.functionResponse.response;
      },
    }));
  },

  async Genkit() {
    const { genkit } = await import("genkit");
    const { createMcpClient } = await import("@genkit-ai/mcp");
    const ai = genkit({});
    const client = createMcpClient({ name: "shop", mcpServer: { url } });
    await client.ready();
    const tools = await client.getActiveTools(ai);
    return tools.map((tool) => ({
      name: tool.__action.name.replace(/^.*\//, ""),
      schema: tool.__action.inputJsonSchema,
      call: (input) => tool(input),
    }));
  },

  async LlamaIndex() {
    const { mcp } = await import("@llamaindex/tools");
    const tools = await mcp({ url }).tools();
    return tools.map((tool) => ({
      name: tool.metadata.name,
      schema: tool.metadata.parameters,
      call: (input) => tool.call(input),
    }));
  },

  async Mastra() {
    const { MCPClient } = await import("@mastra/mcp");
    const { asSchema } = await import("ai");
    const client = new MCPClient({ servers: { shop: { url: new URL(url) } } });
    return Promise.all(
      Object.entries(await client.listTools()).map(async ([name, tool]) => ({
        name: name.replace("shop_", ""),
        schema: await jsonOf(tool.inputSchema, asSchema),
        call: (input) => tool.execute(input, {}),
      })),
    );
  },

  async Strands() {
    const { McpClient } = await import("@strands-agents/sdk");
    const client = new McpClient({ transport: new StreamableHTTPClientTransport(new URL(url)) });
    await client.connect?.();
    return (await client.listTools()).map((tool) => ({
      name: tool.name,
      schema: tool.toolSpec.inputSchema,
      call: (input) => client.callTool(tool, input),
    }));
  },
};

/** A schema of a library as JSON Schema. */
async function jsonOf(schema, asSchema) {
  const standard = schema?.["~standard"]?.jsonSchema?.input;
  return standard === undefined ? await asSchema(schema).jsonSchema : standard({ target: "draft-2020-12" });
}

const tools = new Map((await FRAMEWORKS[framework]()).map((tool) => [tool.name, tool]));
const results = [];
for (const [name, input] of JSON.parse(calls)) {
  try {
    results.push({ text: textOf(await tools.get(name).call(input)) });
  } catch (error) {
    results.push({ error: String(error?.message ?? error) });
  }
}
const listed = [...tools.values()].map(({ name, schema, isStrict }) => ({ name, schema, isStrict }));
print(JSON.stringify({ listed, results }), () => process.exit());
