import { join } from "node:path";
import { currentShell, homeFolder } from "../terminal/shell.ts";
import type { Launch } from "./launch.ts";

/** Where a client keeps its configuration, and the format of a server entry. */
export interface ClientConfig {
  readonly title: string;
  readonly format: "json" | "toml" | "yaml";
  /** The key of the object that contains the servers by name. */
  readonly section: string;
  userFile(): string;
  /** Relative to the project; absent if the client has no project configuration. */
  readonly projectFile?: string;
  toEntry(launch: Launch, name: string): object;
  /** A hint for the user: when the client applies the change. */
  readonly nextStep: string;
}

const RESTART = "Restart it to apply the change.";
const AUTOMATIC = "The change applies automatically, at the latest in the next session.";

/** The form of most configurations. */
const USUAL = { format: "json", section: "mcpServers", toEntry: plain, nextStep: AUTOMATIC } as const;

const TABLE = {
  "claude-code": {
    ...USUAL,
    title: "Claude Code",
    userFile: () => join(homeFolder(), ".claude.json"),
    projectFile: ".mcp.json",
    toEntry: typed,
  },
  "claude-desktop": {
    ...USUAL,
    title: "Claude Desktop",
    userFile: () => join(applicationData("Claude"), "claude_desktop_config.json"),
    nextStep: RESTART,
  },
  vscode: {
    ...USUAL,
    title: "VS Code",
    section: "servers",
    userFile: () => join(applicationData("Code"), "User", "mcp.json"),
    projectFile: ".vscode/mcp.json",
    toEntry: typed,
  },
  cursor: {
    ...USUAL,
    title: "Cursor",
    userFile: () => join(homeFolder(), ".cursor", "mcp.json"),
    projectFile: ".cursor/mcp.json",
  },
  windsurf: {
    ...USUAL,
    title: "Windsurf",
    userFile: () => join(homeFolder(), ".codeium", "windsurf", "mcp_config.json"),
    nextStep: "Refresh its list of servers to apply the change.",
  },
  zed: {
    ...USUAL,
    title: "Zed",
    section: "context_servers",
    userFile: () => join(configHome(), "zed", "settings.json"),
    projectFile: ".zed/settings.json",
  },
  gemini: {
    ...USUAL,
    title: "Gemini CLI",
    userFile: () => join(homeFolder(), ".gemini", "settings.json"),
    projectFile: ".gemini/settings.json",
  },
  goose: {
    title: "Goose",
    format: "yaml",
    section: "extensions",
    userFile: () =>
      process.platform === "win32"
        ? join(windowsData(), "Block", "goose", "config", "config.yaml")
        : join(configHome(), "goose", "config.yaml"),
    toEntry: ({ command, args, env }, name) => ({
      name,
      type: "stdio",
      cmd: command,
      args: [...args],
      envs: { ...env },
      enabled: true,
      timeout: 300,
    }),
    nextStep: AUTOMATIC,
  },
  codex: {
    ...USUAL,
    title: "Codex",
    format: "toml",
    section: "mcp_servers",
    userFile: () => join(currentShell().env.CODEX_HOME ?? join(homeFolder(), ".codex"), "config.toml"),
    projectFile: ".codex/config.toml",
  },
} satisfies { readonly [name: string]: ClientConfig };

export type ClientName = keyof typeof TABLE;

/** The supported clients. */
export const CLIENTS: { readonly [Name in ClientName]: ClientConfig } = TABLE;
export const CLIENT_NAMES = Object.keys(TABLE) as readonly ClientName[];

function plain({ command, args, env }: Launch): object {
  return { command, args: [...args], ...(Object.keys(env).length > 0 && { env: { ...env } }) };
}

function typed(launch: Launch): object {
  return { type: "stdio", ...plain(launch) };
}

function configHome(): string {
  return currentShell().env.XDG_CONFIG_HOME || join(homeFolder(), ".config");
}

function windowsData(): string {
  return currentShell().env.APPDATA ?? join(homeFolder(), "AppData", "Roaming");
}

/** Returns the data folder of a desktop application. */
function applicationData(name: string): string {
  if (process.platform === "darwin") return join(homeFolder(), "Library", "Application Support", name);
  return join(process.platform === "win32" ? windowsData() : configHome(), name);
}
