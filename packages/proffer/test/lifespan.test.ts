import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defineResource, type LogEntry, type ServerOptions } from "proffer";
import { createFetchHandler } from "proffer/fetch";
import { createNodeHandler, serveHttp } from "proffer/http";
import { connect } from "proffer/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { lifespanOf } from "../src/server/lifespan.ts";
import { stateOf } from "../src/server/server.ts";
import { openGate } from "./gate.ts";
import { legacy, modern, modernHeaders, openSession, post, postModern, present } from "./http/http-client.ts";
import { serveTool } from "./one-tool.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const call = modern("tools/call", { name: "t", arguments: {} });

/** A server with the tool `t` that records when its hooks run. */
function record(options: Partial<ServerOptions> = {}) {
  const events: string[] = [];
  const logged: LogEntry[] = [];
  const server = serveTool(() => "done", {
    onStart: () => void events.push("start"),
    onStop: () => void events.push("stop"),
    log: (entry) => void logged.push(entry),
    ...options,
  });
  return { server, events, logged, errors: () => logged.map(({ message, error }) => `${message}: ${String(error)}`) };
}

function fetchOf(handler: (request: Request) => Promise<Response>) {
  return (message: ReturnType<typeof modern>) => {
    const headers = present(modernHeaders(message)) as Record<string, string>;
    return handler(new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(message) }));
  };
}

describe("the lifespan of a server", () => {
  it("starts before connect resolves, and stops when the client is closed", async () => {
    const { server, events } = record();
    const client = await connect(server);
    expect(events).toEqual(["start"]);
    expect((await client.call("t")).content).toMatchObject([{ text: "done" }]);
    await client.close();
    await client.close();
    expect(events).toEqual(["start", "stop"]);
  });

  it("passes the server to both hooks", async () => {
    const seen: unknown[] = [];
    const { server } = record({ onStart: (each) => seen.push(each), onStop: (each) => seen.push(each) });
    await (await connect(server)).close();
    expect(seen).toEqual([server, server]);
  });

  it("starts once and stops once, however many transports serve it", async () => {
    const { server, events } = record();
    const service = await serveHttp({ "/a": server, "/b": server }, { port: 0 });
    const handler = createFetchHandler(server);
    await Promise.all([service.ready(), handler.ready(), handler.ready()]);
    const client = await connect(server);
    await service.close();
    await client.close();
    expect(events).toEqual(["start"]);
    await handler.close();
    expect(events).toEqual(["start", "stop"]);
  });

  it("starts again if the server is served again, after it has stopped", async () => {
    const gate = openGate();
    const events: string[] = [];
    const { server } = record({
      onStart: () => void events.push("start"),
      onStop: async () => {
        events.push("stopping");
        await gate.opened;
        events.push("stopped");
      },
    });
    const first = await connect(server);
    const closed = first.close();
    await expect.poll(() => events).toContain("stopping");
    const second = connect(server);
    gate.open();
    await closed;
    await (await second).close();
    expect(events).toEqual(["start", "stopping", "stopped", "start", "stopping", "stopped"]);
  });

  it("has an onStop without an onStart", async () => {
    const events: string[] = [];
    const server = serveTool(() => "done", { onStop: () => events.push("stop") });
    const handler = createFetchHandler(server);
    expect((await fetchOf(handler)(call)).status).toBe(200);
    await handler.close();
    expect(events).toEqual(["stop"]);
  });

  it("does not start for lists if connect is told so, and does not stop then", async () => {
    const { server, events } = record();
    const client = await connect(server, { start: false });
    expect(await client.listTools()).toHaveLength(1);
    expect(events).toEqual([]);
    await client.call("t");
    expect(events).toEqual(["start"]);
    await client.close();
    const other = await connect(server, { start: false });
    await other.listTools();
    await other.close();
    expect(events).toEqual(["start", "stop"]);
  });

  it("does not run onStop of a server that was only listed, also without onStart", async () => {
    const events: string[] = [];
    const server = serveTool(() => "done", { onStop: () => events.push("stop") });
    const client = await connect(server, { start: false });
    await client.listTools();
    await client.close();
    expect(events).toEqual([]);
    await (await connect(server)).close();
    expect(events).toEqual(["stop"]);
  });

  it("rejects hooks that are not functions", () => {
    expect(() => record({ onStart: "now" as never })).toThrow('Server "s": onStart must be a function, not "now".');
    expect(() => record({ onStop: {} as never })).toThrow('Server "s": onStop must be a function, not {}.');
    expect(() => record({ limits: { startTimeout: 0 } })).toThrow(/limits.startTimeout must be a positive number/);
  });
});

