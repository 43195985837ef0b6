import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { TargetArguments } from "../client/arguments.ts";
import { type TalkFlags, withServer } from "../client/connect-target.ts";
import { formatDifference } from "../install/difference.ts";
import { CommandError, WrongUsage } from "../terminal/command-error.ts";
import { toShortPath } from "../terminal/diagnostic-report.ts";
import { listAll } from "../terminal/listing.ts";
import { currentShell, fromHere } from "../terminal/shell.ts";
import { print, say, stylesFor } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";
import { HEADER, writeInterface } from "../types/interface.ts";

export interface TypesFlags extends TalkFlags {
  readonly out?: string;
  readonly name?: string;
  readonly check?: boolean;
}

/**
 * Writes the interface of a server, or compares it with the file.
 * @throws {CommandError} with `check`, if the file is not up to date; and for a file that the command has not written.
 */
export async function types({ target }: TargetArguments, { out, name, check = false, ...flags }: TypesFlags) {
  if (check && out === undefined) throw new WrongUsage("--check compares with a file: add --out <file>.");
  if (name !== undefined && !/^[A-Z]\w*$/.test(name))
    throw new WrongUsage(`--name must be the name of an interface, such as GitHub, not ${JSON.stringify(name)}.`);
  const written = await withServer(target, flags, async (server) =>
    writeInterface(server.serverInfo, await listAll(server, server.capabilities), name),
  );
  if (out === undefined) return print(Text.contents(written.trimEnd(), false));
  const path = fromHere(out);
  const file = toShortPath(path);
  const source = path.replace(/\.d\.(?=[cm]?ts$)/, ".");
  if (source !== path && existsSync(source))
    throw new CommandError(`TypeScript would read ${toShortPath(source)} instead of ${file}. Choose another name.`);
  const before = read(path);
  if (before !== undefined && !before.startsWith(HEADER))
    throw new CommandError(`${file} was not written by this command. Choose another file with --out, or remove it.`);
  if (before === written) return say(text`${file} is up to date.`);
  if (check) {
    const missing = `${file} does not exist. Write it with proffer types --out, and commit it.`;
    if (before === undefined) throw new CommandError(missing);
    print(formatDifference(before, written, stylesFor(currentShell().stdout), (line) => line));
    throw new CommandError(`${file} is not up to date with the server. To accept the changes, leave out --check.`);
  }
  try {
    writeFileSync(path, written);
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${(error as Error).message}`, { cause: error });
  }
  say(text`Wrote ${file}.`);
}

/** Reads a file; undefined if it does not exist. The ends of lines may have been changed by Git. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").replaceAll("\r\n", "\n");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CommandError(`${toShortPath(path)} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
