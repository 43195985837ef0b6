import { describe, expect, it } from "vitest";
import { EventLog } from "./event-stream.ts";

const budget = () => ({ used: 0, max: Number.POSITIVE_INFINITY, exceeded() {} });

describe("an event log", () => {
  it("returns the events of one stream after a position", () => {
    const log = new EventLog(1000, budget());
    log.append(1, 1, "a");
    log.append(2, 1, "foreign");
    log.append(1, 2, "b");
    expect(log.after(1, 0)).toEqual(["a", "b"]);
    expect(log.after(1, 1)).toEqual(["b"]);
    expect(log.after(1, 2)).toEqual([]);
    expect(log.after(3, 0)).toBeUndefined();
  });

  it("drops the oldest events when it is full, and reports that some are missing", () => {
    const shared = budget();
    const log = new EventLog(10, shared);
    for (const place of [1, 2, 3]) log.append(1, place, "xxxxx");
    expect(shared.used).toBe(10);
    expect(log.after(1, 0)).toBeUndefined();
    expect(log.after(1, 1)).toEqual(["xxxxx", "xxxxx"]);
    log.append(1, 4, "x".repeat(11));
    expect({ used: shared.used, after: log.after(1, 3) }).toEqual({ used: 0, after: undefined });
  });

  it("keeps a bounded number of small events, and releases its budget", () => {
    const shared = budget();
    const log = new EventLog(1_000_000, shared);
    for (let place = 1; place <= 1500; place++) log.append(1, place, "x");
    expect(log.after(1, 500)).toHaveLength(1000);
    log.clear();
    expect(shared.used).toBe(0);
  });

  it("reports when all logs together exceed the budget", () => {
    let exceeded = 0;
    const shared = { used: 0, max: 5, exceeded: () => void exceeded++ };
    new EventLog(100, shared).append(1, 1, "xxx");
    expect(exceeded).toBe(0);
    new EventLog(100, shared).append(1, 1, "xxx");
    expect(exceeded).toBe(1);
  });
});
