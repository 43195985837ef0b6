import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallResult, ContentBlock, ResourceContents } from "proffer";
import type { Client } from "proffer/client";
import { parseInput, parsePairs, type TargetArguments, toValues } from "../client/arguments.ts";
import { profilesOf } from "../client/choice-flags.ts";
import { type TalkFlags, withServer } from "../client/connect-target.ts";
import { endProgress, showProgress } from "../client/terminal-notices.ts";
import { identityOf } from "../profiles/connect-as.ts";
import { findLosses, toolsSeenBy } from "../profiles/losses.ts";
import type { Profile } from "../profiles/profile.ts";
import { CommandError } from "../terminal/command-error.ts";
import { prettyJson } from "../terminal/json.ts";
import { formatListing, type Listing, listAll, withDetails } from "../terminal/listing.ts";
import { currentShell } from "../terminal/shell.ts";
import { print, printJson, type Styles, say, stylesFor } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";

export interface CallFlags extends TalkFlags {
  readonly arg: readonly string[];
  readonly input?: string;
  /** The name of a saved call. */
  readonly saved?: string;
}

/** Calls a tool and prints its result. @throws {CommandError} if the tool fails. */
export async function call({ target, words: [name = ""] }: TargetArguments, flags: CallFlags): Promise<void> {
  const pairs = parsePairs(flags.arg, "--arg");
  const input = await parseInput(flags.input);
  const result = await withServer(target, flags, async (server, options, own) => {
    // Over HTTP the list also declares which arguments are repeated in headers.
    const schema =
      pairs.length > 0 || target.kind === "url"
        ? (await findTool(server, own?.tools.get(name)?.name ?? name)).inputSchema
        : {};
    const named = toValues(pairs, schema);
    try {
      const shown = currentShell().stderr.isTTY && { onProgress: showProgress };
      return await server.call(name, { ...input, ...named }, { ...options, ...shown });
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

async function findTool(server: Client, name: string) {
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
  const result = await withServer(target, flags, (server, options) => server.read(uri, options));
  if (flags.json) return printJson(result);
  const place = resultPlace();
  const shown = result.contents.map((contents) => showContents(contents, place));
  print(Text.join(shown, "\n"));
}

/** Gets a prompt and prints its messages. */
export async function prompt(
  { target, words: [name = ""] }: TargetArguments,
  flags: TalkFlags & Pick<CallFlags, "arg">,
): Promise<void> {
  const values = Object.fromEntries(parsePairs(flags.arg, "--arg"));
  const result = await withServer(target, flags, (server, options) => server.get(name, values, options));
  if (flags.json) return printJson(result);
  const { dim } = stylesFor(currentShell().stdout);
  const place = resultPlace("  ");
  const messages = result.messages.map(({ role, content }) => text`${dim(`${role}:`)} ${showBlock(content, place)}`);
  print(Text.join(messages, "\n"));
}

/** File extensions of common media types. Other types get the extension "bin". */
const EXTENSIONS: { readonly [type: string]: string } = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "application/pdf": "pdf",
  "application/json": "json",
};

/** Where contents are shown. */
interface Place {
  /** In a pipe, text is data and stays unchanged. */
  readonly isTerminal: boolean;
  /** Indents the lines after the first on a terminal. */
  readonly indent?: string;
  /** Formats JSON on a terminal. */
  readonly styles?: Styles;
}

/** Returns the place of a result on stdout. */
function resultPlace(indent = ""): Place {
  const { stdout } = currentShell();
  const isTerminal = stdout.isTTY === true;
  return { isTerminal, indent, ...(isTerminal && { styles: stylesFor(stdout) }) };
}

/** Formats a content block as text. Binary data is saved to a file, and its path is shown. */
function showBlock(block: ContentBlock, place: Place): Text {
  switch (block.type) {
    case "text":
      return showText(block.text, place);
    case "image":
    case "audio":
      return save(block.data, block.mimeType);
    case "resource_link":
      return text`${block.uri} (${block.name ?? ""})`;
    case "resource":
      return showContents(block.resource as ResourceContents, place);
    default:
      return Text.json(block);
  }
}

/** Formats the contents of a resource. */
function showContents(contents: ResourceContents, place: Place): Text {
  const { text: value, blob, mimeType } = contents as { text?: unknown; blob?: unknown; mimeType?: string | null };
  if (typeof value === "string") return showText(value, place);
  return typeof blob === "string" ? save(blob, mimeType) : text``;
}

function showText(value: string, { isTerminal, indent, styles }: Place): Text {
  const pretty = styles && prettyJson(value, styles, indent);
  return pretty ?? Text.contents(value, isTerminal, indent);
}

let folder: string | undefined;
let saved = 0;

function save(base64: string, mimeType: string | null | undefined): Text {
  folder ??= mkdtempSync(join(tmpdir(), "proffer-"));
  saved += 1;
  const extension = mimeType && Object.hasOwn(EXTENSIONS, mimeType) ? EXTENSIONS[mimeType] : "bin";
  const path = join(folder, `${saved}.${extension}`);
  writeFileSync(path, Buffer.from(base64, "base64"));
  return text`${path}`;
}

/**
 * Prints the tools, prompts and resources of a server, or the part of them that the model of a client sees.
 * @param flags - `as` is the id of a client profile
 */
export async function list({ target }: TargetArguments, flags: TalkFlags & { readonly as?: string }): Promise<void> {
  const [profile] = flags.as === undefined ? [] : profilesOf("--as", flags.as);
  const { listing, own, name } = await withServer(
    target,
    { ...(profile && identityOf(profile)), ...flags },
    async (server, _, own) => ({
      listing: await listAll(server, server.capabilities),
      own,
      name: server.serverInfo.name,
    }),
  );
  const shown = profile === undefined ? listing : seenBy(profile, name, listing);
  if (flags.json) printJson(own === undefined || profile ? shown : withDetails(shown, own));
  else print(formatListing(shown, stylesFor(currentShell().stdout), own));
}

function seenBy(profile: Profile, server: string, listing: Listing): Listing {
  const { dim } = stylesFor(currentShell().stderr);
  for (const { tool, effect, what } of findLosses(profile, server, listing.tools)) {
    say(text`${dim("note:")} ${tool}: ${profile.title} ${effect} ${what}`);
  }
  const tools = toolsSeenBy(profile, server, listing.tools).map(({ original: _, ...tool }) => tool);
  const isRead = profile.resources?.value ?? true;
  if (!isRead) say(text`${dim("note:")} The model cannot read resources: ${profile.resources?.text ?? ""}`);
  return isRead ? { ...listing, tools } : { ...listing, tools, resources: [], resourceTemplates: [] };
}
