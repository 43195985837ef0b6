import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { bullmq } from "proffer/bullmq";
import { StoreUnavailable } from "proffer/redis";
import { afterAll, expect, it } from "vitest";
import { describeWithEngine, findEngine, startEngine } from "./engine.ts";

const found = findEngine(process.env);
const engine = found === undefined || found.kind === "address" ? undefined : await startEngine(found);

describeWithEngine("BullMQ on an engine that fails", engine, (engine) => {
  const connection = { host: engine.host, port: engine.port };
  afterAll(() => engine.stop());

  it("refuses jobs while the engine is frozen or away, and accepts them when it is back", async () => {
    const queue = bullmq({ Queue, Worker, connection, prefix: "a", commandTimeout: 300 });
    const push = (job: string) =>
      Promise.resolve(queue.push(job)).then(
        () => "accepted",
        (error: unknown) => (error instanceof StoreUnavailable ? error.reason : error),
      );
    const done: string[] = [];
    const worker = queue.work(async (job) => void done.push(job), { concurrency: 1 });
    await expect.poll(() => push("first")).toBe("accepted");
    await expect.poll(() => done).toContain("first");
    engine.signal("SIGSTOP");
    expect(await push("late")).toBe("timeout");
    engine.signal("SIGCONT");
    await expect.poll(() => push("second")).toBe("accepted");
    await expect.poll(() => done).toContain("second");
    engine.signal("SIGKILL");
    const reasons = [];
    for (let call = 0; call < 8; call++) reasons.push(await push("third"));
    expect(reasons).not.toContain("accepted");
    expect(reasons.at(-1)).toBe("suspended");
    await engine.restart();
    await expect.poll(() => push("third")).toBe("accepted");
    await expect.poll(() => done).toContain("third");
    await worker.stop(0);
    await queue.close();
  });

  it("delivers the job of a node that was killed to another node", async () => {
    const library = fileURLToPath(new URL("../../dist/bullmq.js", import.meta.url));
    const code = `import { Queue, Worker } from "bullmq";
      import { bullmq } from ${JSON.stringify(library)};
      const queue = bullmq({ Queue, Worker, connection: ${JSON.stringify(connection)}, prefix: "b", lockDuration: 1000 });
      queue.work(async (job) => { console.log(job); await new Promise(() => {}); }, { concurrency: 1 });`;
    const node = spawn(process.execPath, ["--input-type=module", "-e", code], {
      cwd: fileURLToPath(new URL("../../", import.meta.url)),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const queue = bullmq({ Queue, Worker, connection, prefix: "b", lockDuration: 1_000, commandTimeout: 60_000 });
    await queue.push("job");
    expect(String(await once(node.stdout, "data"))).toBe("job\n");
    node.kill("SIGKILL");
    const done: string[] = [];
    const worker = queue.work(async (job) => void done.push(job), { concurrency: 1 });
    await expect.poll(() => done).toEqual(["job"]);
    await worker.stop(0);
    await queue.close();
  });

  it("stops while the engine is away", async () => {
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const client = new Redis(connection);
    client.on("error", () => {});
    const queue = bullmq({ Queue, Worker, connection: client, prefix: "c", onError });
    let started = false;
    const worker = queue.work(
      (_, signal) =>
        new Promise((_, reject) => {
          started = true;
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
      { concurrency: 1 },
    );
    await expect.poll(() => Promise.resolve(queue.push("job")).catch((error) => error)).toBeUndefined();
    await expect.poll(() => started).toBe(true);
    engine.signal("SIGKILL");
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    await worker.stop(0);
    client.disconnect();
  });
});
