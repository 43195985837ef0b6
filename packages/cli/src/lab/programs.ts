import { join } from "node:path";
import { stringify as stringifyToml } from "smol-toml";
import { CommandError, WrongUsage } from "../terminal/command-error.ts";
import type { Pin } from "./program-cache.ts";

/** What a client needs to know in one run. */
export interface Place {
  readonly folder: string;
  /** The address of the scripted model. */
  readonly model: string;
  /** The name of the server in the configuration. */
  readonly name: string;
  readonly server: { readonly command: readonly string[] } | { readonly url: string };
  /** A command that answers a question on its stdin, if answers were given. */
  readonly answers: readonly string[] | undefined;
  /** Seconds that a call may take. */
  readonly timeout: number;
}

/** The configuration of a client for one run. */
interface Start {
  /** Files in the folder of the run: texts, or values of JSON. */
  readonly files: { readonly [path: string]: string | object };
  readonly args: readonly string[];
  readonly env?: { readonly [name: string]: string };
}

/** A client that the lab can start. */
export interface Program {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  /** By platform and architecture, or for any. */
  readonly pins: { readonly [platform: string]: Pin };
  /** Its file in the package. */
  readonly executable: string;
  /** It runs in Node. */
  readonly isScript?: true;
  /** The licence and the terms of its vendor. */
  readonly terms: string;
  /** Whether it can be given answers to questions. */
  readonly canAnswer: boolean;
  start(place: Place): Start;
}

const PROMPT = "Use the tools.";
/** A client asks nobody for a key that it has. */
const KEY = "none";

const claudeCode: Program = {
  id: "claude-code",
  title: "Claude Code",
  version: "2.1.326",
  pins: {
    "linux-x64": {
      name: "@anthropic-ai/claude-code-linux-x64",
      version: "2.1.326",
      integrity: "sha512-RvNuaeMGfPGUyUGttVvhHgVUZ3B2L+Pgf336ImZLsPP2UQHYblewi47CPFLObqz+K6D++PLP1eAsDBLYko3w+g==",
      tree: "b1f7f47d9c84c7076d87fed42471c55559644c748520dc747abbda0a1f618752",
    },
  },
  executable: "claude",
  terms: "all rights reserved by Anthropic; https://code.claude.com/docs/en/legal-and-compliance",
  canAnswer: true,
  start: ({ folder, model, name, server, answers, timeout }) => ({
    files: {
      "mcp.json": { mcpServers: { [name]: { type: "url" in server ? "http" : "stdio", ...toCommand(server) } } },
      "settings.json": {
        // Its own question for a person does not appear with -p.
        ...(answers && { hooks: { Elicitation: [{ hooks: [{ type: "command", command: answers.join(" ") }] }] } }),
      },
    },
    args: [
      ...["-p", PROMPT, "--output-format", "json", "--strict-mcp-config", "--mcp-config", join(folder, "mcp.json")],
      ...["--settings", join(folder, "settings.json"), "--allowedTools", `mcp__${name}`],
    ],
    env: {
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_TELEMETRY: "1",
      // The search for tools asks an API that only the vendor has.
      ENABLE_TOOL_SEARCH: "false",
      MCP_TOOL_TIMEOUT: String(timeout * 1000),
    },
  }),
};

const codex: Program = {
  id: "codex",
  title: "Codex",
  version: "0.169.0",
  pins: {
    "linux-x64": {
      name: "@openai/codex",
      version: "0.169.0-linux-x64",
      integrity: "sha512-o05NyAOCDygSPRo1yinzxvkRSdmsZyBD9E7mbpmjRanSfM8lypqWtQgEo4XfNkwhuCR2aFu8mlGOsQGFXVbVww==",
      tree: "a6879e6f23b927f68bdf4955de2d0577883f06086c06572077916a0905bf5f4d",
    },
  },
  executable: "vendor/x86_64-unknown-linux-musl/bin/codex",
  terms: "Apache-2.0",
  canAnswer: false,
  start: ({ folder, model, name, server }) => ({
    files: {
      "codex/config.toml": stringifyToml({
        model: "lab",
        model_provider: "lab",
        check_for_update_on_startup: false,
        model_providers: { lab: { name: "lab", base_url: `${model}/v1`, wire_api: "responses" } },
        mcp_servers: { [name]: toCommand(server) },
        analytics: { enabled: false },
        feedback: { enabled: false },
      }),
    },
    args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", PROMPT],
    env: { CODEX_HOME: join(folder, "codex") },
  }),
};