describe("during the start", () => {
  it("serveHttp answers lists, and calls with 503", async () => {
    const gate = openGate();
    const { server } = record({
      onStart: () => gate.opened,
      resources: [defineResource({ uri: "x://{id}", name: "x", read: ({ id }) => id })],
    });
    const service = await serveHttp(server, { port: 0 });
    closing.push(() => service.close());
    const session = await openSession(service.url);
    for (const method of ["tools/list", "resources/list", "server/discover"]) {
      expect((await postModern(service.url, modern(method))).status).toBe(200);
    }
    expect((await post(service.url, legacy("ping"), session)).status).toBe(200);
    const calls = [
      call,
      modern("resources/read", { uri: "x://1" }),
      modern("subscriptions/listen", { notifications: {} }),
    ];
    for (const message of calls) {
      const { status, headers, json } = await postModern(service.url, message);
      expect({ status, retry: headers["retry-after"], error: json.error }).toEqual({
        status: 503,
        retry: "1",
        error: { code: -31000, message: "The server is starting. Try again later." },
      });
    }
    expect((await post(service.url, legacy("tools/call", { name: "t" }), session)).status).toBe(503);
    gate.open();
    await service.ready();
    expect((await postModern(service.url, call)).status).toBe(200);
  });

  it("a list of resources that a function computes waits too", async () => {
    const gate = openGate();
    const list = () => [{ uri: "x://1" }];
    const { server } = record({
      onStart: () => gate.opened,
      resources: [defineResource({ uri: "x://{id}", name: "x", read: ({ id }) => id, list })],
    });
    const service = await serveHttp(server, { port: 0 });
    closing.push(() => service.close());
    expect((await postModern(service.url, modern("resources/list"))).status).toBe(503);
    expect((await postModern(service.url, modern("resources/templates/list"))).status).toBe(200);
    gate.open();
    await service.ready();
    expect((await postModern(service.url, modern("resources/list"))).status).toBe(200);
  });

  it("calls to a handler wait, and lists do not", async () => {
    const gate = openGate();
    const events: string[] = [];
    const { server } = record({ onStart: () => gate.opened.then(() => events.push("started")) });
    const handler = createFetchHandler(server);
    closing.push(() => handler.close());
    const send = fetchOf(handler);
    const waiting = [send(call), send(call)].map(async (response) => events.push(String((await response).status)));
    expect((await send(modern("tools/list"))).status).toBe(200);
    expect(events).toEqual([]);
    gate.open();
    await Promise.all(waiting);
    expect(events).toEqual(["started", "200", "200"]);
  });

  it("has begun with the first request to a Node handler, and with the first call to a fetch handler", async () => {
    const nodeServer = record();
    const handler = createNodeHandler(nodeServer.server);
    const http = createServer(handler);
    await once(http.listen(0, "127.0.0.1"), "listening");
    closing.push(
      () => handler.close(),
      async () => void http.close(),
    );
    expect(nodeServer.events).toEqual([]);
    const { port } = http.address() as AddressInfo;
    expect((await postModern(`http://127.0.0.1:${port}/mcp`, modern("tools/list"))).status).toBe(200);
    await expect.poll(() => nodeServer.events).toEqual(["start"]);
    const { server, events } = record();
    const send = fetchOf(createFetchHandler(server));
    expect((await send(modern("tools/list"))).status).toBe(200);
    expect(events).toEqual([]);
    expect((await send(call)).status).toBe(200);
    expect(events).toEqual(["start"]);
  });

  it("a call that was cancelled does not run", async () => {
    const gate = openGate();
    let calls = 0;
    const server = serveTool(() => String(++calls), { onStart: () => gate.opened });
    const client = await connect(server, { start: false });
    const abort = new AbortController();
    const cancelled = client.call("t", {}, { signal: abort.signal });
    abort.abort();
    await expect(cancelled).rejects.toMatchObject({ name: "AbortError" });
    const next = client.call("t");
    gate.open();
    expect((await next).content).toMatchObject([{ text: "1" }]);
    await client.close();
  });

  it("closing waits for onStart and then runs onStop", async () => {
    const gate = openGate();
    const { server, events } = record({ onStart: () => gate.opened.then(() => events.push("started")) });
    const service = await serveHttp(server, { port: 0 });
    const closed = service.close();
    gate.open();
    await closed;
    expect(events).toEqual(["started", "stop"]);
  });
});

