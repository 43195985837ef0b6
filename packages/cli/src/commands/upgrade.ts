import { defineServer, type Observer, type Server, type ServerOptions } from "proffer";
import { type RemoteOptions, remote, safeVariables } from "proffer/client";
import { parseCommandLine, toClusterSettings, toServing } from "proffer/flags";
import { formatLog, serveProcess } from "proffer/process";
import { reserveStdout } from "proffer/stdio";
import { parsePairs, type Target, toTarget } from "../client/arguments.ts";
import { toHeaders } from "../client/headers.ts";
import { toLimits } from "../client/limits.ts";
import { ownVersion } from "../modules/packages.ts";
import { explainFlags, explainUsage, WrongUsage } from "../terminal/command-error.ts";
import { currentShell } from "../terminal/shell.ts";
import { prepare, UPGRADE_FLAGS } from "./transport-flags.ts";

/**
 * Serves a server that somebody else wrote, on every revision, until the client disconnects or the process is stopped.
 * @param words - the URL, and the flags
 * @param command - the words after `--`: the command that starts the server
 * @throws {CommandError} if it cannot be served.
 */
export async function upgrade(words: readonly string[], command: readonly string[] | undefined): Promise<void> {
  const { env } = currentShell();
  const line = explainFlags(() => parseCommandLine(words, UPGRADE_FLAGS));
  const serving = explainFlags(() => toServing(line, env));
  const cluster = explainFlags(() => toClusterSettings(env));
  const { target } = toTarget(line.operands, command);
  if (target.kind === "module")
    throw new WrongUsage(`${JSON.stringify(target.file)} is no URL. Write -- before a command; serve runs modules.`);
  const given = new Given(line.flags);
  const server = await explainUsage(createServer(target, given));
  await prepare(serving, []);
  if (serving.stdio) reserveStdout();
  formatLog(serving.log);
  await explainUsage(serveProcess(server, { ...serving, cluster }));
}

async function createServer(target: Behind, given: Given): Promise<Server> {
  const behind = remote(toRemote(target, given), toOptions(target, given));
  const name = given.text("--name") ?? nameOf(target);
  return defineServer({ ...(await toServerOptions(given)), name, version: ownVersion(), servers: { behind } });
}

/** The values of the flags. */
class Given {
  readonly #flags: ReadonlyMap<string, readonly string[]>;

  constructor(flags: ReadonlyMap<string, readonly string[]>) {
    this.#flags = flags;
  }

  has(name: string): boolean {
    return this.#flags.has(name);
  }

  all(name: string): readonly string[] {
    return this.#flags.get(name) ?? [];
  }

  text(name: string): string | undefined {
    return this.all(name).at(-1);
  }
}

type Behind = Exclude<Target, { readonly kind: "module" }>;

function toRemote(target: Behind, given: Given): Parameters<typeof remote>[0] {
  const variables = given.all("--env");
  if (target.kind === "url") {
    if (variables.length > 0) throw new WrongUsage("--env is for a command; a URL has no variables.");
    return target.url;
  }
  const [command = "", ...args] = target.command;
  if (variables.length === 0) return { command, args };
  const { env: own } = currentShell();
  const pairs = variables.map((each) => (each.includes("=") ? each : `${each}=${own[each] ?? ""}`));
  return { command, args, env: { ...safeVariables(), ...Object.fromEntries(parsePairs(pairs, "--env")) } };
}

function toOptions(target: Behind, given: Given): RemoteOptions {
  const header = given.all("--header");
  const bearerEnv = given.text("--bearer-env");
  const headers = toHeaders({ header, ...(bearerEnv !== undefined && { bearerEnv }) }, target);
  const [timeout, maxBytes, pin] = [given.text("--timeout"), given.text("--max-bytes"), given.text("--pin")];
  const limits = toLimits({ ...(timeout !== undefined && { timeout }), ...(maxBytes !== undefined && { maxBytes }) });
  return {
    ...{ prefix: "", instructions: true, onDown: "fail", maxBytes: limits.maxBytes, timeout: limits.timeout * 1000 },
    ...(target.kind === "url" && { headers }),
    ...(pin !== undefined && { pin }),
  };
}

async function toServerOptions(given: Given): Promise<Partial<ServerOptions>> {
  const toolsets = parsePairs(given.all("--toolset"), "--toolset");
  const resourceTools = given.text("--resource-tools") as ServerOptions["resourceTools"];
  const tokens = given.text("--max-result");
  return {
    ...(resourceTools !== undefined && { resourceTools }),
    ...(tokens !== undefined && { maxResult: { tokens: Number(tokens) } }),
    ...(given.has("--adapt") && { adapt: true }),
    ...(toolsets.length > 0 && {
      toolsets: Object.fromEntries(toolsets.map(([name, text]) => [name, text.split(",")])),
    }),
    ...(given.has("--telemetry") && { observe: await loadTelemetry() }),
  };
}

async function loadTelemetry(): Promise<Observer> {
  const { telemetry } = await import("proffer/telemetry");
  return telemetry();
}

const UNSPECIFIC = /^(index|main|cli|bin|dist|build|src|lib|)$/;

/** The part of a command or a URL that names the server: the package or the file, without its version. */
function nameOf(target: Behind): string {
  if (target.kind === "url") return new URL(target.url).host;
  const words = target.command.filter((word) => !word.startsWith("-"));
  const named = words.find((word, at) => at > 0 && !/^(run|exec|dlx|tool)$/.test(word)) ?? words[0] ?? "";
  const parts = named.replace(/(?<=.)@[^@/]*$/, "").split(/[\\/]/);
  const names = parts.map((part) => part.replace(/\.[cm]?[jt]s$/, ""));
  return names.filter((part) => !UNSPECIFIC.test(part)).at(-1) ?? "server";
}
