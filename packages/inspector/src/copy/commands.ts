import type { Draft } from "../protocol/api.ts";
import type { JsonObject } from "../protocol/json.ts";
import { ApiProblem } from "../support/api-problem.ts";
import type { CopiedText, CopyTarget } from "../support/host.ts";
import { hasHandshake } from "../support/values.ts";

/** The server of a copied request. */
export interface CopySource extends Omit<CopyTarget, "address"> {
  /** The address of the server, if it has one. */
  readonly url?: string;
  readonly serverName: string;
  /** The newest revision that the server supports, which commands and tests use by default. */
  readonly newest: string;
  /** The tools as listed: some declare arguments that are repeated in headers. */
  readonly tools: readonly JsonObject[];
}

const SESSION = "mcp-session-id";

/**
 * Writes a request for curl. Before 2026-07-28 a session comes first. Questions cannot be answered this way: the result
 * contains them, or the request waits.
 */
export function asCurl(draft: Draft, source: CopySource): CopiedText {
  const url = addressOf(source);
  const headersOf = (message: JsonObject) => source.toHeaders(message, source.tools);
  const message = toMessage(draft, 2);
  if (!hasHandshake(draft.revision)) {
    return { text: curl(url, message, headersOf(message)), language: "sh" };
  }
  const { revision } = draft;
  const open = { protocolVersion: revision, capabilities: { elicitation: {} }, clientInfo: CLIENT };
  const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: open };
  const headers = headersOf(initialize);
  const inSession = { ...headers, "mcp-protocol-version": revision };
  const lines = [
    `session=$(${curl(url, initialize, headers, "-D - -o /dev/null")} | awk 'tolower($1) == "${SESSION}:" { printf "%s", $2 }' | tr -d '\\r')`,
    curl(url, { jsonrpc: "2.0", method: "notifications/initialized" }, inSession, SEND_SESSION),
    curl(url, message, inSession, SEND_SESSION),
  ];
  return { text: lines.join("\n"), language: "sh" };
}

/** A server without sessions sends no id, and gets none. */
const SEND_SESSION = `\${session:+-H "${SESSION}: $session"}`;

function curl(url: string, message: JsonObject, headers: { readonly [name: string]: string }, more = ""): string {
  const given = Object.entries(headers).map(([name, value]) => `-H ${quoteForSh(`${name}: ${value}`)}`);
  const words = ["curl -sS", quoteForSh(url), ...(more === "" ? [] : [more]), ...given];
  return `${words.join(" ")} -d ${quoteForSh(JSON.stringify(message))}`;
}

const PREFIX = "io.modelcontextprotocol/";
const CLIENT = { name: "my-client", version: "1.0.0" };

/** Returns the request as a client sends it. */
function toMessage({ method, params, revision }: Draft, id = 1): JsonObject {
  const meta = {
    [`${PREFIX}protocolVersion`]: revision,
    [`${PREFIX}clientInfo`]: CLIENT,
    [`${PREFIX}clientCapabilities`]: { elicitation: { form: {}, url: {} } },
  };
  return { jsonrpc: "2.0", id, method, params: hasHandshake(revision) ? params : { ...params, _meta: meta } };
}

/** Writes the request as JSON-RPC. */
export function asMessage(draft: Draft): CopiedText {
  return { text: JSON.stringify(toMessage(draft), undefined, 2), language: "json" };
}

const COMMANDS = { "tools/call": "call", "resources/read": "read", "prompts/get": "prompt" } as const;

/** Writes the command of `proffer` that makes the request, for sh. */
export function asSh(draft: Draft, source: CopySource): CopiedText {
  const words = wordsOf(draft, source, (input) => ["--input", input]);
  return { text: words.map(quoteForSh).join(" "), language: "sh" };
}

/**
 * Writes the same for PowerShell. The arguments go through stdin: Windows PowerShell 5 removes double quotes from the
 * arguments of programs.
 */
export function asPowerShell(draft: Draft, source: CopySource): CopiedText {
  let piped = "";
  const words = wordsOf(draft, source, (input) => {
    piped = `${quoteForPowerShell(input)} | `;
    return ["--input", "-"];
  });
  return { text: piped + words.map(quoteForPowerShell).join(" "), language: "powershell" };
}

function wordsOf(
  { method, params, revision }: Draft,
  { target, newest }: CopySource,
  giveInput: (json: string) => string[],
): string[] {
  const values = (params.arguments ?? {}) as JsonObject;
  const isEmpty = Object.keys(values).length === 0;
  const given =
    method === "tools/call"
      ? isEmpty
        ? []
        : giveInput(JSON.stringify(values))
      : Object.entries(values).flatMap(([name, value]) => ["--arg", `${name}=${value}`]);
  return [
    "npx",
    "proffer",
    COMMANDS[method],
    ...(target.kind === "module" ? [toPath(target.file)] : target.kind === "url" ? [target.url] : []),
    String(method === "resources/read" ? params.uri : params.name),
    ...given,
    ...(revision === newest ? [] : ["--revision", revision]),
    ...(target.kind === "command" ? ["--", ...target.command] : []),
  ];
}

/** A file named -x is not an option. */
function toPath(file: string): string {
  return file.startsWith("-") ? `./${file}` : file;
}

/** Within single quotes, sh takes every character as it is, also a line feed. */
function quoteForSh(word: string): string {
  return /^[\w./:@+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function quoteForPowerShell(word: string): string {
  if (/^[\w./:\\-]+$/.test(word)) return word;
  // PowerShell takes typographic quotes for quotes, too.
  return `'${word.replace(/['\u2018\u2019\u201a\u201b]/g, "$&$&")}'`;
}

/** Returns the address of the server. @throws {ApiProblem} if it has none. */
function addressOf({ url }: CopySource): string {
  if (url !== undefined) return url;
  throw new ApiProblem(400, "refused", "This server has no address. Start it with --http.");
}
