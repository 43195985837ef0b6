import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { StoreUnavailable } from "../ports.ts";
import { CommandLimiter, failureOf, isNoScript, isOutage, reporter } from "./commands.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const never = () => new Promise<never>(() => {});

function reasonOf(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error) => (error instanceof StoreUnavailable ? error.reason : error));
}

it("gives each call up at its own time limit, with one timer", async () => {
  const limiter = new CommandLimiter({ commandTimeout: 1_000, maxInFlight: 10 });
  const ended: string[] = [];
  const start = (name: string, send: () => Promise<unknown>) =>
    void reasonOf(limiter.run(send)).then((reason) => ended.push(`${name} ${reason}`));
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
  const limiter = new CommandLimiter({ commandTimeout: 1_000, maxInFlight: 10 });
  let answer = (_: string) => {};
  const call = reasonOf(
    limiter.run(
      () =>
        new Promise<string>((resolve) => {
          answer = resolve;
        }),
    ),
  );
  const lost = reasonOf(limiter.run(never));
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
  const limiter = new CommandLimiter({ commandTimeout: 1_000, maxInFlight: 10 });
  const fail = vi.fn(async () => Promise.reject(new Error("Connection is closed.")));
  for (let call = 0; call < 5; call++) expect(await reasonOf(limiter.run(fail))).toBe("disconnected");
  expect(await reasonOf(limiter.run(fail))).toBe("suspended");
  await vi.advanceTimersByTimeAsync(999);
  expect(await reasonOf(limiter.run(fail))).toBe("suspended");
  await vi.advanceTimersByTimeAsync(1);
  const probes = [reasonOf(limiter.run(fail)), reasonOf(limiter.run(fail))];
  expect(await Promise.all(probes)).toEqual(["disconnected", "suspended"]);
  expect(fail).toHaveBeenCalledTimes(6);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await limiter.run(async () => "reply")).toBe("reply");
  for (let call = 0; call < 4; call++) expect(await reasonOf(limiter.run(fail))).toBe("disconnected");
  expect(await limiter.run(async () => "reply")).toBe("reply");
});

it("counts calls that it gave up until the library settles them", async () => {
  const limiter = new CommandLimiter({ commandTimeout: 1_000, maxInFlight: 2 });
  let settle = () => {};
  const first = reasonOf(
    limiter.run(
      () =>
        new Promise<void>((resolve) => {
          settle = resolve;
        }),
    ),
  );
  const second = reasonOf(limiter.run(never));
  expect(await reasonOf(limiter.run(async () => 1))).toBe("overloaded");
  await vi.advanceTimersByTimeAsync(1_001);
  expect(await Promise.all([first, second])).toEqual(["timeout", "timeout"]);
  expect(await reasonOf(limiter.run(async () => 1))).toBe("overloaded");
  settle();
  await vi.advanceTimersByTimeAsync(0);
  expect(await limiter.run(async () => 1)).toBe(1);
});

it("reports a client that throws", async () => {
  const limiter = new CommandLimiter({ commandTimeout: 1_000, maxInFlight: 2 });
  const thrown = () => {
    throw new Error("The client is closed");
  };
  expect(await reasonOf(limiter.run(thrown))).toBe("disconnected");
});

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

it.each([
  ["ReplyError", "READONLY You can't write against a read only replica. script: 8d, on @user_script:35.", "readonly"],
  ["RequestError", "An error was signalled by the server: - ReadOnly: You can't write", "readonly"],
  ["ReplyError", "LOADING Redis is loading the dataset in memory", "loading"],
  ["RequestError", "An error was signalled by the server: - BusyLoadingError: Redis is loading", "loading"],
  ["SimpleError", "OOM command not allowed when used memory > 'maxmemory'.", "full"],
  ["RequestError", "OOM: command not allowed when used memory > 'maxmemory'.", "full"],
  ["ReplyError", "MISCONF Redis is configured to save RDB snapshots", "full"],
  ["ReplyError", "CLUSTERDOWN The cluster is down", "cluster"],
  ["RequestError", "An error was signalled by the server: - ClusterDown: x", "cluster"],
  ["ReplyError", "MASTERDOWN Link with MASTER is down", "cluster"],
  ["ReplyError", "MOVED 3999 127.0.0.1:6381", "cluster"],
  ["ReplyError", "BUSY Redis is busy running a script.", "busy"],
  ["RequestError", "BUSY: Redis is busy running a script.", "busy"],
  ["ReplyError", "NOAUTH Authentication required.", "access"],
  ["SimpleError", "WRONGPASS invalid username-password pair", "access"],
  ["RequestError", "An error was signalled by the server: - PermissionDenied: this user has no permissions", "access"],
  ["ReplyError", "NOREPLICAS Not enough good replicas to write.", "replicas"],
  ["Error", "Connection is closed.", "disconnected"],
  ["MaxRetriesPerRequestError", "Reached the max retries per request limit (which is 20).", "disconnected"],
  ["SocketClosedUnexpectedlyError", "Socket closed unexpectedly", "disconnected"],
  ["ClosingError", "", "disconnected"],
  ["RequestError", "Received connection error `Connection reset by peer`. Will attempt to reconnect", "disconnected"],
])("%s: %s → %s", (name, message, reason) => {
  const cause = named(name, message);
  const failure = failureOf(cause);
  expect(failure).toBeInstanceOf(StoreUnavailable);
  expect(failure).toMatchObject({ reason, cause, kind: "busy" });
  // The text for the client says nothing about the operator's machines.
  expect((failure as Error).message).not.toContain(message || "Redis");
});

it.each([
  ["ReplyError", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["ErrorReply", "ERR unknown command"],
  ["RequestError", "An error was signalled by the server: - ResponseError: unknown command"],
  ["RequestError", "WRONGTYPE: Operation against a key"],
  ["TypeError", "is not a function"],
])("leaves a bug as it is: %s: %s", (name, message) => {
  const error = name === "TypeError" ? new TypeError(message) : named(name, message);
  expect(failureOf(error)).toBe(error);
});

it("knows the reply for a script that the server does not have", () => {
  expect(isNoScript(new Error("NOSCRIPT No matching script. Please use EVAL."))).toBe(true);
  expect(isNoScript(new Error("An error was signalled by the server: - NoScriptError: No matching script."))).toBe(
    true,
  );
  expect(isNoScript(new Error("ERR other"))).toBe(false);
});

it("does not suspend calls because memory is full or access is denied", () => {
  expect(["timeout", "disconnected", "readonly", "loading", "cluster", "busy"].every(outage)).toBe(true);
  expect(["full", "access", "replicas", "suspended", "overloaded"].some(outage)).toBe(false);
  expect(isOutage(new Error("bug"))).toBe(false);
});

function outage(reason: string): boolean {
  return isOutage(new StoreUnavailable(reason as "timeout"));
}

it("passes errors on, and survives those of the function that receives them", async () => {
  vi.useRealTimers();
  const error = new Error("of Redis");
  const onError = vi.fn();
  reporter(onError)(error);
  expect(onError).toHaveBeenCalledWith(error);
  reporter(undefined)(error);
  reporter(() => {
    throw new Error("of the author");
  })(error);
  reporter(async () => {
    throw new Error("of the author");
  })(error);
  await new Promise((resolve) => setImmediate(resolve));
});
