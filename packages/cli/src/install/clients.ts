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

export const CLIENTS: { readonly [Name in ClientName]: ClientConfig } = {
  "claude-code": {
    title: "Claude Code",
    format: "json",
    section: "mcpServers",
    userFile: () => join(homeFolder(), ".claude.json"),
    projectFile: ".mcp.json",
    toEntry: (launch) => ({ type: "stdio", ...plain(launch) }),
    nextStep: AUTOMATIC,
  },
  "claude-desktop": {
    title: "Claude Desktop",
    format: "json",
    section: "mcpServers",
    userFile: () => join(applicationData("Claude"), "claude_desktop_config.json"),
    toEntry: plain,
    nextStep: RESTART,
  },
  vscode: {
    title: "VS Code",
    format: "json",
    section: "servers",
    userFile: () => join(applicationData("Code"), "User", "mcp.json"),
    projectFile: ".vscode/mcp.json",
    toEntry: (launch) => ({ type: "stdio", ...plain(launch) }),
    nextStep: AUTOMATIC,
  },
  cursor: {
    title: "Cursor",
    format: "json",
    section: "mcpServers",
    userFile: () => join(homeFolder(), ".cursor", "mcp.json"),
    projectFile: ".cursor/mcp.json",
    toEntry: plain,
    nextStep: AUTOMATIC,
  },
  windsurf: {
    title: "Windsurf",
    format: "json",
    section: "mcpServers",
    userFile: () => join(homeFolder(), ".codeium", "windsurf", "mcp_config.json"),
    toEntry: plain,
    nextStep: "Refresh its list of servers to apply the change.",
  },
  zed: {
    title: "Zed",
    format: "json",
    section: "context_servers",
    userFile: () => join(configHome(), "zed", "settings.json"),
    projectFile: ".zed/settings.json",
    toEntry: plain,
    nextStep: AUTOMATIC,
  },
  gemini: {
    title: "Gemini CLI",
    format: "json",
    section: "mcpServers",
    userFile: () => join(homeFolder(), ".gemini", "settings.json"),
    projectFile: ".gemini/settings.json",
    toEntry: plain,
    nextStep: AUTOMATIC,
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
    title: "Codex",
    format: "toml",
    section: "mcp_servers",
    userFile: () => join(currentShell().env.CODEX_HOME ?? join(homeFolder(), ".codex"), "config.toml"),
    projectFile: ".codex/config.toml",
    toEntry: plain,
    nextStep: AUTOMATIC,
  },
};

function plain({ command, args, env }: Launch): object {
  return { command, args: [...args], ...(Object.keys(env).length > 0 && { env: { ...env } }) };
}

function configHome(): string {
  return currentShell().env.XDG_CONFIG_HOME || join(homeFolder(), ".config");
}

function windowsData(): string {
  return currentShell().env.APPDATA ?? join(homeFolder(), "AppData", "Roaming");
}

/** Returns the data folder of a desktop application. */
function applicationData(name: string): string {
  switch (process.platform) {
    case "darwin":
      return join(homeFolder(), "Library", "Application Support", name);
    case "win32":
      return join(windowsData(), name);
    default:
      return join(configHome(), name);
  }
}

/** The supported clients. */
export const CLIENT_NAMES = [
  "claude-code",
  "claude-desktop",
  "vscode",
  "cursor",
  "windsurf",
  "zed",
  "gemini",
  "goose",
  "codex",
] as const;

export type ClientName = (typeof CLIENT_NAMES)[number];
