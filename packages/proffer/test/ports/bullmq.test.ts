import { Queue, Worker } from "bullmq";
import { bullmq } from "proffer/bullmq";
import { afterAll } from "vitest";
import { describeWithEngine, sharedEngine } from "./engine.ts";
import { queueContract } from "./queue-contract.ts";

const engine = await sharedEngine();
const run = Math.random().toString(36).slice(2);
let tests = 0;

describeWithEngine("the queue on BullMQ", engine, ({ host, port }) => {
  const opened: ReturnType<typeof bullmq>[] = [];
  afterAll(() => Promise.all(opened.map((queue) => queue.close())));

  queueContract(() => {
    // The machine that runs the tests may be busy: an outage is another test.
    const options = { Queue, Worker, connection: { host, port }, prefix: `${run}.${++tests}`, commandTimeout: 60_000 };
    const [a, b] = [bullmq(options), bullmq(options)];
    opened.push(a, b);
    return { a, b };
  });
});
