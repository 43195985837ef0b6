import { memoryCluster } from "proffer/testing";
import { describe, it } from "vitest";
import { busContract } from "./bus-contract.ts";
import { queueContract } from "./queue-contract.ts";
import { storeContract } from "./store-contract.ts";
import { checkModel } from "./store-model.ts";

describe("the store in memory", () => {
  storeContract(() => ({ store: memoryCluster().store, key: (name) => name }));

  it("behaves as the model does", () =>
    checkModel(1_000, () => ({ store: memoryCluster().store, key: (name) => name })));
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
