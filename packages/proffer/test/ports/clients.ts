import { GlideClient, Logger } from "@valkey/valkey-glide";
import { Redis } from "ioredis";
import { Redis as Iovalkey } from "iovalkey";
import type { RedisClient } from "proffer/redis";
import { createClient } from "redis";
import type { Engine } from "./engine.ts";

// It writes a line for each error reply.
Logger.setLoggerConfig("off");

export interface TestClient {
  readonly client: RedisClient;
  close(): void;
}

/** The user of a connection; without one, the default user. */
interface Credentials {
  readonly username: string;
  readonly password: string;
}

export type Connect = (engine: Pick<Engine, "host" | "port">, user?: Credentials) => Promise<TestClient>;

/** The client libraries that `redis` accepts, each with the settings of its own defaults. */
export const CLIENTS: readonly (readonly [name: string, connect: Connect])[] = [
  [
    "ioredis",
    async ({ host, port }, user) => {
      const client = new Redis({ host, port, ...user });
      client.on("error", () => {});
      return { client, close: () => client.disconnect() };
    },
  ],
  [
    "iovalkey",
    async ({ host, port }, user) => {
      const client = new Iovalkey({ host, port, ...user });
      client.on("error", () => {});
      return { client, close: () => client.disconnect() };
    },
  ],
  [
    "node-redis",
    async ({ host, port }, user) => {
      const client = createClient({ socket: { host, port }, ...user });
      client.on("error", () => {});
      client.connect().catch(() => {});
      return { client, close: () => client.destroy() };
    },
  ],
  [
    "valkey-glide",
    async ({ host, port }, user) => {
      const addresses = [{ host, port }];
      const settings = { addresses, requestTimeout: 5_000, ...(user && { credentials: user }) };
      const client = await GlideClient.createClient(settings);
      return { client, close: () => client.close() };
    },
  ],
];
