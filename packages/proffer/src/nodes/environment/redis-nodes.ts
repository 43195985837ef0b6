import { findKeys } from "../../server/keys.ts";
import { requireLifespan } from "../../server/lifespan.ts";
import { overrideOptions } from "../../server/overrides.ts";
import { type Server, type ServerState, stateOf } from "../../server/server.ts";
import { messageOf } from "../../support/log.ts";
import { UsageError } from "../../support/usage-error.ts";

/** The settings of the environment for the nodes of a server. */
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

/**
 * Reads the variables. There are no flags: other users of a machine see the arguments of a process, and the URL may
 * contain a password.
 * @throws {UsageError} for invalid values. A password is not part of the message.
 */
export function toClusterSettings(variables: NodeJS.ProcessEnv): ClusterSettings {
  const read = (name: string, form: RegExp, remedy: string) => {
    const value = variables[name] || undefined;
    if (value === undefined || form.test(value)) return value;
    throw new UsageError(`Invalid value of ${name}: ${JSON.stringify(value)}. ${remedy}`);
  };
  const url = variables[URL_VARIABLE] || undefined;
  if (url !== undefined) checkRedisUrl(url);
  else if (variables[PREFIX_VARIABLE]) throw new UsageError(`${PREFIX_VARIABLE} requires ${URL_VARIABLE}.`);
  // Redis finds the server of a key by its part in braces, and BullMQ separates its own parts by colons.
  const prefix = read(PREFIX_VARIABLE, /^[\w.-]{1,100}$/, 'Use letters, digits, ".", "_" and "-".');
  const tasks = read("PROFFER_TASKS", /^(serve|work|both)$/, "Use serve, work or both.") as ClusterSettings["tasks"];
  const concurrency = read("PROFFER_TASK_CONCURRENCY", /^[1-9]\d{0,5}$/, "Use a whole number from 1 to 999999.");
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
  throw new UsageError(
    `Invalid URL in ${URL_VARIABLE}. Use one such as redis://127.0.0.1:6379 or rediss://user:password@host:6380/0.`,
  );
}

/** The longest time in milliseconds between two attempts to connect. */
const LONGEST_DELAY = 5000;

/**
 * Makes servers nodes of their clusters, before they are served. The connections close with the last of the servers.
 * A server whose code has a cluster keeps it.
 * @throws {UsageError} for settings that cannot work, or if a package is not installed. A Redis that cannot be reached is
 *   no error: the servers start without it.
 */
export async function applyClusterSettings(servers: readonly Server[], settings: ClusterSettings): Promise<void> {
  const { url, tasks, taskConcurrency } = settings;
  for (const server of servers) overrideOptions(server, { tasks, taskConcurrency });
  const states = servers.map(stateOf);
  if (url !== undefined) await joinRedis(states.filter(lacksCluster), url, settings.prefix);
  const alone = states.find(({ cluster }) => cluster === undefined);
  if (alone !== undefined && (tasks === "serve" || tasks === "work")) {
    throw new UsageError(`PROFFER_TASKS=${tasks} is for servers on several nodes: set ${URL_VARIABLE}, too.`);
  }
}

/** Code knows better than the environment, but the person who set the variable should know that it has no effect. */
function lacksCluster({ cluster, log }: ServerState): boolean {
  if (cluster === undefined) return true;
  log({ level: "warning", message: `This server sets the option cluster, so ${URL_VARIABLE} has no effect on it` });
  return false;
}

