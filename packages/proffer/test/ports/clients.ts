import { GlideClient } from "@valkey/valkey-glide";
import { Redis } from "ioredis";
import { Redis as Iovalkey } from "iovalkey";
import type { RedisClient } from "proffer/redis";
import { createClient } from "redis";
import type { Engine } from "./engine.ts";

export interface TestClient {
  readonly client: RedisClient;
  close(): void;
}

export type Connect = (engine: Pick<Engine, "host" | "port">) => Promise<TestClient>;

/** The client libraries that `redis` accepts, each with the settings of its own defaults. */
export const CLIENTS: readonly (readonly [name: string, connect: Connect])[] = [
  [
    "ioredis",
    async ({ host, port }) => {
      const client = new Redis({ host, port });
      client.on("error", () => {});
      return { client, close: () => client.disconnect() };
    },
  ],
  [
    "iovalkey",
    async ({ host, port }) => {
      const client = new Iovalkey({ host, port });
      client.on("error", () => {});
      return { client, close: () => client.disconnect() };
    },
  ],
  [
    "node-redis",
    async ({ host, port }) => {
      const client = createClient({ socket: { host, port } });
      client.on("error", () => {});
      client.connect().catch(() => {});
      return { client, close: () => client.destroy() };
    },
  ],
  [
    "valkey-glide",
    async ({ host, port }) => {
      const client = await GlideClient.createClient({ addresses: [{ host, port }], requestTimeout: 5_000 });
      return { client, close: () => client.close() };
    },
  ],
];
