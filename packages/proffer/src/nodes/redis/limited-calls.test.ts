import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { StoreUnavailable } from "../ports.ts";
import { Guard } from "./limited-calls.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const never = () => new Promise<never>(() => {});

function reasonOf(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error) => (error instanceof StoreUnavailable ? error.reason : error));
}

it("gives each call up at its own time limit, with one timer", async () => {
  const guard = new Guard({ commandTimeout: 1_000, maxInFlight: 10 });
  const ended: string[] = [];
  const start = (name: string, send: () => Promise<unknown>) =>
    void reasonOf(guard.run(send)).then((reason) => ended.push(`${name} ${reason}`));
  start("a", never);
  await vi.advanceTimersByTimeAsync(400);
  start("b", async () => "reply");
  start("c", never);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(599);
  expect(ended).toEqual(["b reply"]);
  await vi.advanceTimersByTimeAsync(2);
  expect(ended).toEqual(["b reply", "a timeout"]);
  await vi.advanceTimersByTimeAsync(398);
  expect(ended).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(3);
  expect(ended).toEqual(["b reply", "a timeout", "c timeout"]);
  expect(vi.getTimerCount()).toBe(0);
});

it("reads replies before it gives calls up, if the event loop was blocked", async () => {
  const guard = new Guard({ commandTimeout: 1_000, maxInFlight: 10 });
  let answer = (_: string) => {};
  const call = reasonOf(
    guard.run(
      () =>
        new Promise<string>((resolve) => {
          answer = resolve;
        }),
    ),
  );
  const lost = reasonOf(guard.run(never));
  // The clock jumps without the timers: nothing ran for five seconds.
  vi.setSystemTime(Date.now() + 5_000);
  const now = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => now + 5_000);
  await vi.advanceTimersByTimeAsync(1_000);
  answer("reply");
  expect(await call).toBe("reply");
  vi.mocked(performance.now).mockImplementation(() => now + 5_060);
  await vi.advanceTimersByTimeAsync(60);
  expect(await lost).toBe("timeout");
  vi.restoreAllMocks();
});

it("does not try calls for a second after five failures in a row, then one", async () => {
  const guard = new Guard({ commandTimeout: 1_000, maxInFlight: 10 });
  const fail = vi.fn(async () => Promise.reject(new Error("Connection is closed.")));
  for (let call = 0; call < 5; call++) expect(await reasonOf(guard.run(fail))).toBe("disconnected");
  expect(await reasonOf(guard.run(fail))).toBe("suspended");
  await vi.advanceTimersByTimeAsync(999);
  expect(await reasonOf(guard.run(fail))).toBe("suspended");
  await vi.advanceTimersByTimeAsync(1);
  const probes = [reasonOf(guard.run(fail)), reasonOf(guard.run(fail))];
  expect(await Promise.all(probes)).toEqual(["disconnected", "suspended"]);
  expect(fail).toHaveBeenCalledTimes(6);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await guard.run(async () => "reply")).toBe("reply");
  for (let call = 0; call < 4; call++) expect(await reasonOf(guard.run(fail))).toBe("disconnected");
  expect(await guard.run(async () => "reply")).toBe("reply");
});

it("counts calls that it gave up until the library settles them", async () => {
  const guard = new Guard({ commandTimeout: 1_000, maxInFlight: 2 });
  let settle = () => {};
  const first = reasonOf(
    guard.run(
      () =>
        new Promise<void>((resolve) => {
          settle = resolve;
        }),
    ),
  );
  const second = reasonOf(guard.run(never));
  expect(await reasonOf(guard.run(async () => 1))).toBe("overloaded");
  await vi.advanceTimersByTimeAsync(1_001);
  expect(await Promise.all([first, second])).toEqual(["timeout", "timeout"]);
  expect(await reasonOf(guard.run(async () => 1))).toBe("overloaded");
  settle();
  await vi.advanceTimersByTimeAsync(0);
  expect(await guard.run(async () => 1)).toBe(1);
});

it("reports a client that throws", async () => {
  const guard = new Guard({ commandTimeout: 1_000, maxInFlight: 2 });
  const thrown = () => {
    throw new Error("The client is closed");
  };
  expect(await reasonOf(guard.run(thrown))).toBe("disconnected");
});
