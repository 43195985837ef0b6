import { guardStdout, serveStdio } from "proffer/stdio";
import { loadServer } from "../load-server.ts";

/**
 * Serves the server that `file` default-exports over stdio; resolves when the connection has ended.
 * @throws CommandError when the file holds no server.
 */
export async function serve(file: string): Promise<void> {
  // The author's module and all that it imports may print while they load, and stdout already belongs to the protocol.
  guardStdout();
  await serveStdio(await loadServer(file));
}
