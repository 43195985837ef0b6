import { createFetchHandler } from "proffer/fetch";
import { type HttpOptions, type HttpService, serveHttp } from "proffer/http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Headers, legacy, modern, modernHeaders, sendRaw, toBytes } from "./http/http-client.ts";
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
  authenticate: (request) => ({ id: request.header("x-user") ?? "nobody" }),
} satisfies HttpOptions;

beforeEach(() => {
  workshop = openWorkshop();
});

afterEach(async () => {
  workshop.release();
  await service?.close();
  service = undefined;
});

const begun = () => workshop.begun.get("wait") ?? 0;

describe(`T094: of ${CALLS} calls at once, all but ${CAP} are rejected as busy immediately`, () => {
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
    expect(await program.call(CALLS + 1, "echo", { text: "free" })).toBe("free");
    program.child.stdin.end();
    expect(await program.exit).toEqual({ code: 0, signal: null });
    expect(program.lines).toHaveLength(CALLS - CAP + 1);
  });
});
