import { UsageError } from "proffer";
import { CODEX_KEYWORDS } from "./codex.ts";
import type { Cell, Profile } from "./profile.ts";

// One row per client. Each cell says where the fact is stated, and on which day that was read. A cell that nobody has
// found out about is missing; "read" in a source means that the code was read, and that a cut does the same.

const NOTES = "2026-11-16";
const SOURCES = "2026-11-17";
const FOLDERS = "2026-11-19";

const CODEX = "openai/codex 343074d, read";
const GEMINI = "google-gemini/gemini-cli 5411f11, read";
const ZED = "zed-industries/zed 7eec892, read";
const GOOSE = "block/goose e94f304, read";
const OPENAI =
  "inboxapi/cli #106, osaurus #2847, vercel/ai PR #5670, langchainjs #9804, apify-mcp-server #36, ogx PR #3602";
const DOCUMENTED = "documentation of the vendor, page not recorded";
/** Known from use, or from a list of clients; a source is still to be found. */
const UNRECORDED = "no source recorded";

function cell<const Value>(value: Value, text: string, source: string, checked = NOTES): Cell<Value> {
  return { value, text, source, checked };
}

/** The known facts about each client, with sources and dates. */
export const PROFILES: readonly Profile[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    names: ["claude-code"],
    revision: cell("2026-07-28", "2026-07-28 since 2.1.23x", "anubis #295, Decenza PR #1842"),
    tools: cell({ beyond: "deferred" }, "found by search beyond 10 % of the context", DOCUMENTED),
    toolNames: cell(
      { pattern: "mcp__{server}__{tool}", max: 128, beyond: "omitted" },
      "mcp__server__tool; more than 128 characters are left out",
      DOCUMENTED,
    ),
    schemas: cell(
      { refusesRootUnion: true, maxDescription: 2048 },
      "no union at the root, or the whole server is dropped; descriptions are cut at 2 KB",
      `claude-code #4886, #88049; ${DOCUMENTED}`,
    ),
    results: cell({}, "25,000 tokens at most, unless _meta allows more; the rest is in a file", UNRECORDED),
    resources: cell(true, "tools that list and read them", UNRECORDED),
    questions: cell(["form", "url", "roots"], "forms and URLs; roots", "anubis #295"),
    times: cell({ start: 30, call: 120 }, "start 30 s, call about 120 s", "claude-code #16837, agy-mcp #178"),
    folder: cell(null, "that in which it was started; `cwd` is ignored", "claude-code #17565", FOLDERS),
  },
  {
    id: "claude",
    title: "claude.ai and Claude Desktop",
    names: ["Anthropic/ClaudeAI", "claude-ai"],
    revision: cell("2026-07-28", "2026-07-28 since August 2026", "Decenza PR #1842, anubis #295"),
    tools: cell({ beyond: "deferred" }, "found by search", UNRECORDED),
    toolNames: cell(
      { pattern: "{tool}", characters: "A-Za-z0-9_-", strict: true, max: 64, beyond: "refused" },
      "64 of A-Z a-z 0-9 _ -",
      "mcp-proxy #45",
    ),
    schemas: cell(
      { refusesRootUnion: true, refusesOutputUnion: true },
      "no union at the root; unions as outputs broke connectors",
      "claude-code #4886, claude-ai-mcp #485",
    ),
    results: cell({}, "content", UNRECORDED),
    resources: cell(false, "only the user attaches them", "python-sdk #1016, geocontext #24"),
    times: cell({ call: 60 }, "call 60 s", "claude-ai-mcp #115, claude-code #22542"),
    folder: cell(null, "undefined, such as / on macOS", "modelcontextprotocol.io, Debugging", FOLDERS),
  },
  {
    id: "codex",
    title: "Codex",
    names: ["codex-mcp-client"],
    revision: cell("2025-06-18", "2025-06-18; 2026-07-28 behind a flag", CODEX, SOURCES),
    tools: cell({ beyond: "deferred", firstPage: true }, "found by search; reads the first page only", CODEX),
    toolNames: cell(
      { pattern: "mcp__{server}__{tool}", characters: "A-Za-z0-9_", max: 128, beyond: "cut" },
      "mcp__server__tool of A-Z a-z 0-9 _; beyond 128, or if two are equal, a hash",
      CODEX,
      SOURCES,
    ),
    schemas: cell(
      { keeps: CODEX_KEYWORDS, maxBytes: 5000 },
      "drops limits, patterns, formats and defaults; beyond 5,000 bytes descriptions, then definitions, depth and unions",
      CODEX,
      SOURCES,
    ),
    results: cell({ structuredOnly: true }, "structured content, and then nothing else", CODEX, SOURCES),
    resources: cell(true, "tools that list and read them", CODEX),
    questions: cell(["form"], "forms", CODEX),
    times: cell({ start: 30, call: 300 }, "start 30 s, call 300 s", CODEX, SOURCES),
    folder: cell(
      null,
      "that of the session, or `cwd`; / in earlier versions of the app",
      "codex #16390, PR #19031",
      FOLDERS,
    ),
  },
  {
    id: "gemini-cli",
    title: "Gemini CLI",
    names: ["gemini-cli-mcp-client*"],
    revision: cell("2025-11-25", "up to 2025-11-25", GEMINI),
    tools: cell({ firstPage: true }, "reads the first page only", GEMINI, SOURCES),
    toolNames: cell(
      { pattern: "mcp_{server}_{tool}", characters: "A-Za-z0-9_.:-", max: 63, beyond: "cut" },
      "mcp_server_tool; beyond 63 the middle becomes ...",
      GEMINI,
      SOURCES,
    ),
    schemas: cell({ ignoresReferences: true }, "null becomes nullable; definitions fail", `${GEMINI}; #13326`, SOURCES),
    results: cell({ maxText: 40_000 }, "content; links as text; cut at 40,000 characters", GEMINI, SOURCES),
    resources: cell(true, "tools that list and read them", GEMINI),
    questions: cell(["roots"], "none; roots", GEMINI, SOURCES),
    times: cell({ call: 600 }, "call 10 min", GEMINI, SOURCES),
    folder: cell(
      null,
      "that in which it was started, or `cwd`",
      "source of Gemini CLI, read; commit not recorded",
      FOLDERS,
    ),
  },
  {
    id: "gemini-api",
    title: "Gemini API",
    names: [],
    toolNames: cell(
      { pattern: "{tool}", characters: "A-Za-z0-9_.:-", strict: true, max: 64, beyond: "refused" },
      "64 of A-Z a-z 0-9 _ . : -",
      UNRECORDED,
    ),
    schemas: cell(
      { refusesDialect: true, ignoresReferences: true },
      "no $schema; parameters: no $ref and no type lists",
      "gemini-cli #13326, PR #22210; opencode #11889",
    ),
  },
  {
    id: "openai-api",
    title: "OpenAI API",
    names: [],
    tools: cell({ max: 128, beyond: "omitted" }, "128 in a request", UNRECORDED),
    toolNames: cell(
      { pattern: "{tool}", characters: "A-Za-z0-9_-", strict: true, max: 64, beyond: "refused" },
      "64 of A-Z a-z 0-9 _ -",
      UNRECORDED,
    ),
    schemas: cell(
      { needsProperties: true, needsItems: true, refusesRootUnion: true },
      "objects need properties, arrays need items; no union at the root",
      OPENAI,
      SOURCES,
    ),
  },
  {
    id: "chatgpt",
    title: "ChatGPT",
    names: ["ChatGPT", "openai-mcp"],
    revision: cell("2025-06-18", "2025-06-18", UNRECORDED),
    toolNames: cell(
      { pattern: "{tool}", characters: "A-Za-z0-9_-", strict: true, max: 64, beyond: "refused" },
      "as the OpenAI API",
      UNRECORDED,
    ),
    schemas: cell(
      { needsProperties: true, needsItems: true, refusesRootUnion: true },
      "as the OpenAI API",
      OPENAI,
      SOURCES,
    ),
    results: cell({ structuredOnly: true }, "structured content first", "OpenAI forum 1378047"),
    resources: cell(false, "no", "geocontext #24"),
  },
  {
    id: "vscode",
    title: "VS Code",
    names: ["Visual Studio Code*"],
    revision: cell("2025-11-25", "2025-11-25", "vscode #329848"),
    tools: cell({ max: 128, beyond: "deferred" }, "128 in a request, the rest by search", UNRECORDED),
    schemas: cell({ needsItems: true }, "arrays need items", "vscode #248810"),
    resources: cell(false, "only the user attaches them", UNRECORDED),
    questions: cell(["form", "url", "sampling", "roots"], "forms and URLs; sampling; roots", UNRECORDED),
    folder: cell(
      null,
      "that of the workspace for .vscode/mcp.json, else home; or `cwd`",
      "vscode #250078, PR #330253",
      FOLDERS,
    ),
  },
  {
    id: "cursor",
    title: "Cursor",
    names: ["cursor-vscode*"],
    revision: cell("2025-06-18", "2025-06-18", UNRECORDED),
    tools: cell({ beyond: "deferred" }, "names first, details on demand", UNRECORDED),
    toolNames: cell(
      { pattern: "{server}{tool}", max: 60, beyond: "omitted" },
      "server and tool together 60, or the tool is left out",
      "composio #2788, awslabs #1283",
    ),
    results: cell({}, "structured content preferred; long ones to files", "specification #1411"),
    questions: cell(["form"], "forms", UNRECORDED),
    folder: cell(null, "home for servers of the user; `cwd` is ignored", "hindsight PR #4530", FOLDERS),
  },
  {
    id: "windsurf",
    title: "Windsurf",
    names: ["windsurf-client"],
    revision: cell("2025-03-26", "2025-03-26", UNRECORDED),
    tools: cell({ max: 100, beyond: "omitted" }, "100 of all servers together", DOCUMENTED),
    questions: cell([], "none", UNRECORDED),
  },
  {
    id: "zed",
    title: "Zed",
    names: ["Zed"],
    revision: cell("2025-11-25", "2025-11-25", ZED),
    toolNames: cell(
      { pattern: "{tool}", characters: "A-Za-z0-9_-", max: 64, beyond: "cut" },
      "64 of A-Z a-z 0-9 _ -, cut",
      ZED,
      SOURCES,
    ),
    schemas: cell(
      { drops: ["$schema"] },
      "definitions are inlined, recursive ones become {}; other references are refused; closed root",
      ZED,
      SOURCES,
    ),
    results: cell({ blocks: ["text", "image"] }, "texts and images only", ZED, SOURCES),
    resources: cell(false, "no", ZED),
    questions: cell([], "none", ZED),
    times: cell({ call: 60 }, "call 60 s, configurable to 600 s", ZED),
    folder: cell(
      null,
      "the root of the project; / before one is open, in earlier versions",
      "zed #35354, #60879, PR #61365",
      FOLDERS,
    ),
  },
  {
    id: "goose",
    title: "Goose",
    names: ["goose*"],
    revision: cell("2025-03-26", "2025-03-26", GOOSE, SOURCES),
    tools: cell({ max: 50, beyond: "warned" }, "warns the model beyond 50", GOOSE, SOURCES),
    toolNames: cell({ pattern: "{server}__{tool}" }, "server__tool", GOOSE, SOURCES),
    schemas: cell({}, "as listed", GOOSE, SOURCES),
    results: cell({ maxText: 200_000 }, "texts beyond 200,000 characters to a file", GOOSE, SOURCES),
    resources: cell(true, "tools that list and read them", GOOSE),
    questions: cell(["form", "sampling", "roots"], "forms; sampling; roots", GOOSE, SOURCES),
    times: cell({ call: 300 }, "call 300 s", GOOSE),
  },
  {
    id: "lm-studio",
    title: "LM Studio",
    names: [],
    schemas: cell({ needsProperties: true }, "objects need properties", "jcode #446"),
    resources: cell(false, "no", UNRECORDED),
  },
  {
    id: "continue",
    title: "Continue",
    names: ["continue-cli-client"],
    revision: cell("2025-11-25", "up to 2025-11-25", "source of Continue, read; commit not recorded"),
    resources: cell(false, "only the user attaches them", "source of Continue, read; commit not recorded"),
    times: cell({ start: 20 }, "start 20 s", "source of Continue, read; commit not recorded"),
  },
  {
    id: "copilot-jetbrains",
    title: "Copilot for JetBrains",
    names: ["JetBrains-*"],
    revision: cell("2025-06-18", "2025-06-18", UNRECORDED),
    questions: cell(["form", "sampling", "roots"], "forms; sampling; roots", UNRECORDED),
  },
  {
    id: "replit",
    title: "Replit",
    names: [],
    tools: cell({ max: 195, beyond: "omitted" }, "195, or the server is switched off", "posthog PR #55370"),
  },
];

/** Returns the profile with an id, such as "codex". @throws {UsageError} for an unknown one. */
export function findProfile(id: string): Profile {
  const profile = PROFILES.find((one) => one.id === id);
  if (profile !== undefined) return profile;
  const known = PROFILES.map((one) => one.id).join(", ");
  throw new UsageError(`Unknown client ${JSON.stringify(id.slice(0, 80))}. Known clients: ${known}.`);
}
