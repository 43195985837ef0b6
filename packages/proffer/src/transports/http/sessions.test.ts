import { describe, expect, it, vi } from "vitest";
import { openSession } from "../../server/methods.ts";
import { defineServer, stateOf } from "../../server/server.ts";
import { HttpEndpoint } from "./endpoint.ts";
import { HttpSession } from "./session.ts";
import { createSessionId, type HttpSessions } from "./sessions.ts";

const IDLE_TIMEOUT = 3_600_000;
const server = defineServer({ name: "test", version: "1" });

function create(max: number) {
  const endpoint = new HttpEndpoint(server, { sessions: { max, idleTimeout: IDLE_TIMEOUT } }, "test");
  const sessions = endpoint.sessions as HttpSessions;
  const opened: HttpSession[] = [];
  const open = (owner?: string) => {
    const state = openSession(stateOf(server), { protocolVersion: "2025-11-25" }, createSessionId());
    const session = sessions.add(state, owner === undefined ? {} : { principal: { id: owner } });
    if (session !== undefined) opened.push(session);
    return session;
  };
  const ended = () => opened.filter(({ state }) => sessions.find(state.id, undefined) === undefined);
  return { sessions, ended, open };
}

describe("the sessions of an endpoint", () => {
  it("are limited and closed, however many are opened and abandoned, but never while they are busy", () => {
    vi.useFakeTimers();
    const close = vi.spyOn(HttpSession.prototype, "close");
    try {
      const { sessions, open } = create(1000);
      const busy: HttpSession[] = [];
      for (let count = 0; count < 100_000; count++) {
        const session = open() as HttpSession;
        // Half of the clients never send `notifications/initialized`.
        session.state.ready = count % 2 === 0;
        if (count % 10_000 !== 0) continue;
        session.inFlight = 1;
        busy.push(session);
      }
      const isOpen = ({ state }: HttpSession) => sessions.find(state.id, undefined) !== undefined;
      expect({ size: sessions.size, closed: close.mock.calls.length }).toEqual({ size: 1000, closed: 99_000 });
      expect(busy.every(isOpen)).toBe(true);
      vi.advanceTimersByTime(2 * IDLE_TIMEOUT);
      expect({ size: sessions.size, closed: close.mock.calls.length }).toEqual({ size: 10, closed: 99_990 });
      expect(busy.every(isOpen)).toBe(true);
      for (const session of busy) session.inFlight = 0;
      vi.advanceTimersByTime(2 * IDLE_TIMEOUT);
      expect({ size: sessions.size, closed: close.mock.calls.length }).toEqual({ size: 0, closed: 100_000 });
      // Without sessions there is no timer.
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      close.mockRestore();
      vi.useRealTimers();
    }
  });

  it("have ids of 128 random bits or more, of visible characters and in no order", () => {
    const COUNT = 100_000;
    const random = vi.spyOn(crypto, "getRandomValues");
    createSessionId();
    expect(random.mock.calls).toEqual([[expect.objectContaining({ byteLength: 18 })]]);
    random.mockRestore();
    const ids = Array.from({ length: COUNT }, createSessionId);
    expect(new Set(ids).size).toBe(COUNT);
    expect(ids.filter((id) => !/^[A-Za-z0-9_-]{24}$/.test(id))).toEqual([]);
    // Each place has each of the 64 characters about equally often: within seven standard deviations.
    const limit = 7 * Math.sqrt(COUNT / 64);
    for (let place = 0; place < 24; place++) {
      const counts = new Map<string, number>();
      for (const id of ids) counts.set(id[place] as string, (counts.get(id[place] as string) ?? 0) + 1);
      expect(counts.size).toBe(64);
      expect([...counts].filter(([, count]) => Math.abs(count - COUNT / 64) > limit)).toEqual([]);
    }
    // Random numbers ascend as often as they descend.
    const ascents = ids.filter((id, at) => at > 0 && id > (ids[at - 1] as string)).length;
    expect(Math.abs(ascents - COUNT / 2)).toBeLessThan(7 * Math.sqrt(COUNT / 12));
  });

  it("end the least recently used session to make room, but never a busy one", () => {
    const { ended, open, sessions } = create(2);
    const [first, second] = [open(), open()] as [HttpSession, HttpSession];
    first.inFlight = 1;
    const third = open() as HttpSession;
    expect(ended()).toEqual([second]);
    third.inFlight = 1;
    expect(open()).toBeUndefined();
    sessions.endAll();
  });

  it("lose the events of the caller that keeps most of them first", () => {
    const { sessions, open } = create(10);
    Object.assign(sessions, { max: 1000 });
    const [honest, ...greedy] = ["honest", "greedy", "greedy", "greedy"].map((owner) => open(owner) as HttpSession);
    const exchange = { open() {}, write: () => true, watchDisconnect() {}, end() {} };
    const append = (session: HttpSession) =>
      session.openStream(exchange as never, { onDisconnect() {} }).send("x".repeat(50));
    append(honest as HttpSession);
    const kept = honest?.keptBytes;
    for (let n = 0; n < 30; n++) append(greedy[n % 3] as HttpSession);
    expect(honest?.keptBytes).toBe(kept);
    expect(sessions.used).toBeLessThanOrEqual(1000);
    sessions.endAll();
  });

  it("are found by their owner only", () => {
    const { sessions, open } = create(10);
    const { id } = (open("ada") as HttpSession).state;
    expect(sessions.find(id, { id: "ada" })).toBeDefined();
    expect(sessions.find(id, { id: "mallory" })).toBeUndefined();
    expect(sessions.find(id, undefined)).toBeUndefined();
    sessions.endAll();
  });
});
