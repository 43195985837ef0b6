import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { SubscriberEvents } from "./client.ts";
import type { Commands } from "./commands.ts";
import { RedisBus } from "./redis.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A bus on connections that a test controls. */
function setUp() {
  const connections: { events: SubscriberEvents; channels: Set<string>; closed: boolean; dead: boolean }[] = [];
  let [refuses, away] = [0, false];
  const failed = vi.fn();
  const commands = {
    run: async (_: unknown, [, channel = "", message = ""]: string[]) => {
      if (away) throw new Error("away");
      for (const { channels, dead, events } of connections) {
        if (!dead && channels.has(channel)) events.heard(channel, message);
      }
    },
  } as unknown as Commands;
  const bus = new RedisBus(
    commands,
    "p",
    (events) => {
      const connection = { events, channels: new Set<string>(), closed: false, dead: false };
      connections.push(connection);
      return {
        subscribe: async (channels) => {
          if (refuses-- > 0) throw new Error("not now");
          for (const channel of channels) connection.channels.add(channel);
        },
        unsubscribe: async (channels) => {
          for (const channel of channels) connection.channels.delete(channel);
        },
        close: () => {
          connection.closed = true;
          connection.dead = true;
        },
      };
    },
    failed,
  );
  const listener = { heard: vi.fn(), missed: vi.fn() };
  return {
    bus,
    connections,
    listener,
    failed,
    refuse: (times: number) => {
      refuses = times;
    },
    leaves: (value: boolean) => {
      away = value;
    },
  };
}

const turn = () => vi.advanceTimersByTimeAsync(0);

it("reports a gap when a subscription takes effect, and to nobody who heard all", async () => {
  const { bus, connections, listener } = setUp();
  bus.subscribe("a", listener);
  await turn();
  expect(listener.missed).not.toHaveBeenCalled();
  connections[0]?.events.ready();
  await turn();
  expect(listener.missed).toHaveBeenCalledTimes(1);
  const second = { heard: vi.fn(), missed: vi.fn() };
  bus.subscribe("a", second);
  const other = { heard: vi.fn(), missed: vi.fn() };
  bus.subscribe("b", other);
  await turn();
  expect(second.missed).not.toHaveBeenCalled();
  expect(listener.missed).toHaveBeenCalledTimes(1);
  expect(other.missed).toHaveBeenCalledTimes(1);
  connections[0]?.events.ready();
  await turn();
  for (const { missed } of [listener, second, other]) expect(missed).toHaveBeenCalled();
  expect(listener.missed).toHaveBeenCalledTimes(2);
});

it("tries a subscription again that was refused", async () => {
  const { bus, connections, listener, refuse } = setUp();
  refuse(2);
  bus.subscribe("a", listener);
  connections[0]?.events.ready();
  await vi.advanceTimersByTimeAsync(400);
  expect(listener.missed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(700);
  expect(listener.missed).toHaveBeenCalledTimes(1);
});

it("unsubscribes from a topic that nobody listens to, also if it was left while there was no connection", async () => {
  const { bus, connections, listener } = setUp();
  const leave = bus.subscribe("a", listener);
  connections[0]?.events.ready();
  await turn();
  expect(connections[0]?.channels).toContain("p:b:a");
  leave();
  bus.subscribe("a", listener)();
  const stay = bus.subscribe("a", listener);
  await turn();
  expect(connections[0]?.channels).toContain("p:b:a");
  stay();
  connections[0]?.events.ready();
  await turn();
  expect(connections[0]?.channels).not.toContain("p:b:a");
});

it("opens a new connection if it no longer hears itself", async () => {
  const { bus, connections, listener, leaves } = setUp();
  bus.subscribe("a", listener);
  connections[0]?.events.ready();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(connections).toHaveLength(1);
  // Redis is away: that is no sign of a dead connection.
  leaves(true);
  await vi.advanceTimersByTimeAsync(100_000);
  expect(connections).toHaveLength(1);
  leaves(false);
  Object.assign(connections[0] ?? {}, { dead: true });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(connections.map(({ closed }) => closed)).toEqual([true, false]);
  connections[1]?.events.ready();
  await turn();
  expect(listener.missed).toHaveBeenCalledTimes(2);
  await bus.publish("a", "again");
  expect(listener.heard).toHaveBeenCalledWith("again");
  await vi.advanceTimersByTimeAsync(100_000);
  expect(connections).toHaveLength(2);
  bus.close();
  expect(vi.getTimerCount()).toBe(0);
});

it("reports an error of a listener, and calls the others", async () => {
  const { bus, connections, listener, failed } = setUp();
  const error = new Error("bug");
  bus.subscribe("a", {
    heard: () => {
      throw error;
    },
    missed: () => {},
  });
  bus.subscribe("a", listener);
  connections[0]?.events.ready();
  await turn();
  await bus.publish("a", "message");
  expect(listener.heard).toHaveBeenCalledWith("message");
  expect(failed).toHaveBeenCalledWith(error);
});