const geminiCli: Program = {
  id: "gemini-cli",
  title: "Gemini CLI",
  version: "0.61.0",
  pins: {
    any: {
      name: "@google/gemini-cli",
      version: "0.61.0",
      integrity: "sha512-dbQ9A0qBtFJNi6XBkHvfZ6Azpn6PNgH/P8h2MZ67RLlX8hSAVjup39CRWqdRxZv7YXIuhrFaytr8y0jKnkoxnQ==",
      tree: "bf3ae52f0b3586cf8d0a91efcb8aeaa0328b11d36b1bc8b53bdffa8863f17c91",
    },
  },
  executable: "bundle/gemini.js",
  isScript: true,
  terms: "Apache-2.0",
  canAnswer: false,
  start: ({ model, name, server, timeout }) => ({
    files: {
      "home/.gemini/settings.json": {
        mcpServers: {
          [name]: {
            ...("url" in server ? { httpUrl: server.url } : toCommand(server)),
            trust: true,
            timeout: timeout * 1000,
          },
        },
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      },
    },
    // A named model: no other model is asked to choose one.
    args: ["-p", PROMPT, "--approval-mode", "yolo", "-m", "gemini-2.5-flash"],
    env: { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: model, GEMINI_CLI_TRUST_WORKSPACE: "true" },
  }),
};

const opencode: Program = {
  id: "opencode",
  title: "opencode",
  version: "1.18.33",
  pins: {
    "linux-x64": {
      name: "opencode-linux-x64",
      version: "1.18.33",
      integrity: "sha512-q/t/3p2CTxOT9y2kvjesb/LZab2+1eqlhhWA02Be6mjTtmYtNBcBsrI5yDo4Fw7ZSPBW2oyMIGMNRqiKQjiAWw==",
      tree: "ef78871b4395527f9a44c3b659e52a6d01283e7e95b35ad044d52d4171edb601",
    },
  },
  executable: "bin/opencode",
  terms: "MIT",
  canAnswer: false,
  start: ({ folder, model, name, server, timeout }) => ({
    files: {
      "opencode.json": {
        autoupdate: false,
        share: "disabled",
        model: "lab/lab",
        small_model: "lab/lab",
        provider: {
          lab: {
            npm: "@ai-sdk/openai-compatible",
            name: "lab",
            options: { baseURL: `${model}/v1`, apiKey: KEY },
            models: { lab: { name: "lab", tool_call: true, attachment: true, modalities: IMAGES } },
          },
        },
        mcp: {
          [name]: {
            ...("url" in server ? { type: "remote", ...server } : { type: "local", command: server.command }),
            enabled: true,
            timeout: timeout * 1000,
          },
        },
      },
    },
    args: ["run", PROMPT],
    env: {
      OPENCODE_CONFIG: join(folder, "opencode.json"),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    },
  }),
};

const IMAGES = { input: ["text", "image"], output: ["text"] };

function toCommand(server: Place["server"]) {
  if ("url" in server) return server;
  const [command = "", ...args] = server.command;
  return { command, args };
}

export const PROGRAMS: readonly Program[] = [claudeCode, codex, geminiCli, opencode];

/** @throws {WrongUsage} for a client that the lab cannot start. */
export function findProgram(id: string): Program {
  const program = PROGRAMS.find((each) => each.id === id);
  if (program !== undefined) return program;
  const known = PROGRAMS.map((each) => each.id).join(", ");
  throw new WrongUsage(`The client ${JSON.stringify(id.slice(0, 80))} cannot be started. Use one of ${known}.`);
}

/** @throws {CommandError} if no package of the client is known for this machine. */
export function pinOf({ title, version, pins }: Program): Pin {
  const platform = `${process.platform}-${process.arch}`;
  const pin = pins[platform] ?? pins.any;
  if (pin !== undefined && process.platform !== "win32") return pin;
  throw new CommandError(`${title} ${version} is known for ${Object.keys(pins).join(", ")} only, not for ${platform}.`);
}