describe("an onStart that fails", () => {
  it("rejects connect with the reason, and onStop does not run", async () => {
    const { server, events, errors } = record({ onStart: () => Promise.reject(new Error("no database")) });
    await expect(connect(server)).rejects.toThrow('onStart of server "s" failed: no database');
    expect(events).toEqual([]);
    expect(errors()).toEqual(["onStart failed: Error: no database"]);
  });

  it("is tried again by the next request to a handler, and never twice at a time", async () => {
    let gate = openGate();
    let runs = 0;
    const { server, errors } = record({
      onStart: async () => {
        runs++;
        await gate.opened;
        if (runs === 1) throw new Error("no database");
      },
    });
    const handler = createFetchHandler(server);
    closing.push(() => handler.close());
    const send = fetchOf(handler);
    const refused = [send(call), send(call), send(modern("tools/list"))];
    gate.open();
    const [first, second, list] = await Promise.all(refused);
    expect([first?.status, second?.status, list?.status, runs]).toEqual([503, 503, 200, 1]);
    expect(first?.headers.get("retry-after")).toBe("1");
    expect(await first?.json()).toMatchObject({
      error: { code: -31000, message: "The server could not start. Try again later." },
    });
    expect(errors()).toEqual(["onStart failed: Error: no database"]);
    gate = openGate();
    const served = [send(call), send(call)];
    gate.open();
    expect((await Promise.all(served)).map(({ status }) => status)).toEqual([200, 200]);
    expect(runs).toBe(2);
  });

  it("leaves serveHttp listening: ready rejects, and a later request tries again", async () => {
    let healthy = false;
    const { server } = record({
      onStart: () => {
        if (!healthy) throw new Error("no database");
      },
    });
    const service = await serveHttp(server, { port: 0 });
    closing.push(() => service.close());
    await expect(service.ready()).rejects.toThrow("no database");
    expect((await postModern(service.url, call)).status).toBe(503);
    healthy = true;
    await expect.poll(async () => (await postModern(service.url, call)).status).toBe(200);
  });

  it("is tried again if the run-time has dropped it with its request, as Workers do", async () => {
    let runs = 0;
    const { server } = record({ onStart: () => (++runs === 1 ? new Promise(() => {}) : undefined) });
    const handler = createFetchHandler(server);
    closing.push(() => handler.close());
    const send = fetchOf(handler);
    const stub = vi.spyOn(globalThis, "setTimeout").mockImplementation(() => 0 as never);
    void send(call);
    await expect.poll(() => runs).toBe(1);
    stub.mockRestore();
    const now = Date.now();
    // The clock of the machine may be set: only time that has passed counts.
    const clock = vi.spyOn(Date, "now").mockImplementation(() => now + 62_000);
    void send(call);
    await new Promise((resolve) => setTimeout(resolve, 50));
    clock.mockRestore();
    expect(runs).toBe(1);
    const passed = performance.now();
    const uptime = vi.spyOn(performance, "now").mockImplementation(() => passed + 62_000);
    expect((await send(call)).status).toBe(200);
    uptime.mockRestore();
    expect(runs).toBe(2);
  });

  it("has failed when it does not finish within limits.startTimeout", async () => {
    const { server, errors } = record({ onStart: () => new Promise(() => {}), limits: { startTimeout: 20 } });
    await expect(connect(server)).rejects.toThrow("It did not settle within 20 ms (limits.startTimeout)");
    expect(errors()).toEqual(["onStart failed: Error: It did not settle within 20 ms (limits.startTimeout)"]);
  });
});

describe("onStop", () => {
  it.each([
    ["throws", () => Promise.reject(new Error("stuck")), "onStop failed: Error: stuck"],
    [
      "hangs",
      () => new Promise(() => {}),
      /^onStop failed: Error: It did not settle within \d+ ms \(the drain time\)$/,
    ],
  ])("that %s is logged, and the service closes", async (_fault, onStop, message) => {
    const { server, errors } = record({ onStop });
    const service = await serveHttp(server, { port: 0 });
    await service.ready();
    await service.close(50);
    expect(errors()).toEqual([expect.stringMatching(message)]);
  });

  it("runs after the calls in flight, and within the drain time also if a call hangs", async () => {
    const events: string[] = [];
    const begun = openGate();
    const server = serveTool(
      (_, { signal }) => {
        signal.addEventListener("abort", () => events.push("aborted"));
        begun.open();
        return new Promise(() => {});
      },
      { onStop: () => events.push("stop") },
    );
    const service = await serveHttp(server, { port: 0 });
    const pending = postModern(service.url, call);
    await begun.opened;
    await service.close(100);
    await pending;
    expect(events).toEqual(["aborted", "stop"]);
  });

  it("has its own part of the drain time", () => {
    const timeFor = (options: Partial<ServerOptions>) =>
      lifespanOf(stateOf(record(options).server))?.timeForCalls(5000);
    expect(timeFor({})).toBe(4000);
    expect(timeFor({ onStop: undefined as never })).toBe(5000);
  });

  it("does not run if the start has not ended within the drain time", async () => {
    const { server, events, errors } = record({ onStart: () => new Promise(() => {}) });
    const service = await serveHttp(server, { port: 0 });
    await service.close(20);
    expect(events).toEqual([]);
    expect(errors()).toEqual([
      expect.stringMatching(/^The server was closed before onStart had finished: .* \(the drain time\)$/),
    ]);
  });

  it("is not undone by a request or ready() after the handler was closed", async () => {
    const { server, events } = record();
    const handler = createFetchHandler(server);
    await handler.ready();
    await handler.close();
    await expect(handler.ready()).rejects.toThrow("The server is closed.");
    expect((await fetchOf(handler)(call)).status).toBe(503);
    expect(events).toEqual(["start", "stop"]);
  });
});
