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
