import { describe, expect, it } from "vitest";
import { openSession } from "../../server/lifecycle.ts";
import { defineServer, stateOf } from "../../server/server.ts";
import { HttpEndpoint } from "./endpoint.ts";
import type { HttpSession } from "./session.ts";
import { createSessionId, type HttpSessions } from "./sessions.ts";

const server = defineServer({ name: "test", version: "1" });

function create(max: number) {
  const endpoint = new HttpEndpoint(server, { sessions: { max, idleTimeout: 3_600_000 } }, "test");
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
  it("T088: are limited, however many are opened and abandoned", () => {
    const { sessions, ended, open } = create(1000);
    for (let count = 0; count < 100_000; count++) open();
    expect({ size: sessions.size, ended: ended().length }).toEqual({ size: 1000, ended: 99_000 });
    sessions.endAll();
    expect(sessions.size).toBe(0);
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

  it("are found by their owner only", () => {
    const { sessions, open } = create(10);
    const { id } = (open("ada") as HttpSession).state;
    expect(sessions.find(id, { id: "ada" })).toBeDefined();
    expect(sessions.find(id, { id: "mallory" })).toBeUndefined();
    expect(sessions.find(id, undefined)).toBeUndefined();
    sessions.endAll();
  });
});
