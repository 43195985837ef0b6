import type { TestClient } from "proffer/testing";
import { parseInput, parsePairs, toValues } from "../client/arguments.ts";
import { type TalkFlags, withClient } from "../client/connect-target.ts";
import { showBlock } from "../client/show-content.ts";
import type { TargetArguments } from "../client/target.ts";
import { endProgress, showProgress } from "../client/terminal-progress.ts";
import { CommandError } from "../terminal/command-error.ts";
import { print, printJson } from "../terminal/terminal.ts";

export interface CallFlags extends TalkFlags {
  readonly arg: readonly string[];
  readonly input?: string;
}

type CallResult = Awaited<ReturnType<TestClient["call"]>>;

/** Calls a tool and prints its result. @throws {CommandError} if the tool fails. */
export async function call({ target, words: [name = ""] }: TargetArguments, flags: CallFlags): Promise<void> {
  const pairs = parsePairs(flags.arg, "--arg");
  const input = parseInput(flags.input);
  const result = await withClient(target, flags, async (client) => {
    // Over HTTP the list also declares which arguments are repeated in headers.
    const schema = pairs.length > 0 || target.kind === "url" ? (await findTool(client, name)).inputSchema : {};
    const named = toValues(pairs, schema);
    const options = process.stderr.isTTY ? { onProgress: showProgress } : {};
    try {
      return await client.call(name, { ...input, ...named }, options);
    } finally {
      endProgress();
    }
  });
  if (flags.json) printJson(result);
  if (result.isError) throw new CommandError(flags.json ? "The tool failed." : show(result));
  if (!flags.json) print(show(result));
}

async function findTool(client: TestClient, name: string) {
  const tools = await client.listTools();
  const tool = tools.find((each) => each.name === name);
  if (tool !== undefined) return tool;
  const names = tools.map((each) => each.name).join(", ");
  throw new CommandError(`Unknown tool ${JSON.stringify(name)}. Available tools: ${names || "none"}.`);
}

/** Shows the structured content only if there are no content blocks, which repeat it otherwise. */
function show({ content, structuredContent }: CallResult): string {
  if (content.length === 0)
    return structuredContent === undefined ? "" : JSON.stringify(structuredContent, undefined, 2);
  return content.map(showBlock).join("\n");
}
