import type { MissingTool } from "../features/resource-tools/create.ts";
import type { Choice } from "../features/toolsets/feature.ts";
import type { ClusterSettings } from "../nodes/environment/redis-nodes.ts";
import type { Skill } from "../providers/skills/skill.ts";
import { requireLifespan } from "../server/lifespan.ts";
import { overrideOptions } from "../server/overrides.ts";
import { type Server, stateOf } from "../server/server.ts";
import { consoleLog, type LogEntry } from "../support/log.ts";
import { UsageError } from "../support/usage-error.ts";
import type { Arguments } from "./arguments.ts";
import type { HttpService } from "./http/node/server.ts";
import { formatLog, type LogFormat } from "./log-format.ts";
import type { Serving } from "./serve-flags.ts";
import { exitWhenWritten } from "./stdio/exit.ts";
import { reserveStdout } from "./stdio/output.ts";
import { cannotStart, SIGNALS, type StdioOptions, type Stop, startStdio } from "./stdio/serve.ts";

/** Settings of the arguments, and of the command that serves. Without `http` the server is served over stdio. */
export interface ProcessOptions extends Omit<Serving, "stdio"> {
  /** The cluster of the servers, and the work of this node. */
  readonly cluster?: ClusterSettings;
  /** Other servers on the same port, by path. */
  readonly mounts?: { readonly [path: string]: Server };
  /** Also serve over stdio. Default: only without `http`. */
  readonly stdio?: StdioOptions | boolean;
  /** Imports the author's module; called in the background after the client's first requests are answered. */
  readonly load?: () => Promise<unknown>;
  /** Called when the server listens. Default: prints the URLs to stderr. */
  readonly listening?: (service: HttpService) => void;
}

/** Set by commands that start a server only to read its lists. */
const DESCRIBING = Symbol.for("proffer.describing");

/** Milliseconds of silence after which the client's first requests are considered done. */
const QUIET = 25;
/** Milliseconds after which the module is imported even if the client is not silent, or not there. */
const PATIENCE = 500;

/**
 * Serves until the client disconnects or a signal arrives, then ends the process. If the module cannot be imported or
 * a server cannot start, calls in flight are answered with an error, the reason is printed to stderr, and the exit code
 * is 1. So it is after an exception in the background, which may have left anything half done: health routes answer
 * `draining`, calls in flight get the drain time, and whoever started the process starts it again.
 */
export async function serveProcess(server: Server, options: ProcessOptions = {}): Promise<never> {
  const { http, load, errors, cluster, choice } = options;
  const servers = [server, ...Object.values(options.mounts ?? {})];
  if (choice !== undefined) await chooseItems(servers, choice);
  if (errors !== undefined) for (const each of servers) overrideOptions(each, { errors });
  if (cluster !== undefined && Object.keys(cluster).length > 0)
    await (await import("../nodes/environment/redis-nodes.ts")).applyClusterSettings(servers, cluster);
  await Promise.all(servers.map((each) => stateOf(each).features.loading));
  if (DESCRIBING in globalThis) await (await import("../features/describe/describe.ts")).describe(servers, load);
  // A node that only works has no client that could start and end it.
  const stdio = cluster?.tasks !== "work" && (options.stdio ?? http === undefined);
  const service = http === undefined ? undefined : await (await import("./listen.ts")).listen(server, http, options);
  const work = stdio || service !== undefined ? undefined : startWork(server);
  const report = reportAs(options.log);
  const stop = stdio
    ? startStdio(server, stdio === true ? {} : stdio, service?.close)
    : stopServices(service ?? work, report);
  work?.ready().catch((error: Error) => stop(1, cannotStart(error)));
  if (!stdio) {
    for (const signal of SIGNALS) process.once(signal, () => stop(0));
    for (const event of ["unhandledRejection", "uncaughtException"]) {
      process.on(event, (error) => {
        consoleLog({ level: "error", message: "An exception in the background; the server stops", error });
        stop(1);
      });
    }
  }
  // Only now: a signal that follows at once must not kill the process.
  if (service !== undefined) (options.listening ?? announce)(service, report);
  if (work !== undefined) report("info", "Working on tasks");
  service?.ready().catch((error: Error) => stop(1, cannotStart(error)));
  const importModule = () =>
    load?.().catch((error) => stop(1, "The server's module could not be imported; the server stops:", error));
  if (stdio && load !== undefined) whenQuiet(importModule);
  else void importModule();
  return new Promise<never>(() => {});
}

/**
 * Sets the process up as the author's module expects it: only the server's own arguments are in `process.argv`, and the
 * log is readable on a terminal. `process.argv[1]` stays: a module that is named there would start a server on its own.
 * @throws {UsageError} for settings of OAuth that cannot work, before anything is loaded.
 */
