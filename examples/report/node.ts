// One of several nodes that share a Redis. `PROFFER_REDIS_URL` does the same for server.ts without code; here the time
// after which the tasks of a node that died go to another one is shorter.
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { defineServer } from "proffer";
import { bullmq } from "proffer/bullmq";
import { redis } from "proffer/redis";
import { defineSettings } from "proffer/settings";

export { salesReport } from "./server.ts";

const settings = defineSettings<{
  /** The port of the Redis. */
  REPORT_REDIS_PORT: number;
  /** Separates this server from others in the same Redis. @default "report" */
  REPORT_PREFIX: string;
}>();

const connection = { host: "127.0.0.1", port: settings.REPORT_REDIS_PORT };
const prefix = settings.REPORT_PREFIX;
const client = new Redis({ ...connection, enableOfflineQueue: false });
client.on("error", (error) => console.error(error.message));

export const server = defineServer({
  name: "report",
  version: "1.0.0",
  cluster: {
    ...redis(client, { prefix }),
    queue: bullmq({ Queue, Worker, connection, prefix, lockDuration: 1500 }),
  },
});