async function joinRedis(states: readonly ServerState[], url: string, prefix: string | undefined): Promise<void> {
  if (states.length === 0) return;
  for (const state of states) checkServer(state);
  const prefixes = prefixesOf(states, prefix);
  const hasTasks = states.some(usesTasks);
  const [{ Redis }, library] = await Promise.all([
    load<typeof import("ioredis")>("ioredis"),
    hasTasks ? load<typeof import("bullmq")>("bullmq") : undefined,
  ]);
  const { redis } = await import("../redis/redis.ts");
  const client = new Redis(url, {
    // Otherwise commands would wait until the connection is back, instead of failing at once.
    enableOfflineQueue: false,
    retryStrategy: (attempts) => Math.min(100 * 2 ** Math.min(attempts, 10), LONGEST_DELAY),
  });
  reportOutages(client, states, url);
  let open = states.length;
  for (const [index, state] of states.entries()) {
    const own = prefixes[index] as string;
    const shared = redis(client, {
      prefix: own,
      onError: (error) =>
        state.log({ level: "error", message: "A message of another node could not be handled", error }),
    });
    const queue = library && usesTasks(state) ? await createQueue(library, client, own) : undefined;
    state.cluster = { store: shared.store, bus: shared.bus, ...(queue && { queue }) };
    state.store = shared.store;
    state.features.need();
    state.log({
      level: "info",
      message: "The nodes of this server share a Redis",
      url: withoutPassword(url),
      prefix: own,
    });
    requireLifespan(state).onClosed(async () => {
      shared.close();
      await queue?.close();
      if (--open === 0) client.disconnect();
    });
  }
}

async function createQueue(library: typeof import("bullmq"), connection: object, prefix: string) {
  const { bullmq } = await import("../bullmq/bullmq.ts");
  return bullmq({ Queue: library.Queue, Worker: library.Worker, connection, prefix });
}

function usesTasks({ tools }: ServerState): boolean {
  return [...tools].some(({ task }) => task !== undefined);
}

/** @throws {UsageError} for a server that cannot share a Redis with other nodes. */
function checkServer({ info, options }: ServerState): void {
  if (options.store !== undefined) {
    throw new UsageError(
      `Server "${info.name}" sets the option store, so it cannot use ${URL_VARIABLE}. Remove one of them.`,
    );
  }
  // Nodes with different keys could not read each other's tasks and sessions.
  if (findKeys(options.keys) !== undefined) return;
  throw new UsageError(
    `${URL_VARIABLE} requires PROFFER_KEYS, with the same value on all nodes. Generate it with: openssl rand -base64 32`,
  );
}

/** The prefix of each server: two servers must not meet in one Redis. @throws {UsageError} */
function prefixesOf(states: readonly ServerState[], prefix: string | undefined): readonly string[] {
  const names = states.map(({ info }) => info.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new UsageError(
      `Two servers have the name ${JSON.stringify(twice)}. With ${URL_VARIABLE}, their names must differ.`,
    );
  }
  if (prefix === undefined) return names;
  return states.length === 1 ? [prefix] : names.map((name) => `${prefix}-${name}`);
}

interface Connection {
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "ready", listener: () => void): unknown;
}

/** Logs when Redis goes and when it comes back, once each: the client tries to connect again and again. */
function reportOutages(client: Connection, states: readonly ServerState[], url: string): void {
  let isAway = false;
  const report = (level: "error" | "info", message: string, details: object = {}) => {
    for (const { log } of states) log({ level, message, url: withoutPassword(url), ...details });
  };
  client.on("error", (error) => {
    // Only its message: the error of a refused login contains the password.
    if (!isAway) report("error", "Redis cannot be reached; trying again", { reason: messageOf(error) });
    isAway = true;
  });
  client.on("ready", () => {
    if (isAway) report("info", "Redis can be reached again");
    isAway = false;
  });
}

/**
 * Imports a package that only the environment asks for. Its name is not a literal, so bundlers leave it out: most servers
 * never need it, and bullmq may load native code. @throws {UsageError} if the package is not installed.
 */
async function load<Module>(name: "ioredis" | "bullmq"): Promise<Module> {
  try {
    return (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as Module;
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const reason = name === "bullmq" ? " for tools with task" : "";
    const message = `${URL_VARIABLE} needs the package ${name}${reason}: npm install ${name}`;
    throw new UsageError(message, "missing_peer", { cause: error });
  }
}

/** The URL for people. */
function withoutPassword(text: string): string {
  const url = new URL(text);
  url.username = "";
  url.password = "";
  url.search = "";
  return url.href;
}
