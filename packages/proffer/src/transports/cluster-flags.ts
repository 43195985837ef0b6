import { UsageError } from "../support/usage-error.ts";
import type { Variables } from "./serve-flags.ts";

/** What the environment says about the nodes of a server. */
export interface ClusterSettings {
  /** The URL of a Redis or Valkey, with its password. */
  readonly url?: string;
  readonly prefix?: string;
  /** Whether this node answers requests, works on tasks, or does both. */
  readonly tasks?: "serve" | "work" | "both";
  readonly taskConcurrency?: number;
}

const URL_VARIABLE = "PROFFER_REDIS_URL";
const PREFIX_VARIABLE = "PROFFER_REDIS_PREFIX";
const MODES = ["serve", "work", "both"] as const;

/**
 * Reads the variables. There are no flags: other users of a machine see the arguments of a process, and the URL may
 * contain a password.
 * @throws {UsageError} for invalid values. A password is not part of the message.
 */
export function toClusterSettings(variables: Variables): ClusterSettings {
  const url = variables[URL_VARIABLE] || undefined;
  const prefix = variables[PREFIX_VARIABLE] || undefined;
  const tasks = MODES.find((mode) => mode === variables.PROFFER_TASKS);
  const concurrency = variables.PROFFER_TASK_CONCURRENCY || undefined;
  if (url !== undefined) checkRedisUrl(url);
  else if (prefix !== undefined) throw bad(`${PREFIX_VARIABLE} requires ${URL_VARIABLE}.`);
  // Redis finds the server of a key by its part in braces, and BullMQ separates its own parts by colons.
  if (prefix !== undefined && !/^[\w.-]{1,100}$/.test(prefix)) {
    throw bad(`Invalid value of ${PREFIX_VARIABLE}: ${JSON.stringify(prefix)}. Use letters, digits, ".", "_" and "-".`);
  }
  if (variables.PROFFER_TASKS && tasks === undefined) {
    throw bad(`Invalid value of PROFFER_TASKS: ${JSON.stringify(variables.PROFFER_TASKS)}. Use serve, work or both.`);
  }
  if (concurrency !== undefined && !/^[1-9]\d{0,5}$/.test(concurrency)) {
    const shown = JSON.stringify(concurrency);
    throw bad(`Invalid value of PROFFER_TASK_CONCURRENCY: ${shown}. Use a whole number from 1 to 999999.`);
  }
  return {
    ...(url && { url }),
    ...(prefix && { prefix }),
    ...(tasks && { tasks }),
    ...(concurrency && { taskConcurrency: Number(concurrency) }),
  };
}

/** @throws {UsageError} */
function checkRedisUrl(text: string): void {
  if (URL.canParse(text)) {
    const { protocol, hostname, pathname } = new URL(text);
    if (/^rediss?:$/.test(protocol) && hostname !== "" && /^(\/\d*)?$/.test(pathname)) return;
  }
  // The value may contain a password, also if it is not a URL.
  throw bad(
    `Invalid URL in ${URL_VARIABLE}. Use one such as redis://127.0.0.1:6379 or rediss://user:password@host:6380/0.`,
  );
}

function bad(message: string): UsageError {
  return new UsageError("bad_option", message);
}
