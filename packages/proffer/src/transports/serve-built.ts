import type { Server } from "../server/server.ts";
import { UsageError } from "../support/usage-error.ts";
import type { Arguments } from "./arguments.ts";
import { prepareProcess, serveProcess } from "./process.ts";

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
  return isPlain ? NONE : (await import("../flags.ts")).parseArguments();
}
