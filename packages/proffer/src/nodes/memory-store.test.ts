import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ExpiringMap, MemorySharedStore } from "./memory-store.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it("removes expired entries in slices, and sleeps when there are none", async () => {
  const entries = new ExpiringMap<{ expires: number }>();
  const now = Date.now();
  for (let key = 0; key < 25_000; key++) entries.set(`${key}`, { expires: now + (key % 2 === 0 ? 1_000 : 60_000) });
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(30_000);
  // The first slice looked at 10,000.
  expect(entries.size).toBe(20_000);
  await vi.advanceTimersByTimeAsync(10);
  expect(entries.size).toBe(12_500);
  await vi.advanceTimersByTimeAsync(61_000);
  expect(entries.size).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

it("forgets expired records and logs without being asked for them", async () => {
  const store = new MemorySharedStore();
  store.change("a", { set: { x: "1" }, expire: 1_000 });
  store.append("a", [{ place: 1, text: "t" }], { entries: 1, bytes: 1, milliseconds: 1_000 });
  expect(vi.getTimerCount()).toBe(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(vi.getTimerCount()).toBe(0);
});

it("refuses texts that do not fit, and accepts others when records have gone", () => {
  const records = new MemorySharedStore(1_000);
  const half = "x".repeat(499);
  records.change("a", { set: { t: half } });
  records.change("b", { setOnce: { t: half } });
  expect(() => records.change("a", { set: { more: "y" } })).toThrow("memory for tasks and sessions is full");
  expect(() => records.change("c", { set: { t: "y" } })).toThrow("full");
  expect(records.read("a", ["more"])).toEqual({});
  expect(records.change("a", { add: { n: 1 }, returning: ["n"] })).toEqual({ made: true, fields: { n: "1" } });
  records.change("a", { remove: ["t"] });
  expect(records.change("c", { set: { t: "y" } }).made).toBe(true);
  records.remove("b");
  records.change("d", { set: { t: half }, expire: 1_000 });
  vi.advanceTimersByTime(1_001);
  expect(records.read("d")).toBeUndefined();
  records.change("e", { set: { t: half } });
  expect(records.change("f", { set: { t: half.slice(100) } }).made).toBe(true);
});
