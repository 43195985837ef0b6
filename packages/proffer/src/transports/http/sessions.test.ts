import { describe, expect, it } from "vitest";
import { openSession } from "../../server/lifecycle.ts";
import { defineServer, stateOf } from "../../server/server.ts";
import { OpenStreams } from "./open-streams.ts";
import type { HttpSession } from "./session.ts";
import { createSessionId, HttpSessions } from "./sessions.ts";

const server = stateOf(defineServer({ name: "test", version: "1" }));

function create(max: number) {
  const ended: HttpSession[] = [];
  const sessions = new HttpSessions({
    server,
    streams: new OpenStreams(1000),
    maxReplayBytes: 1000,
    idleTimeout: 60_000,
    max,
    sessionEnded: (session) => void ended.push(session),
  });
  const open = (owner?: string) =>
    sessions.add(
      openSession(server, { protocolVersion: "2025-11-25" }, createSessionId()),
      owner === undefined ? undefined : { id: owner },
    );
  return { sessions, ended, open };
}

describe("the sessions of an endpoint", () => {
  it("T088: are capped, however many are opened and abandoned, and those that go are closed", () => {
    const { sessions, ended, open } = create(1000);
    for (let count = 0; count < 100_000; count++) open();
    expect({ size: sessions.size, ended: ended.length }).toEqual({ size: 1000, ended: 99_000 });
    sessions.endAll();
    expect(sessions.size).toBe(0);
  });

  it("make room by ending the one that was not used for longest, but none that is busy", () => {
    const { ended, open, sessions } = create(2);
    const [first, second] = [open(), open()] as [HttpSession, HttpSession];
    first.inWork = 1;
    const third = open() as HttpSession;
    expect(ended).toEqual([second]);
    third.inWork = 1;
    expect(open()).toBeUndefined();
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
