import { parseInput, parsePairs, type TargetArguments, toValues } from "../client/arguments.ts";
import { type TalkFlags, withServer } from "../client/connect-target.ts";
import type { RemoteServer } from "../client/remote-server.ts";
import { type Place, resultPlace, showBlock, showContents } from "../client/show-content.ts";
import { endProgress, showProgress } from "../client/terminal-notices.ts";
import { CommandError } from "../terminal/command-error.ts";
import { currentShell } from "../terminal/shell.ts";
import { prettyJson, print, printJson, stylesFor } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";

export interface CallFlags extends TalkFlags {
  readonly arg: readonly string[];
  readonly input?: string;
  /** The name of a saved call. */
  readonly saved?: string;
}

type CallResult = Awaited<ReturnType<RemoteServer["call"]>>;

/** Calls a tool and prints its result. @throws {CommandError} if the tool fails. */
export async function call({ target, words: [name = ""] }: TargetArguments, flags: CallFlags): Promise<void> {
  const pairs = parsePairs(flags.arg, "--arg");
  const input = await parseInput(flags.input);
  const result = await withServer(target, flags, async (server, own) => {
    // Over HTTP the list also declares which arguments are repeated in headers.
    const schema =
      pairs.length > 0 || target.kind === "url"
        ? (await findTool(server, own?.tools.get(name)?.name ?? name)).inputSchema
        : {};
    const named = toValues(pairs, schema);
    try {
      return await server.call(name, { ...input, ...named }, currentShell().stderr.isTTY ? showProgress : undefined);
    } finally {
      endProgress();
    }
  });
  if (flags.json) printJson(result);
  if (result.isError) {
    // Errors go to stderr, which may be a terminal even if stdout is a pipe.
    throw new CommandError(flags.json ? "The tool failed." : show(result, { isTerminal: true, indent: "  " }));
  }
  if (!flags.json) print(show(result, resultPlace()));
}

async function findTool(server: RemoteServer, name: string) {
  const tools = await server.listTools();
  const tool = tools.find((each) => each.name === name);
  if (tool !== undefined) return tool;
  const names = tools.map((each) => each.name).join(", ");
  throw new CommandError(`Unknown tool ${JSON.stringify(name)}. Available tools: ${names || "none"}.`);
}

/** Shows the structured content only if there are no content blocks, which repeat it otherwise. */
function show({ content, structuredContent }: CallResult, place: Place): Text {
  if (content?.length)
    return Text.join(
      content.map((block) => showBlock(block, place)),
      "\n",
    );
  if (structuredContent === undefined) return text``;
  const json = Text.json(structuredContent, 2);
  return (place.styles && prettyJson(String(json), place.styles)) ?? json;
}

/** Reads a resource and prints its contents. */
export async function read({ target, words: [uri = ""] }: TargetArguments, flags: TalkFlags): Promise<void> {
  const result = await withServer(target, flags, (server) => server.read(uri));
  if (flags.json) {
    printJson(result);
    return;
  }
  const place = resultPlace();
  const shown = result.contents.map((contents) => showContents(contents, place));
  print(Text.join(shown, "\n"));
}

export interface PromptFlags extends TalkFlags {
  readonly arg: readonly string[];
}

/** Gets a prompt and prints its messages. */
export async function prompt({ target, words: [name = ""] }: TargetArguments, flags: PromptFlags): Promise<void> {
  const values = Object.fromEntries(parsePairs(flags.arg, "--arg"));
  const result = await withServer(target, flags, (server) => server.get(name, values));
  if (flags.json) {
    printJson(result);
    return;
  }
  const { dim } = stylesFor(currentShell().stdout);
  const place = resultPlace("  ");
  const messages = result.messages.map(({ role, content }) => text`${dim(`${role}:`)} ${showBlock(content, place)}`);
  print(Text.join(messages, "\n"));
}
