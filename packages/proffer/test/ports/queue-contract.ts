import type { Queue } from "proffer";
import { expect, it } from "vitest";
import { NotYet } from "../../src/nodes/jobs.ts";
import { openGate } from "../gate.ts";

/** The duties of every queue. `fresh` returns two nodes of one empty queue. */
export function queueContract(fresh: () => { readonly a: Queue; readonly b: Queue }): void {
  it("delivers jobs that were pushed before and after the work began", async () => {
    const { a, b } = fresh();
    const done = new Set<string>();
    const jobs = ["a-b_c.D", "123", "0", "x".repeat(80), ...Array.from({ length: 20 }, (_, index) => `job${index}.1`)];
    for (const job of jobs.slice(0, 10)) await a.push(job);
    const work = async (job: string) => {
      done.add(job);
    };
    const workers = [a.work(work, { concurrency: 2 }), b.work(work, { concurrency: 2 })];
    for (const job of jobs.slice(10)) await b.push(job);
    await expect.poll(() => [...done].sort()).toEqual([...jobs].sort());
    await Promise.all(workers.map((worker) => worker.stop(0)));
  });

  it("does not work inside the push", async () => {
    const { a } = fresh();
    let worked = false;
    const worker = a.work(
      async () => {
        worked = true;
      },
      { concurrency: 1 },
    );
    const pushed = a.push("x");
    expect(worked).toBe(false);
    await pushed;
    await expect.poll(() => worked).toBe(true);
    await worker.stop(0);
  });

  it("does not add a job that waits or is worked on, and adds it again when it has ended", async () => {
    const { a, b } = fresh();
    const gate = openGate();
    let runs = 0;
    await a.push("x");
    await b.push("x");
    const work = async (job: string) => {
      if (job === "x") runs++;
      await gate.opened;
    };
    const workers = [a.work(work, { concurrency: 5 }), b.work(work, { concurrency: 5 })];
    await expect.poll(() => runs).toBe(1);
    await a.push("x");
    await b.push("x");
    gate.open();
    // The node that worked on it has ended it when it accepts it again.
    await expect
      .poll(async () => {
        await b.push("x");
        return runs;
      })
      .toBeGreaterThan(1);
    await Promise.all(workers.map((worker) => worker.stop(0)));
  });

  it("works on no more jobs at once than it may", async () => {
    const { a } = fresh();
    const gate = openGate();
    let [running, most, done] = [0, 0, 0];
    const work = async () => {
      most = Math.max(most, ++running);
      if (done > 0 || running === 3) gate.open();
      await gate.opened;
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      done++;
    };
    for (let job = 0; job < 12; job++) await a.push(`job-${job}`);
    const worker = a.work(work, { concurrency: 3 });
    await expect.poll(() => done).toBe(12);
    expect(most).toBe(3);
    await worker.stop(0);
  });

  it("delivers a job again whose work failed", async () => {
    const { a } = fresh();
    let failures = 0;
    const worker = a.work(
      async () => {
        if (failures++ === 0) throw new Error("not yet");
      },
      { concurrency: 1 },
    );
    await a.push("x");
    await expect.poll(() => failures).toBe(2);
    await worker.stop(0);
  });

  it("puts back a job that cannot be worked on yet, and delivers it again once it can", async () => {
    const { a } = fresh();
    const ready = openGate();
    const delivered: string[] = [];
    const work = async (job: string) => {
      delivered.push(job);
      if (job === "late" && delivered.length === 1) throw new NotYet(ready.opened);
    };
    const worker = a.work(work, { concurrency: 1 });
    await a.push("late");
    await a.push("next");
    await expect.poll(() => delivered).toEqual(["late", "next"]);
    await a.push("late");
    ready.open();
    await expect.poll(() => delivered).toEqual(["late", "next", "late"]);
    await worker.stop(0);
  });

  it("delivers a job only to the workers of its server", async () => {
    const { a, b } = fresh();
    const delivered: string[] = [];
    const workFor = (queue: Queue, server: string) =>
      queue.work(async (job) => void delivered.push(`${server} ${job}`), { concurrency: 1, server });
    const worker = workFor(b, "b");
    for (const server of ["a", "b"]) await a.push("x", server);
    await expect.poll(() => delivered).toEqual(["b x"]);
    const other = workFor(b, "a");
    await expect.poll(() => delivered).toEqual(["b x", "a x"]);
    await Promise.all([worker.stop(0), other.stop(0)]);
  });

  it("lets the jobs of a node that stops end, and takes no more", async () => {
    const { a } = fresh();
    const gate = openGate();
    const ended: string[] = [];
    let started = false;
    const worker = a.work(
      async (job, signal) => {
        started = true;
        await gate.opened;
        ended.push(`${job} ${signal.aborted}`);
      },
      { concurrency: 1 },
    );
    await a.push("x");
    await expect.poll(() => started).toBe(true);
    const stopped = [worker.stop(60_000), worker.stop(60_000)];
    await a.push("y");
    gate.open();
    await Promise.all(stopped);
    expect(ended).toEqual(["x false"]);
  });

  it("gives a job that outlasts the grace time to another node at once", async () => {
    const { a, b } = fresh();
    const taken: string[] = [];
    const first = a.work(
      (_, signal) =>
        new Promise((_, reject) => {
          taken.push("a");
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
      { concurrency: 1 },
    );
    await a.push("x");
    await expect.poll(() => taken).toEqual(["a"]);
    const second = b.work(
      async () => {
        taken.push("b");
      },
      { concurrency: 1 },
    );
    await first.stop(0);
    await expect.poll(() => taken).toEqual(["a", "b"]);
    await second.stop(0);
  });
}
