import { AsyncLocalStorage } from "node:async_hooks";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { Readable, Writable } from "node:stream";

/** A stream that may be a terminal. */
export type Output = Writable & { isTTY?: boolean; columns?: number; hasColors?: () => boolean };

/** The place that a command is called from. */
export interface Shell {
  /** The folder that paths are relative to. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { isTTY?: boolean };
  /** Gets the results. */
  readonly stdout: Output;
  /** Gets everything else. */
  readonly stderr: Output;
}

/** The process itself. The streams are opened when they are used. */
const PROCESS: Shell = Object.create(process, { cwd: { get: () => process.cwd() } });

/** Handing the shell down would give a parameter to nearly every function of the commands. */
const given = new AsyncLocalStorage<Shell>();

/** Runs a command in another shell than the process. */
export function withShell<Value>(shell: Partial<Shell>, work: () => Promise<Value>): Promise<Value> {
  const whole = Object.create(PROCESS, Object.getOwnPropertyDescriptors(shell));
  return given.run(whole, work);
}

/** Returns the shell of the running command. */
export function currentShell(): Shell {
  return given.getStore() ?? PROCESS;
}

/** Whether the command runs in a given shell, inside a process that does other things, too. */
export function isInProcess(): boolean {
  return given.getStore() !== undefined;
}

/** Returns the absolute path of a file that the user named. */
export function fromHere(path: string): string {
  return resolve(currentShell().cwd, path);
}

/** Returns the user's home folder. @throws {Error} if there is none. */
export function homeFolder(): string {
  const { HOME, USERPROFILE } = currentShell().env;
  return (process.platform === "win32" ? USERPROFILE : HOME) || homedir();
}

/** Quotes a path for a command that the user may paste into a shell: `$(x)` and `a&b` are valid names of folders. */
export function quoteForShell(path: string): string {
  const local = path.startsWith("-") ? `./${path}` : path;
  if (process.platform === "win32") return /^[\w./:\\-]+$/.test(local) ? local : `"${local}"`;
  return /^[\w./:@+,-]+$/.test(local) ? local : `'${local.replaceAll("'", "'\\''")}'`;
}
