// One node, in its own process: node main.mjs <settings as JSON>
// It waits for a message when it is loaded, then serves. It ends with its parent, whose end closes the channel.
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { defineServer } from "proffer";
import { bullmq } from "proffer/bullmq";
import { serveHttp } from "proffer/http";
import { redis } from "proffer/redis";
import { createSessionParts } from "../session-parts.mjs";
import { createTool } from "../tool.mjs";
import { traceCluster } from "../traced-cluster.mjs";

const { redisPort, effects, lockDuration, durability, port = 0, clock = 0, drain = 0 } = JSON.parse(process.argv[2]);

if (clock !== 0) {
  const now = Date.now;
  Date.now = () => now() + clock;
}

process.on("SIGINT", () => {});
process.once("disconnect", () => process.exit());
process.send("loaded");
await once(process, "message");

const connection = { host: "127.0.0.1", port: redisPort };
// Errors of connections are expected; only the outcome counts.
const onError = () => {};
const client = new Redis({ ...connection, maxRetriesPerRequest: 1 });
client.on("error", onError);
const queue = bullmq({ Queue, Worker, connection, prefix: "faults", lockDuration, onError });
// One write each: lines of several processes do not mix.
const note = (...event) => appendFileSync(effects, `${event.join(" ")}\n`);
const parts = createSessionParts((uri) => server.notify(uri));
const server = defineServer({
  name: "faults",
  version: "1.0.0",
  keys: [new Uint8Array(32).fill(7)],
  cluster: traceCluster({ ...redis(client, { prefix: "faults", durability, onError }), queue }, (...run) =>
    note("run", ...run),
  ),
  tools: [createTool(note, (milliseconds) => sleep(milliseconds)), ...parts.tools],
  resources: parts.resources,
  limits: { tasks: 10_000_000 },
  log: () => {},
});
/** The token is the id of the principal; a caller without one is anonymous. */
const authenticate = (request) => {
  const token = request.header("authorization")?.slice("Bearer ".length);
  return token === undefined ? undefined : { id: token };
};
const service = await serveHttp(server, { port, health: true, authenticate });

process.once("SIGTERM", async () => {
  await service.close(drain);
  process.exit();
});
process.send({ port: service.port });
