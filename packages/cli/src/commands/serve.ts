import { serveProcess } from "proffer/derived";
import { guardStdout } from "proffer/stdio";
import { reportDiagnostics } from "../diagnostic-report.ts";
import { explainUsage } from "../explain-usage.ts";
import { openServer } from "../load.ts";
import { say } from "../terminal.ts";
import { type TransportFlags, toServeOptions } from "../transport-flags.ts";

/**
 * Serves a module, or a folder that `build` wrote, until its client is gone or the process is told to stop.
 * @throws {CommandError} when there is nothing to serve.
 */
export async function serve(file: string, flags: TransportFlags): Promise<void> {
  const http = toServeOptions(flags);
  const stdio = flags.stdio ?? http === undefined;
  // The author's module and all that it imports may print while they load, and stdout already belongs to the protocol.
  if (stdio) guardStdout();
  const { server, load, prepared } = await openServer(file, { warn: (message) => say(`warning: ${message}`) });
  reportDiagnostics(prepared?.diagnostics ?? []);
  await explainUsage(serveProcess(server, { stdio, ...(http && { http }), ...(load && { load }) }));
}
