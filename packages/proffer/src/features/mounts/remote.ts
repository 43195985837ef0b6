import { connect, type Target } from "../../client/connect.ts";
import type { REMOTE, RemoteOptions, RemoteServer } from "./options.ts";

/** By its name: this file is in bundles of the client, which contain no server and none of its checks. */
const BRAND: typeof REMOTE = Symbol.for("proffer.remote") as never;

/**
 * Describes a server elsewhere, for the option `servers` of `defineServer`, which checks the options: at a URL, or started by
 * a command.
 *
 * @example
 * defineServer({
 *   name: "company",
 *   version: "1.0.0",
 *   servers: {
 *     github: remote("https://mcp.github.example/mcp", { only: ["search_*"] }),
 *     files: remote({ command: "npx", args: ["files-mcp", "."] }),
 *   },
 * });
 */
export function remote(target: Target, options: RemoteOptions = {}): RemoteServer {
  return { kind: "remote", [BRAND]: true, connect, target, options } as RemoteServer;
}
