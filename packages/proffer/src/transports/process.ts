import type { Server } from "../server/server.ts";
import { UsageError } from "../support/usage-error.ts";
import type { HttpService, ServeOptions } from "./http/node/server.ts";
import { type StdioOptions, serveStdio } from "./stdio/serve.ts";

export interface ProcessOptions {
  /** Serve over HTTP. Default: stdio. */
  readonly http?: ServeOptions;
  /** Other servers on the same port, by path. */
  readonly mounts?: { readonly [path: string]: Server };
  /** Also serve over stdio. Default: only without `http`. */
  readonly stdio?: StdioOptions | boolean;
  /** Imports the author's module; called in the background after the client's first requests are answered. */
  readonly load?: () => Promise<unknown>;
  /** Called when the server listens. Default: prints the URLs to stderr. */
  readonly listening?: (service: HttpService) => void;
}

/** Milliseconds of silence after which the client's first requests are considered done. */
const QUIET = 25;
/** Milliseconds after which the module is imported even if the client is not silent, or not there. */
const PATIENCE = 500;
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Serves until the client disconnects or a signal arrives, then ends the process. If the module cannot be imported,
 * calls in flight are answered with an error, the reason is printed to stderr, and the exit code is 1.
 */
export async function serveProcess(server: Server, options: ProcessOptions = {}): Promise<never> {
  const { http, stdio = http === undefined, load } = options;
  const close = http === undefined ? undefined : await listen(server, http, options);
  if (stdio) {
    void serveStdio(server, stdio === true ? {} : stdio);
    if (load !== undefined) whenQuiet(() => load().catch(stopStdio));
  } else {
    for (const signal of SIGNALS) process.once(signal, () => void close?.().then(() => process.exit(0)));
    load?.().catch((error) => {
      console.error("The server's module could not be imported; the server stops:", error);
      void close?.().then(() => process.exit(1));
    });
  }
  return new Promise<never>(() => {});
}

/**
 * Serves by the arguments of the process: `[--http [port]]`; the port defaults to `$PORT`. Invalid arguments end the
 * process with code 2.
 */
export function serveByArguments(server: Server, load: () => Promise<unknown>): Promise<never> {
  const [flag, port = process.env.PORT || undefined, ...others] = process.argv.slice(2);
  if (flag === undefined) return serveProcess(server, { load });
  const number = port === undefined ? undefined : Number(port);
  if (flag !== "--http" || others.length > 0 || (number !== undefined && !isPort(number))) {
    console.error(`Usage: node ${process.argv[1]} [--http [port]]`);
    process.exit(2);
  }
  return serveProcess(server, { http: number === undefined ? {} : { port: number }, load });
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 0 && port <= 65_535;
}

/** Starts to listen and returns the function that closes it. HTTP is imported lazily, so a stdio server starts faster. */
async function listen(server: Server, http: ServeOptions, { mounts = {}, listening = announce }: ProcessOptions) {
  const { DEFAULT_PATH, serveHttp } = await import("./http/node/server.ts");
  const path = http.path ?? DEFAULT_PATH;
  if (Object.hasOwn(mounts, path)) {
    throw new UsageError("bad_option", `Two servers have the path ${path}; choose another path for one of them.`);
  }
  const service = await serveHttp({ [path]: server, ...mounts }, http);
  listening(service);
  return () => service.close();
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

/** Throws an uncaught exception: `serveStdio` then answers the calls in flight and ends the process. */
function stopStdio(cause: unknown): void {
  setTimeout(() => {
    throw new Error("The server's module could not be imported.", { cause });
  });
}
