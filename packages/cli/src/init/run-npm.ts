import { spawnSync } from "node:child_process";
import { currentShell } from "../terminal/shell.ts";

export interface NpmOptions {
  readonly cwd: string;
  /** Settings of npm by name, such as `pack_destination`: a value cannot be quoted safely for every shell. */
  readonly config?: { readonly [name: string]: string };
  /** Shows npm's output on stderr while it runs. */
  readonly isShown?: boolean;
}

/** Runs npm with constant arguments, and returns whether it succeeded and what it wrote to stderr if it is not shown. */
export function runNpm(args: readonly string[], { cwd, config = {}, isShown = false }: NpmOptions) {
  const settings = Object.entries(config).map(([name, value]) => [`npm_config_${name}`, value]);
  // Windows needs a shell for npm, which would look for it in the current folder first.
  const env = { ...currentShell().env, NoDefaultCurrentDirectoryInExePath: "1", ...Object.fromEntries(settings) };
  const output = isShown ? 2 : "pipe";
  const shell = process.platform === "win32";
  const { status, stderr, error } = spawnSync("npm", [...args], { cwd, env, stdio: ["ignore", output, output], shell });
  return { isDone: status === 0, errors: error?.message ?? String(stderr ?? "") };
}
