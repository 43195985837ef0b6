import { defineServer } from "proffer";
import { telemetry } from "proffer/telemetry";
import { connect, memoryCluster } from "proffer/testing";
import { expect, it } from "vitest";
import { addMetrics } from "../../src/server/metrics.ts";
import { stateOf } from "../../src/server/server.ts";
import { startSdk } from "./sdk.ts";

it("the numbers of server.metrics() are exported for each server, when they are collected", async () => {
  const sdk = startSdk();
  const observe = telemetry(sdk.options);
  const define = (name: string) => defineServer({ name, version: "1", observe, cluster: memoryCluster(), tools: [] });
  const [one, two] = [define("one"), define("two")];
  const clients = [await connect(one), await connect(two)];
  let jobs = 3;
  addMetrics(stateOf(two), "jobs", () => ({ waiting: jobs, done: 7 }), ["waiting"]);
  one.notify("a://1");
  await expect.poll(() => one.metrics().changes?.published).toBe(1);
  jobs = 2;
  const values = async (name: string) => (await sdk.points(name)).map(({ attributes, value }) => [attributes, value]);
  expect(await values("proffer.changes.published")).toEqual([
    [{ "proffer.server": "one" }, 1],
    [{ "proffer.server": "two" }, 0],
  ]);
  expect(await values("proffer.jobs.waiting")).toEqual([[{ "proffer.server": "two" }, 2]]);
  expect(await values("proffer.jobs.done")).toEqual([[{ "proffer.server": "two" }, 7]]);
  for (const client of clients) await client.close();
});

it("sources of one part are added up", () => {
  const server = defineServer({ name: "sums", version: "1" });
  expect(server.metrics()).toEqual({});
  addMetrics(stateOf(server), "jobs", () => ({ waiting: 1 }));
  addMetrics(stateOf(server), "jobs", () => ({ waiting: 2, done: 1 }));
  expect(server.metrics()).toEqual({ jobs: { waiting: 3, done: 1 } });
});
