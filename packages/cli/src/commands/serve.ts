import { toClusterSettings } from "proffer/flags";
import { reserveStdout } from "proffer/stdio";
import { entryOf, requireOneCopy } from "../modules/copies.ts";
import { checkModuleSettings } from "../modules/import-module.ts";
import { type OpenedServer, openServer } from "../modules/load.ts";
import { explainFlags, explainUsage } from "../terminal/command-error.ts";
import { reportDiagnostics } from "../terminal/diagnostic-report.ts";
import { currentShell } from "../terminal/shell.ts";
import { warn } from "../terminal/terminal.ts";
import { ALL_SERVE_FLAGS, parseServeArguments, prepare } from "./transport-flags.ts";

/**
 * Serves a module, or a folder that `build` wrote, until the client disconnects or the process is stopped.
 * @param words - the module and the flags
 * @param rest - the server's own arguments
 * @throws {CommandError} if the module cannot be served.
 */
export async function serve(words: readonly string[], rest: readonly string[] = []): Promise<void> {
  const { file, serving, mounts } = parseServeArguments(words, ALL_SERVE_FLAGS);
  // Not for `dev`, which replaces its code with each edit, and would run the tasks of other nodes with it.
  const cluster = explainFlags(() => toClusterSettings(currentShell().env));
  await prepare(serving, rest);
  // The module and its imports may print while they load, but stdout is reserved for the protocol.
  if (serving.stdio) reserveStdout();
  const first = await open(file);
  const others = new Map<string, OpenedServer>();
  for (const [path, module] of mounts) others.set(path, await open(module));
  const loads = [first, ...others.values()].flatMap(({ load }) => load ?? []);
  const { serveProcess, formatLog } = await entryOf(first.server, "proffer/process");
  requireOneCopy([first.server, ...[...others.values()].map(({ server }) => server)]);
  formatLog(serving.log);
  await explainUsage(
    serveProcess(first.server, {
      ...serving,
      cluster,
      mounts: Object.fromEntries([...others].map(([path, { server }]) => [path, server])),
      ...(loads.length > 0 && { load: () => Promise.all(loads.map((load) => load())) }),
    }),
  );
}

async function open(file: string): Promise<OpenedServer> {
  const opened = await openServer(file, { warn });
  reportDiagnostics(opened.prepared?.diagnostics ?? []);
  // Now, and not when the module is imported: a client that cannot be served must not see a server that starts.
  await explainUsage(checkModuleSettings(opened));
  return opened;
}
