import { createFetchHandler } from "proffer/fetch";
import { type HttpOptions, type HttpService, serveHttp } from "proffer/http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEvents } from "./http/event-client.ts";
import { type Headers, JSON_REQUEST, legacy, modern, modernHeaders, sendRaw, toBytes } from "./http/http-client.ts";
import { openWorkshop, type Workshop } from "./http/workshop.ts";
import { useStdioServers } from "./stdio-process.ts";

const CALLS = 3000;
const CAP = 100;
const BUSY = -31000;

const { startServer } = useStdioServers();
const wait = modern("tools/call", { name: "wait", arguments: {} });
let workshop: Workshop;
let service: HttpService | undefined;

/** Each call is by another user: no user has more than a fair share of the slots. */
const options = {
  maxInFlight: CAP,
  legacySse: true,
  authenticate: (request) => ({ id: request.header("x-user") ?? "nobody" }),
} satisfies HttpOptions & { legacySse: boolean };

beforeEach(() => {
  workshop = openWorkshop();
});

afterEach(async () => {
  workshop.release();
  await service?.close();
  service = undefined;
});

const begun = () => workshop.begun.get("wait") ?? 0;

describe(`of ${CALLS} calls at once, all but ${CAP} are rejected as busy immediately`, () => {
  it("by serveHttp", async () => {
    service = await serveHttp(workshop.server, { port: 0, ...options });
    const { port } = service;
    const bytes = (user: number, more: Headers = {}) =>
      toBytes(wait, { ...modernHeaders(wait), "x-user": String(user), ...more });
    const held = Array.from({ length: CAP }, (_, user) => sendRaw(port, bytes(user, { connection: "close" })));
    await expect.poll(begun).toBe(CAP);
    // The others share connections: one that waited would delay the answers behind it.
    const rejected = Array.from({ length: CAP }, (_, connection) => {
      const users = Array.from({ length: (CALLS - CAP) / CAP }, (_, at) => CAP * (at + 1) + connection);
      const last = users.pop() as number;
      return sendRaw(port, ...users.map((user) => bytes(user)), bytes(last, { connection: "close" }));
    });
    const answers = (await Promise.all(rejected)).join("");
    expect(answers.match(/HTTP\/1\.1 503 /g)).toHaveLength(CALLS - CAP);
    expect(answers.match(/"code":-31000/g)).toHaveLength(CALLS - CAP);
    expect(answers.match(/retry-after: 1/gi)).toHaveLength(CALLS - CAP);
    expect(begun()).toBe(CAP);
    workshop.release();
    expect((await Promise.all(held)).filter((answer) => answer.startsWith("HTTP/1.1 200 "))).toHaveLength(CAP);
  });

  it("by createFetchHandler", async () => {
    const handle = createFetchHandler(workshop.server, options);
    let settled = 0;
    const calls = Array.from({ length: CALLS }, async (_, user) => {
      const headers = { ...(modernHeaders(wait) as Record<string, string>), "x-user": String(user) };
      const request = new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(wait) });
      const { status } = await handle(request);
      settled++;
      return status;
    });
    // All others are answered while those in flight still wait: nothing is queued.
    await expect.poll(() => settled).toBe(CALLS - CAP);
    expect(begun()).toBe(CAP);
    workshop.release();
    const statuses = await Promise.all(calls);
    expect(statuses.filter((status) => status === 200)).toHaveLength(CAP);
    expect(statuses.filter((status) => status === 503)).toHaveLength(CALLS - CAP);
    await handle.close();
  });

  it("by the transport of 2024-11-05", async () => {
    service = await serveHttp(workshop.server, { port: 0, ...options });
    const { port, url } = service;
    const pairs = await Promise.all(
      Array.from({ length: 30 }, async (_, user) => {
        const headers: Headers = { "x-user": String(user) };
        const events = await openEvents(`${url}/sse`, { headers });
        await expect.poll(() => events.events.length).toBe(1);
        const { pathname, search } = new URL(events.events[0]?.data as string, `${url}/sse`);
        return { headers, events, path: `${pathname}${search}` };
      }),
    );
    const answers = await Promise.all(
      pairs.map(({ headers, path }) => {
        const posts = Array.from({ length: CALLS / pairs.length }, (_, id) => {
          const isLast = id === CALLS / pairs.length - 1;
          const sent = { ...JSON_REQUEST, ...headers, ...(isLast && { connection: "close" }) };
          return toBytes(legacy("tools/call", { name: "wait", arguments: {} }, id), sent, path);
        });
        return sendRaw(port, ...posts);
      }),
    );
    const statuses = [...answers.join("").matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
    // A call is rejected by the status of its POST, or by an error on the stream.
    const rejected = statuses.filter((status) => status === 503 || status === 429).length;
    expect(statuses.filter((status) => status === 202)).toHaveLength(CALLS - rejected);
    const messages = () => pairs.flatMap(({ events }) => events.messages);
    const errors = () => messages().filter(({ error }) => error?.code === BUSY).length;
    await expect.poll(() => rejected + errors()).toBe(CALLS - CAP);
    expect(begun()).toBe(CAP);
    workshop.release();
    await expect.poll(() => messages().filter(({ result }) => result !== undefined).length).toBe(CAP);
  });

  it("over stdio", async () => {
    const program = await startServer({ maxInFlight: CAP });
    for (let id = 1; id <= CALLS; id++) {
      program.send(legacy("tools/call", { name: "stop_when_told", arguments: { ms: 0 } }, id));
    }
    await expect.poll(() => program.lines.length).toBe(CALLS - CAP);
    const answers = program.lines.map((line) => JSON.parse(line));
    expect(answers.filter(({ error }) => error?.code !== BUSY)).toEqual([]);
    expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: CALLS - CAP }, (_, at) => CAP + 1 + at));
    for (let id = 1; id <= CAP; id++) {
      program.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
    }
    // A slot is free when its handler has ended.
    let tries = 0;
    await expect.poll(() => program.call(CALLS + ++tries, "echo", { text: "free" })).toBe("free");
    program.child.stdin.end();
    expect(await program.exit).toEqual({ code: 0, signal: null });
    expect(program.lines).toHaveLength(CALLS - CAP + tries);
  });
});