export async function prepareProcess({ log, oauth }: Serving, rest: readonly string[]): Promise<void> {
  process.argv.splice(2, process.argv.length, ...rest);
  formatLog(log);
  if (oauth === undefined) return;
  const { createProtections } = await import("./listen.ts");
  await createProtections(oauth, [new URL(oauth.resource).pathname]);
}

/** A server that runs until it is closed. */
type Running = Pick<HttpService, "ready" | "close">;

/** Milliseconds in which a node that only works hands over its tasks. */
const DRAIN_TIMEOUT = 5000;

/** Runs a server without a transport: it works on tasks. */
function startWork(server: Server): Running {
  const lifespan = requireLifespan(stateOf(server));
  const release = lifespan.open();
  // Only a signal ends the process, also if no connection keeps it alive at the moment.
  const timer = setInterval(() => {}, 2 ** 30);
  return {
    ready: () => lifespan.start(),
    close: async (drainTimeout = DRAIN_TIMEOUT) => {
      lifespan.drain(release, drainTimeout);
      await release(drainTimeout);
      clearInterval(timer);
    },
  };
}

function stopServices(running: Running | undefined, report: Report): Stop {
  let worst: number | undefined;
  return (code, message, ...error) => {
    if (message !== undefined) report("error", String(message), ...error);
    const isStopping = worst !== undefined;
    worst = Math.max(worst ?? 0, code);
    if (!isStopping) void running?.close().then(() => exitWhenWritten(worst as number));
  };
}

/** Writes a line about the process itself. */
type Report = (level: LogEntry["level"], message: string, ...error: readonly unknown[]) => void;

/** With `--log json`, the lines are entries of the log, so that a reader of JSON can read all of stderr. */
function reportAs(log: LogFormat | undefined): Report {
  if (log === "json") return (level, message, ...[error]) => consoleLog({ level, message, error });
  return (_, message, ...error) => console.error(message, ...error);
}

function announce({ urls }: HttpService, report: Report): void {
  for (const url of Object.values(urls)) report("info", `Listening at ${url}`);
}

/** Calls `start` at the first pause: evaluating a large module blocks the thread, and lists would have to wait. */
function whenQuiet(start: () => void): void {
  const begin = () => {
    clearTimeout(pause);
    clearTimeout(latest);
    process.stdin.off("data", heard);
    start();
  };
  let pause = setTimeout(begin, QUIET);
  const latest = setTimeout(begin, PATIENCE);
  const heard = () => {
    clearTimeout(pause);
    pause = setTimeout(begin, QUIET);
  };
  process.stdin.on("data", heard);
}

/** Applies the choice of the person who starts servers. @throws {UsageError} for names that no server has. */
export async function chooseItems(servers: readonly Server[], choice: Choice): Promise<void> {
  return (await import("../features/toolsets/feature.ts")).chooseItems(servers.map(stateOf), choice);
}

/** Shows every toolset of a server, also those with `default: false`. */
export async function showAllToolsets(server: Server): Promise<void> {
  return (await import("../features/toolsets/feature.ts")).showAllToolsets(stateOf(server));
}

/** Finds the resources that cannot be tools for clients that need it, and says why. */
export async function findMissingTools(server: Server): Promise<readonly MissingTool[]> {
  return (await import("../features/resource-tools/feature.ts")).findMissingTools(stateOf(server));
}

/** Finds the skills that a server serves. */
export async function findSkills(server: Server): Promise<readonly Skill[]> {
  const state = stateOf(server);
  if (state.options.skills === undefined) return [];
  await state.features.loading;
  return (await import("../features/skills/served.ts")).skillsOf(state).map(({ skill }) => skill);
}

/** The server of a built folder. */
export interface BuiltServer {
  readonly default: Server;
  readonly load: () => Promise<unknown>;
}

/**
 * Serves a built folder by the arguments and variables of the process. Invalid arguments end the process with code 2
 * before the author's module is imported.
 * @param open - imports the server
 */
export async function serveByArguments(open: () => BuiltServer | Promise<BuiltServer>): Promise<never> {
  // The exit code of a usage error: 2 until the arguments are accepted.
  let code = 2;
  try {
    const { serving, cluster, rest } = await readArguments();
    await prepareProcess(serving, rest);
    // The author's module may print while it is imported.
    if (serving.stdio) reserveStdout();
    code = 1;
    const { default: server, load } = await open();
    return await serveProcess(server, { ...serving, cluster, load });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`error: ${error.message}`);
    process.exit(code);
  }
}

const NONE: Arguments = { serving: { stdio: true }, cluster: {}, rest: [] };

/** Most clients start a server without arguments and variables. The code that reads them is not loaded then. */
async function readArguments(): Promise<Arguments> {
  const isPlain = process.argv.length <= 2 && !Object.keys(process.env).some((name) => name.startsWith("PROFFER_"));
  return isPlain ? NONE : (await import("./arguments.ts")).parseArguments();
}
