import { spawnSync } from "node:child_process";
import { CommandError } from "./command-error.ts";
import { currentShell } from "./shell.ts";
import { Text, text } from "./text.ts";

/**
 * Runs npm with constant arguments, and returns whether it succeeded, and its errors.
 * @param output - `shown`: on stderr while npm runs; the errors are not returned then
 */
export function runNpm(
  args: readonly string[],
  cwd: string,
  output: "shown" | "kept",
  variables: NodeJS.ProcessEnv = {},
) {
  // Windows needs a shell for npm, which would look for it in the current folder first.
  const env = { ...currentShell().env, NoDefaultCurrentDirectoryInExePath: "1", ...variables };
  const stream = output === "shown" ? 2 : "pipe";
  const shell = process.platform === "win32";
  const { status, stderr, error } = spawnSync("npm", [...args], { cwd, env, stdio: ["ignore", stream, stream], shell });
  return { isDone: status === 0, errors: error?.message ?? String(stderr ?? "") };
}

export function npmFailure(message: string, errors: string): CommandError {
  return new CommandError(text`${message}\n${Text.block(errors)}`);
}
