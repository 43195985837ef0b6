import type { Implementation } from "../protocol/model.ts";

/** The part of a client's profile that is known while a request is served. Use it to adapt output, never to grant access. */
export interface ClientProfile {
  /** The name of the profile, such as "codex". */
  readonly id: ProfileId;
  /** Whether the model can read resources, without the user; undefined if that is not known. */
  readonly readsResources: boolean | undefined;
  /** Structured content replaces all other content of a result. */
  readonly structuredOnly: boolean;
  /** Links and embedded resources in results reach the model. */
  readonly showsResources: boolean;
}

type Row = readonly [names: string, readsResources?: boolean, structuredOnly?: boolean, showsResources?: boolean];

/** The table of clients of @proffer/cli has the sources; a test compares both. Small, because every server loads it. */
const ROWS = {
  "claude-code": ["claude-code", true],
  claude: ["Anthropic/ClaudeAI|claude-ai", false],
  codex: ["codex-mcp-client", true, true],
  "gemini-cli": ["gemini-cli-mcp-client*", true],
  "gemini-api": [""],
  "openai-api": [""],
  chatgpt: ["ChatGPT|openai-mcp", false, true],
  vscode: ["Visual Studio Code*", false],
  cursor: ["cursor-vscode*"],
  windsurf: ["windsurf-client"],
  zed: ["Zed", false, false, false],
  goose: ["goose*", true],
  "lm-studio": ["", false],
  continue: ["continue-cli-client", false],
  "copilot-jetbrains": ["JetBrains-*"],
  opencode: ["opencode", true, false, false],
  mcporter: ["mcporter"],
  langchain: ["@langchain/mcp-adapters"],
  "ai-sdk": ["ai-sdk-mcp-client"],
  replit: [""],
} as const satisfies { readonly [id: string]: Row };

/** The clients with a profile. */
export type ProfileId = keyof typeof ROWS;

/** Returns the profile of a client by its name, which the client chooses: it can be any text. */
export function profileOf(info: Implementation | undefined): ClientProfile | undefined {
  if (typeof info?.name !== "string") return undefined;
  // mcp-remote is between clients of stdio and servers of HTTP, and adds itself to the name.
  const [name = ""] = info.name.split(" (via mcp-remote ", 1);
  index ??= createIndex();
  return index.get(name) ?? index.get(PREFIXES.find((prefix) => name.startsWith(prefix.slice(0, -1))) ?? "");
}

let index: ReadonlyMap<string, ClientProfile> | undefined;
const PREFIXES: string[] = [];

/** The profiles by name, and by the beginnings of names, with their `*`. */
function createIndex(): ReadonlyMap<string, ClientProfile> {
  const profiles = new Map<string, ClientProfile>();
  for (const [id, row] of Object.entries(ROWS) as [ProfileId, Row][]) {
    const [names, readsResources, structuredOnly = false, showsResources = true] = row;
    const profile = Object.freeze({ id, readsResources, structuredOnly, showsResources });
    for (const name of names.split("|").filter((one) => one !== "")) {
      profiles.set(name, profile);
      if (name.endsWith("*")) PREFIXES.push(name);
    }
  }
  return profiles;
}
