import { type HeaderFlags, toHeaders } from "../client/headers.ts";
import { toPort } from "../inspector/port-flag.ts";
import { tapCommand } from "../inspector/tap/tap-command.ts";
import { WrongUsage } from "../terminal/command-error.ts";
import { requireOwnProcess } from "./transport-flags.ts";

export interface TapFlags extends HeaderFlags {
  readonly record?: string;
  readonly port?: string;
  readonly open?: boolean;
}

/**
 * Runs a server for the client that started this command, and records what they say to each other.
 * @throws {PassedOnExit} with the exit code of the server. @throws {CommandError} if it cannot be started.
 */
export async function tap(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: TapFlags,
): Promise<void> {
  const [unexpected] = words;
  if (unexpected !== undefined) {
    throw new WrongUsage(`Unexpected argument ${JSON.stringify(unexpected)}. --tap needs a command after --.`);
  }
  if (command === undefined || command.length === 0) {
    throw new WrongUsage("Missing command after --. Example: proffer inspect --tap -- node server.js");
  }
  toHeaders(flags, { kind: "command", command });
  requireOwnProcess();
  await tapCommand(command, { ...flags, port: toPort(flags.port) });
}
