import type { Server } from "../server/server.ts";
import { UsageError } from "../support/usage-error.ts";
import type { HttpService, ServeOptions } from "./http/node/server.ts";
import { type StdioOptions, serveStdio } from "./stdio/serve.ts";

export interface ProcessOptions {
  /** Serve over HTTP. Default: over stdio. */
  readonly http?: ServeOptions;
  /** Other servers that share the port, by the path of each. */
  readonly mounts?: { readonly [path: string]: Server };
  /** Serve over stdio, too. Default: only if there is no `http`. */
  readonly stdio?: StdioOptions | boolean;
  /** Imports the author's module: called in the background, when the first questions of the client are answered. */
  readonly load?: () => Promise<unknown>;
  /** Hears where the server listens. Default: a line on stderr. */
  readonly listening?: (service: HttpService) => void;
}

/** The client is done with its first questions when it has been silent for so many milliseconds. */
const QUIET = 25;
/** A client that never is silent, or never there, does not keep the module from being imported. */
const PATIENCE = 500;
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Serves as the one job of this process, until its client is gone or it is told to stop, and ends it. If the module
 * cannot be imported, open calls are answered with an error, the reason is on stderr and the exit code is 1.
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
      console.error("The module of the server could not be imported; the server stops:", error);
      void close?.().then(() => process.exit(1));
    });
  }
  return new Promise<never>(() => {});
}

/**
 * Serves as the arguments of the process say: `[--http [port]]`, where the variable PORT stands in for the port. A wrong
 * one ends the process with code 2.
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

/** Listens; gives the function that ends it. Imported only where it is used: nobody waits for HTTP to start as for stdio. */
async function listen(server: Server, http: ServeOptions, { mounts = {}, listening = announce }: ProcessOptions) {
  const { DEFAULT_PATH, serveHttp } = await import("./http/node/server.ts");
  const path = http.path ?? DEFAULT_PATH;
  if (Object.hasOwn(mounts, path)) {
    throw new UsageError("bad_option", `Two servers cannot both be at ${path}; give one of them another path.`);
  }
  const service = await serveHttp({ [path]: server, ...mounts }, http);
  listening(service);
  return () => service.close();
}

function announce({ urls }: HttpService): void {
  for (const url of Object.values(urls)) console.error(`Listening at ${url}`);
}

/** Calls `start` in the first pause. Evaluating a large module takes the thread, and lists would have to wait for it. */
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

/** What nobody catches ends a process that serves over stdio, once the calls in work are answered. */
function stopStdio(cause: unknown): void {
  setTimeout(() => {
    throw new Error("The module of the server could not be imported.", { cause });
  });
}
