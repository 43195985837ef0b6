import { UsageError } from "../../support/usage-error.ts";

/** A client of ioredis or iovalkey, or a cluster of it. */
export interface CallClient {
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** A client of node-redis (the package `redis`). */
export interface SendCommandClient {
  sendCommand(args: string[]): Promise<unknown>;
}

/** A cluster of node-redis. */
export interface ClusterClient {
  readonly slots: unknown;
  sendCommand(firstKey: string | undefined, isReadonly: boolean | undefined, args: string[]): Promise<unknown>;
}

/** A client of valkey-glide, or a cluster of it. */
export interface CustomCommandClient {
  customCommand(args: string[]): Promise<unknown>;
}

/** A client of Redis or Valkey: ioredis, iovalkey, node-redis or valkey-glide. */
export type RedisClient = CallClient | SendCommandClient | ClusterClient | CustomCommandClient;

/** Sends a command whose first key is known: a cluster finds the server by it. */
export type Send = (key: string | undefined, args: string[]) => Promise<unknown>;

/** The decoder of valkey-glide that returns texts, whatever the client's default is. */
const TEXTS = { decoder: 1 };

/** Returns the function that sends commands through a client. The library is recognized by its methods. */
export function senderOf(client: RedisClient): Send {
  if (has(client, "customCommand")) {
    const glide = client as { customCommand(args: string[], options: object): Promise<unknown> };
    return (_, args) => glide.customCommand(args, TEXTS);
  }
  // Before `sendCommand`, which ioredis also has, with another meaning.
  if (has(client, "call")) return (_, args) => (client as CallClient).call(...(args as [string, ...string[]]));
  if (has(client, "sendCommand")) {
    if ("slots" in client) return (key, args) => (client as ClusterClient).sendCommand(key, false, args);
    return (_, args) => (client as SendCommandClient).sendCommand(args);
  }
  throw new UsageError(
    "wrong_use",
    "redis(client): this is not a client of ioredis, iovalkey, node-redis or valkey-glide. It has none of the methods " +
      "call, sendCommand and customCommand.",
  );
}

/** Returns whether a value has a method of this name. */
export function has<Name extends string>(
  value: unknown,
  name: Name,
): value is Record<Name, (...args: never[]) => unknown> {
  return typeof (value as Record<string, unknown> | null | undefined)?.[name] === "function";
}
