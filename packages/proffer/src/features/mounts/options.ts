import type { Principal } from "../../calls/client.ts";
import type { Client } from "../../client/client.ts";
import type { ConnectOptions, Target } from "../../client/connect.ts";
import type { Headers } from "../../client/link.ts";
import { isObject } from "../../protocol/messages.ts";
import type { CreatedByRemote, MountOptions } from "../../server/options.ts";
import { badOption, checkFlag, UsageError } from "../../support/usage-error.ts";

/** On whose behalf a mounted server is called. Undefined: on behalf of the server itself, for its lists. */
export interface OnBehalfOf {
  readonly principal: Principal | undefined;
}

/** Options for `remote`: those of `connect`, and some for servers that stand behind another one. */
export interface RemoteOptions
  extends MountOptions,
    Omit<
      ConnectOptions,
      | ("answers" | "cache" | "capabilities" | "info" | "logLevel" | "onNotification")
      | ("principal" | "roots" | "signal" | "start")
    > {
  /**
   * Returns the headers by which the server recognizes the caller, such as a token that was issued for that server. Each
   * principal then has connections of its own. The caller's own token is never sent. Default: all callers are the same.
   */
  readonly authorize?: (caller: OnBehalfOf) => Headers | undefined | Promise<Headers | undefined>;
  /** A file with the accepted descriptions: what has changed since is not offered. Written if it does not have this server. */
  readonly pin?: string;
  /** While the server is down, lists leave its items out, or fail. Default: "omit". */
  readonly onDown?: "omit" | "fail";
  /** Connections to a server that needs one for each caller. Default: 100. */
  readonly connections?: number;
  /** Milliseconds until a connection must be open. Default: 10 seconds for a URL, a minute for a command. */
  readonly connectTimeout?: number;
  /** Adds the instructions of the server to one's own: its author then speaks to the model. Default: false. */
  readonly instructions?: boolean;
}

export const REMOTE: unique symbol = Symbol.for("proffer.remote");

/** A server elsewhere. Create it with `remote`. */
export interface RemoteServer extends CreatedByRemote {
  readonly [REMOTE]: true;
  /** A server without `remote` does not load the client. */
  connect(target: Target, options: ConnectOptions): Promise<Client>;
  readonly target: Target;
  readonly options: RemoteOptions;
}

const KNOWN = new Set<string>([
  ...["prefix", "only", "except", "toolset", "maxResult", "authorize", "pin", "onDown", "connections"],
  ...["connectTimeout", "instructions"],
]);
/** Whether a value was created by `remote`. */
export function isRemote(value: unknown): value is RemoteServer {
  return typeof value === "object" && value !== null && REMOTE in value;
}

/** @throws {UsageError} */
export function checkMountOptions(options: MountOptions, where: string): void {
  if (!isObject(options)) throw badOption(where, "options", "an object", options);
  const { prefix = "", toolset } = options;
  for (const name of ["only", "except"] as const) {
    const patterns: unknown = options[name] ?? [];
    if (!Array.isArray(patterns) || !patterns.every((each) => typeof each === "string" && each !== ""))
      throw badOption(where, name, "a list of names", patterns);
  }
  if (typeof prefix !== "string" || !/^[A-Za-z0-9_.-]{0,32}$/.test(prefix))
    throw badOption(where, "prefix", "0 to 32 of A-Z a-z 0-9 _ . -", prefix);
  if (toolset !== undefined && typeof toolset !== "string") throw badOption(where, "toolset", "a name", toolset);
}

/** The options of `connect` among those of a mount. */
export function connectOptionsOf(options: RemoteOptions): ConnectOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !KNOWN.has(name)));
}

/** The options of `connect` that a server decides itself for each caller. */
const OWN = [
  ...["answers", "cache", "capabilities", "info", "logLevel", "onNotification"],
  ...["principal", "roots", "signal", "start"],
];

/** @throws {UsageError} */
export function checkRemoteOptions(options: RemoteOptions, where: string): void {
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
}
