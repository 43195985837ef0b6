import { connect, type Target } from "../../client/connect.ts";
import { badOption, checkFlag, UsageError } from "../../support/usage-error.ts";
import { checkMountOptions, REMOTE, type RemoteOptions, type RemoteServer } from "./options.ts";

/** The options of `connect` that a server decides itself for each caller. */
const OWN = [
  ...["answers", "cache", "capabilities", "info", "logLevel", "onNotification"],
  ...["principal", "roots", "signal", "start"],
];

/**
 * Describes a server elsewhere, for the option `servers` of `defineServer`: at a URL, or started by a command.
 * @throws {UsageError} for invalid options.
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
  const where = `remote(${typeof target === "object" && "command" in target ? target.command : String(target)})`;
  checkMountOptions(options, where);
  const { authorize, pin, onDown = "omit", connections = 100, connectTimeout = 1 } = options;
  const foreign = OWN.find((name) => name in options);
  if (foreign !== undefined) throw new UsageError(`${where}: ${foreign} is decided for each caller. Remove it.`);
  if (authorize !== undefined && typeof authorize !== "function")
    throw badOption(where, "authorize", "a function", authorize);
  if (pin !== undefined && (typeof pin !== "string" || pin === "")) throw badOption(where, "pin", "a path", pin);
  if (onDown !== "omit" && onDown !== "fail") throw badOption(where, "onDown", '"omit" or "fail"', onDown);
  if (!Number.isInteger(connections) || connections < 1)
    throw badOption(where, "connections", "a whole number of at least 1", connections);
  if (!(connectTimeout > 0))
    throw badOption(where, "connectTimeout", "a positive number of milliseconds", connectTimeout);
  checkFlag("instructions", options.instructions, where);
  return { kind: "remote", [REMOTE]: true, connect, target, options };
}
