import { basename } from "node:path";
import type { CopyFormat, Draft } from "../protocol/api.ts";
import type { Answer, Json, JsonObject } from "../protocol/data.ts";
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

type Writer = (draft: Draft, source: CopySource, client?: string) => CopiedText;

const WRITERS: { readonly [Format in CopyFormat]: Writer } = {
  test: asTest,
  sh: asSh,
  powershell: asPowerShell,
  curl: asCurl,
  client: asClient,
  config: (_draft, { toConfiguration, serverName }, client = "") => toConfiguration(client, serverName),
  "json-rpc": (draft) => ({ text: JSON.stringify(toMessage(draft), undefined, 2), language: "json" }),
};

/** Writes a request as code, as a command or as a message. @throws {ApiProblem} if the server does not allow that. */
export function copyAs(format: CopyFormat, draft: Draft, source: CopySource, client?: string): CopiedText {
  return WRITERS[format](draft, source, client);
}

const SESSION = "mcp-session-id";

/**
 * Writes a request for curl. Before 2026-07-28 a session comes first. Questions cannot be answered this way: the result
 * contains them, or the request waits.
 */
function asCurl(draft: Draft, source: CopySource): CopiedText {
  const { url } = source;
  if (url === undefined) throw new ApiProblem(400, "refused", "This server has no address. Start it with --http.");
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

/** How each method is called by tests, commands and the official client, and the members by which results are compared. */
const METHODS = {
  "tools/call": {
    key: "name",
    test: "call",
    command: "call",
    client: "callTool",
    compared: ["structuredContent", "content"],
  },
  "resources/read": { key: "uri", test: "read", command: "read", client: "readResource", compared: ["contents"] },
  "prompts/get": { key: "name", test: "get", command: "prompt", client: "getPrompt", compared: ["messages"] },
} as const;

/** Writes the command of `proffer` that makes the request, for sh. */
function asSh(draft: Draft, source: CopySource): CopiedText {
  const words = wordsOf(draft, source, (input) => ["--input", input]);
  return { text: words.map(quoteForSh).join(" "), language: "sh" };
}

/**
 * Writes the same for PowerShell. The arguments go through stdin: Windows PowerShell 5 removes double quotes from the
 * arguments of programs.
 */
function asPowerShell(draft: Draft, source: CopySource): CopiedText {
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
    METHODS[method].command,
    ...(target.kind === "module" ? [toPath(target.file)] : target.kind === "url" ? [target.url] : []),
    String(params[METHODS[method].key]),
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

const TEST_IMPORTS = [
  'import { load } from "@proffer/cli";',
  'import { connect } from "proffer/testing";',
  'import { expect, test } from "vitest";',
].join("\n");

/** Writes a test for vitest, to be saved beside the module. It passes as long as the result stays the same. */
function asTest(draft: Draft, { target, newest }: CopySource): CopiedText {
  if (target.kind !== "module") {
    throw new ApiProblem(
      400,
      "refused",
      "Only a module can be tested in its own process. Copy the TypeScript client instead.",
    );
  }
  const { params, result, revision, answers = [] } = draft;
  const { key, test, compared } = METHODS[draft.method];
  const options = {
    ...(revision !== newest && { revision }),
    ...(answers.length > 0 && { answers: answers.map(toScripted) }),
  };
  const given = Object.keys(options).length === 0 ? "" : `, ${toLiteral(options, "  ")}`;
  const input = params.arguments === undefined ? "" : `, ${toLiteral(params.arguments, "  ")}`;
  const called = `await client.${test}(${JSON.stringify(params[key])}${input})`;
  const text = `${TEST_IMPORTS}

test(${JSON.stringify(params[key])}, async () => {
  const server = await load(new URL(${JSON.stringify(`./${basename(target.file)}`)}, import.meta.url));
  const client = await connect(server${given});
${check(called, result, compared)}
  await client.close();
});
`;
  return { text, language: "typescript" };
}

function check(called: string, result: JsonObject | undefined, compared: readonly string[]): string {
  const key = compared.find((each) => result?.[each] !== undefined);
  if (result === undefined || key === undefined) return `  ${called};`;
  const names = result.isError === true ? `isError, ${key}` : key;
  const failed = result.isError === true ? "\n  expect(isError).toBe(true);" : "";
  const value = toLiteral(result[key] as Json, "  ");
  return `  const { ${names} } = ${called};${failed}\n  expect(${key}).toEqual(${value});`;
}

/** The answer as `connect` takes it. */
function toScripted(answer: Answer): Json {
  if ("result" in answer) return answer.result;
  return answer.action === "accept" ? (answer.content ?? {}) : answer.action;
}

/** Writes a program with the official client for TypeScript. */
function asClient({ method, params }: Draft, source: CopySource): CopiedText {
  const [imports, transport] = transportOf(source);
  const text = `import { Client } from "@modelcontextprotocol/client";
${imports}

const client = new Client({ name: "my-client", version: "1.0.0" });
await client.connect(${transport});
console.log(await client.${METHODS[method].client}(${toLiteral(params)}));
await client.close();
`;
  return { text, language: "typescript" };
}

function transportOf({ target, url }: CopySource): [imports: string, transport: string] {
  const address = target.kind === "url" ? target.url : url;
  if (address !== undefined) {
    return [
      'import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";',
      `new StreamableHTTPClientTransport(new URL(${JSON.stringify(address)}))`,
    ];
  }
  const [command = "", ...args] =
    target.kind === "command" ? target.command : ["npx", "proffer", "serve", "file" in target ? target.file : ""];
  return [
    'import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";',
    `new StdioClientTransport(${toLiteral({ command, args })})`,
  ];
}

/** Longer values are written on several lines. */
const WIDTH = 80;

/** Writes a value of JSON as TypeScript. */
function toLiteral(value: Json, indent = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((each) => toLiteral(each, inner))
    : Object.entries(value).map(([key, each]) => `${toKey(key)}: ${toLiteral(each, inner)}`);
  const [open, close, pad] = Array.isArray(value) ? ["[", "]", ""] : ["{", "}", " "];
  if (parts.length === 0) return open + close;
  const line = `${open}${pad}${parts.join(", ")}${pad}${close}`;
  if (line.length + indent.length <= WIDTH && !line.includes("\n")) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}

function toKey(key: string): string {
  // In a literal, this name alone would set the prototype.
  if (key === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}
