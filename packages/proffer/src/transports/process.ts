import type { Choice } from "../features/toolsets/choice.ts";
import { overrideOptions } from "../server/overrides.ts";
import { type Server, stateOf } from "../server/server.ts";
import { setLogFormat } from "../support/log.ts";
import type { ClusterSettings } from "./cluster-flags.ts";
import type { HttpService, ServeOptions } from "./http/node/server.ts";
import type { OAuthFlags } from "./oauth-flags.ts";
import type { LogFormat, Serving } from "./serve-flags.ts";
import { exitWhenWritten } from "./stdio/exit.ts";
import { cannotStart, SIGNALS, type StdioOptions, type Stop, startStdio } from "./stdio/serve.ts";
import type { Work } from "./work.ts";

export interface ProcessOptions {
  /** Serve over HTTP. Default: stdio. */
  readonly http?: ServeOptions;
  /** Accept only callers over HTTP who have an access token. */
  readonly oauth?: OAuthFlags;
  /** What the nodes of the servers share, and their work. */
  readonly cluster?: ClusterSettings;
  /** Other servers on the same port, by path. */
  readonly mounts?: { readonly [path: string]: Server };
  /** Also serve over stdio. Default: only without `http`. */
  readonly stdio?: StdioOptions | boolean;
  /** What clients see of the servers. Default: what the option `toolsets` of each shows. */
  readonly choice?: Choice;
  /** Whether clients see the messages of unexpected errors. Default: the option `errors` of the server. */
  readonly errors?: "masked" | "message";
  /** Logs each HTTP request in this format. Default: requests are not logged. */
  readonly log?: LogFormat;
  /** Imports the author's module; called in the background after the client's first requests are answered. */
  readonly load?: () => Promise<unknown>;
  /** Called when the server listens. Default: prints the URLs to stderr. */
  readonly listening?: (service: HttpService) => void;
}

/** Milliseconds of silence after which the client's first requests are considered done. */
const QUIET = 25;
/** Milliseconds after which the module is imported even if the client is not silent, or not there. */
const PATIENCE = 500;

/**
 * Serves until the client disconnects or a signal arrives, then ends the process. If the module cannot be imported or
 * a server cannot start, calls in flight are answered with an error, the reason is printed to stderr, and the exit code
 * is 1.
 */
export async function serveProcess(server: Server, options: ProcessOptions = {}): Promise<never> {
  const { http, load, errors, cluster, choice } = options;
  const servers = [server, ...Object.values(options.mounts ?? {})];
  if (choice !== undefined)
    await (await import("../features/toolsets/feature.ts")).chooseItems(servers.map(stateOf), choice);
  if (errors !== undefined) for (const each of servers) overrideOptions(each, { errors });
  if (cluster !== undefined && Object.keys(cluster).length > 0) {
    await (await import("./redis-nodes.ts")).applyClusterSettings(servers, cluster);
  }
  await Promise.all(servers.map((each) => stateOf(each).features.loading));
  // A node that only works has no client that could start and end it.
  const stdio = cluster?.tasks !== "work" && (options.stdio ?? http === undefined);
  const service = http === undefined ? undefined : await (await import("./listen.ts")).listen(server, http, options);
  const work = stdio || service !== undefined ? undefined : (await import("./work.ts")).startWork(server);
  const stop = stdio ? startStdio(server, stdio === true ? {} : stdio, service?.close) : stopServices(service ?? work);
  work?.ready().catch((error: Error) => stop(1, cannotStart(error)));
  if (!stdio) for (const signal of SIGNALS) process.once(signal, () => stop(0));
  // Only now: a signal that follows at once must not kill the process.
  if (service !== undefined) (options.listening ?? announce)(service);
  if (work !== undefined) console.error("Working on tasks");
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
  await formatLog(log);
  if (oauth === undefined) return;
  const { createProtections } = await import("./protections.ts");
  await createProtections(oauth, [new URL(oauth.resource).pathname]);
}

/** Writes the log of all servers in this process for people, or for programs. */
export async function formatLog(format: LogFormat = process.stderr.isTTY ? "pretty" : "json"): Promise<void> {
  if (format === "json") {
    setLogFormat(undefined);
    return;
  }
  const { prettyLine } = await import("../support/pretty-log.ts");
  const isColored = process.stderr.isTTY && process.stderr.hasColors();
  setLogFormat((line) => prettyLine(line, isColored));
}

function stopServices(running: Work | undefined): Stop {
  return (code, ...reason) => {
    if (reason.length > 0) console.error(...reason);
    void running?.close().then(() => exitWhenWritten(code));
  };
}

function announce({ urls }: HttpService): void {
  for (const url of Object.values(urls)) console.error(`Listening at ${url}`);
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
