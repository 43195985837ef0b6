import { UsageError } from "../../support/usage-error.ts";
import type { RedisClient } from "./client.ts";

/** Options of `redis`. */
export interface RedisOptions {
  /** The beginning of all keys and channels: servers that share a Redis need different ones. Default: "proffer". */
  readonly prefix?: string;
  /** Milliseconds in which each command must be answered. Default: 1,000. */
  readonly commandTimeout?: number;
  /** Commands that may wait for their replies at once; more are refused. Default: 10,000. */
  readonly maxInFlight?: number;
  /**
   * "replicated": changes that must not be lost, such as the creation of a task, are answered when a replica has them
   * too, and fail if none confirms within half a second. Default: "local".
   */
  readonly durability?: "local" | "replicated";
  /**
   * A client whose connection settings are used for subscriptions. Needed with a cluster; otherwise `client` is
   * duplicated. valkey-glide: a client without a callback for messages.
   */
  readonly subscriber?: RedisClient;
  /** Receives errors that a listener of the bus throws. Default: they are ignored. */
  readonly onError?: (error: unknown) => void;
}

/** @throws {UsageError} */
export function checkOptions(options: RedisOptions): Required<Omit<RedisOptions, "subscriber" | "onError">> {
  const { prefix = "proffer", commandTimeout = 1_000, maxInFlight = 10_000, durability = "local" } = options;
  if (typeof prefix !== "string" || prefix === "" || prefix.length > 200) {
    throw bad(`prefix must be a text of 1 to 200 characters, not ${JSON.stringify(prefix)}.`);
  }
  for (const [name, value] of Object.entries({ commandTimeout, maxInFlight })) {
    // The longest time of a timer.
    if (Number.isInteger(value) && value > 0 && value < 2 ** 31) continue;
    throw bad(`${name} must be a positive whole number, not ${JSON.stringify(value)}.`);
  }
  if (durability !== "local" && durability !== "replicated") {
    throw bad(`durability must be "local" or "replicated", not ${JSON.stringify(durability)}.`);
  }
  return { prefix, commandTimeout, maxInFlight, durability };
}

function bad(text: string): UsageError {
  return new UsageError("bad_option", `redis(client, options): ${text}`);
}
