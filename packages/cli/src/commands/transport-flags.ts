import { type Flag, parseCommandLine, SERVE_FLAGS, type Serving, toServing } from "proffer/flags";
import { prepareProcess } from "proffer/process";
import { CommandError, explainFlags, WrongUsage } from "../terminal/command-error.ts";
import { currentShell, isInProcess } from "../terminal/shell.ts";
import { sayAsJson } from "../terminal/terminal.ts";

/** The arguments of `serve` and `dev`. */
export interface ServeArguments {
  /** The module or built folder, as the user wrote it. */
  readonly file: string;
  readonly serving: Serving;
  /** Other modules that share the port, by path. */
  readonly mounts: ReadonlyMap<string, string>;
  /** Present with `--inspect`. */
  readonly inspect?: { readonly port?: number };
}

const INSPECT = "--inspect";
/** The flags of `dev`. */
export const DEV_FLAGS: readonly Flag[] = [
  ...SERVE_FLAGS,
  { name: INSPECT, value: "[port]", help: "show the server in the browser (default port: 6280, or the next free one)" },
];

const MOUNT = "--mount";
const MOUNT_HELP = "serve another module at another path on the same port; repeatable";
/** The flags of `serve`. */
export const ALL_SERVE_FLAGS: readonly Flag[] = [
  ...SERVE_FLAGS,
  { name: MOUNT, value: "<path=module>", repeatable: true, help: MOUNT_HELP },
];

/** The flags of `upgrade`: those of `serve`, and some for the server behind. */
export const UPGRADE_FLAGS: readonly Flag[] = [
  ...SERVE_FLAGS,
  { name: "--name", value: "<name>", help: "the name of the server (default: from the command or the URL)" },
  {
    name: "--resource-tools",
    value: "<auto|always|never>",
    help: "for which clients resources are tools (default: auto)",
  },
  { name: "--max-result", value: "<tokens>", help: "cut larger results; the tool more returns the rest" },
  { name: "--adapt", help: "convert names, schemas and results for clients that would lose a part of them" },
  {
    name: "--toolset",
    value: "<name=patterns>",
    repeatable: true,
    help: "a group of items for --toolsets; repeatable",
  },
  { name: "--pin", value: "<file>", help: "offer only what is described as when it was accepted in this file" },
  { name: "--telemetry", help: "spans and metrics by OpenTelemetry; requires the package @opentelemetry/api" },
  {
    name: "--env",
    value: "<name=value>",
    repeatable: true,
    help: "a variable for the command; a name alone copies it; repeatable",
  },
  {
    name: "--header",
    value: "<name: value>",
    repeatable: true,
    help: "a header of all requests to the URL; repeatable",
  },
  { name: "--bearer-env", value: "<variable>", help: "send the token in this variable as Authorization: Bearer" },
  { name: "--timeout", value: "<seconds>", help: "the time for each response of the server (default: 300)" },
  { name: "--max-bytes", value: "<bytes>", help: "the size of one message of the server" },
];

/** @throws {WrongUsage} for unknown, invalid or conflicting arguments. */
export function parseServeArguments(words: readonly string[], flags: readonly Flag[]): ServeArguments {
  const line = explainFlags(() => parseCommandLine(words, flags));
  const [file, unexpected] = line.operands;
  if (file === undefined) throw new WrongUsage("Missing argument: module (a file, or a folder written by build).");
  if (unexpected !== undefined) {
    const hint = "The arguments of the server follow after --.";
    throw new WrongUsage(`Unexpected argument ${JSON.stringify(unexpected)}. ${hint}`);
  }
  const serving = explainFlags(() => toServing(line, currentShell().env));
  const mounts = toMounts(line.flags.get(MOUNT) ?? [], serving);
  const inspected = line.flags.get(INSPECT);
  const [port] = inspected ?? [];
  const inspect = port === undefined ? {} : { port: toPort(INSPECT, port) };
  return { file, serving, mounts, ...(inspected && { inspect }) };
}

/** @throws {CommandError} inside another process: signals, stdin and the end of the process belong to the command. */
export function requireOwnProcess(): void {
  if (isInProcess()) throw new CommandError("This command takes over its process. Start it in a separate process.");
}

/** Sets the process up for a server. @throws {WrongUsage} for settings that cannot work. */
export async function prepare(serving: Serving, rest: readonly string[]): Promise<void> {
  requireOwnProcess();
  if (serving.log === "json") sayAsJson();
  await prepareProcess(serving, rest).catch((error) =>
    explainFlags(() => {
      throw error;
    }),
  );
}

/** @throws {WrongUsage} if the value of a flag is no port. */
export function toPort(flag: string, value: string): number {
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65_535) return port;
  throw new WrongUsage(`Invalid value of ${flag}: ${JSON.stringify(value)}. Use a port from 0 to 65535.`);
}

function toMounts(texts: readonly string[], { http }: Serving): ReadonlyMap<string, string> {
  const mounts = new Map<string, string>();
  for (const text of texts) {
    if (http === undefined) throw new WrongUsage(`${MOUNT} requires --http.`);
    const [, path, module] = /^(\/[^=]*)=(.+)$/.exec(text) ?? [];
    if (path === undefined || module === undefined) {
      throw new WrongUsage(`Invalid value of ${MOUNT}: ${JSON.stringify(text)}. Write ${MOUNT} /path=module.ts.`);
    }
    if (mounts.has(path))
      throw new WrongUsage(`${MOUNT} has the path ${path} twice. Use a different path for each module.`);
    mounts.set(path, module);
  }
  return mounts;
}
