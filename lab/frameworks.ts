import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { ToolDescription } from "proffer";
import { connect } from "proffer/client";
import { toolChanges } from "../packages/cli/src/lab/changes.ts";
import { overHttp, SAMPLES } from "./conversations.ts";

const folder = fileURLToPath(new URL("./converters/", import.meta.url));
const run = promisify(execFile);

/** The frameworks, by the package whose version is shown. */
const FRAMEWORKS: { readonly [name: string]: string } = {
  "Google ADK": "@google/adk",
  "OpenAI Agents": "@openai/agents",
  LangChain: "@langchain/mcp-adapters",
  Genkit: "@genkit-ai/mcp",
  "Vercel AI SDK": "@ai-sdk/mcp",
  LlamaIndex: "@llamaindex/tools",
  Mastra: "@mastra/mcp",
  Strands: "@strands-agents/sdk",
};

/** The texts that the results of the calls must have. */
const EXPECTED: { readonly [tool: string]: string } = {
  words: "Hello, Ada!",
  number: "42",
  list: "1",
  structured: "order-7",
  mixed: "shipped",
  linked: "lab://about",
  embedded: "About this laboratory.",
  union: "Paid by card.",
  constraints: "Reserved 3 seats.",
  tree: "The root is a.",
};

/** A framework that was tried, or the reason why it was not. */
export interface FrameworkRow {
  readonly framework: string;
  readonly version: string;
  readonly skipped?: string;
  /** By tool: its call worked, or why not. */
  readonly calls: { readonly [tool: string]: string };
  /** By tool: the differences between the listed schema and that for the model. */
  readonly schemas: { readonly [tool: string]: readonly string[] };
}

interface Output {
  readonly listed: readonly { readonly name: string; readonly schema: object }[];
  readonly results: readonly { readonly text?: string; readonly error?: string }[];
}

/** Connects each framework to the samples, and makes the calls that its model could make. */
export async function tryFrameworks(progress: (text: string) => void): Promise<FrameworkRow[]> {
  const { dependencies = {} } = existsSync(folder) ? JSON.parse(readFileSync(`${folder}package.json`, "utf8")) : {};
  return overHttp(async (url) => {
    const client = await connect(url);
    const listed = await client.listTools();
    await client.close();
    const rows: FrameworkRow[] = [];
    for (const [framework, name] of Object.entries(FRAMEWORKS)) {
      progress(`${framework} ${dependencies[name] ?? ""}`);
      rows.push(await tryFramework(framework, String(dependencies[name]), url, listed));
    }
    return rows;
  });
}

async function tryFramework(
  framework: string,
  version: string,
  url: string,
  listed: readonly ToolDescription[],
): Promise<FrameworkRow> {
  const calls = SAMPLES.filter(({ tool }) => EXPECTED[tool] !== undefined);
  const pairs = JSON.stringify(calls.map(({ tool, arguments: input }) => [tool, input]));
  try {
    const options = { cwd: folder, timeout: 300_000, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await run(process.execPath, ["converters.mjs", framework, url, pairs], options);
    const output: Output = JSON.parse(stdout);
    return {
      framework,
      version,
      calls: Object.fromEntries(calls.map(({ tool }, at) => [tool, judge(tool, output.results[at])])),
      schemas: Object.fromEntries(
        ["union", "constraints", "tree"].map((tool) => [tool, changesOf(tool, listed, output)]),
      ),
    };
  } catch (error) {
    return { framework, version, skipped: (error as Error).message.split("\n")[0] ?? "", calls: {}, schemas: {} };
  }
}

function judge(tool: string, { text, error }: { text?: string; error?: string } = {}): string {
  if (error !== undefined) return `refused: ${error.slice(0, 120)}`;
  return text?.includes(EXPECTED[tool] ?? "") ? "+" : `gives ${JSON.stringify(text?.slice(0, 60))}`;
}

/** The keywords that the model of a framework does not see. */
function changesOf(name: string, listed: readonly ToolDescription[], { listed: shown }: Output): string[] {
  const [tool, seen] = [listed.find((each) => each.name === name), shown.find((each) => each.name === name)];
  if (tool === undefined || seen?.schema === undefined) return ["not shown"];
  const changes = toolChanges(tool, {
    name,
    schema: seen.schema,
    ...(tool.description && { description: tool.description }),
  });
  const names = changes
    .filter((change) => !change.startsWith("adds"))
    .map((change) => change.replace(/ .*\/([^/]*)$/, " $1"));
  return [...new Set(names)];
}
