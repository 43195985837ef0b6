import { memoryCluster } from "proffer/testing";
import { describe } from "vitest";
import { busContract } from "./bus-contract.ts";
import { queueContract } from "./queue-contract.ts";
import { storeContract } from "./store-contract.ts";

describe("the store in memory", () => {
  storeContract(() => ({ store: memoryCluster().store, key: (name) => name }));
});

describe("the bus in memory", () => {
  busContract(() => {
    const { bus } = memoryCluster();
    return { a: bus, b: bus, topic: (name) => name };
  });
});

describe("the queue in memory", () => {
  queueContract(() => {
    const { queue } = memoryCluster();
    return { a: queue, b: queue };
  });
});
