import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { LogEntry, ServerOptions } from "proffer";
import { createFetchHandler } from "proffer/fetch";
import { createNodeHandler, type ServeOptions, serveHttp } from "proffer/http";
import { afterEach, describe, expect, it } from "vitest";
import { addReadinessCheck, READINESS_NAMES, type ReadinessCheck } from "../../src/server/readiness.ts";
import { stateOf } from "../../src/server/server.ts";
import { openGate } from "../gate.ts";
import { type Handle, serveTool } from "../one-tool.ts";
import { type Headers, modern, postModern, send, sendRaw } from "./http-client.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const call = modern("tools/call", { name: "t", arguments: {} });

async function open(server: Partial<ServerOptions> = {}, options: ServeOptions = {}, handle: Handle = () => "done") {
  const service = await serveHttp(serveTool(handle, server), { port: 0, health: true, ...options });
  closing.push(() => service.close());
  const get = async (path: string, headers: Headers = {}, method = "GET") => {
    const answer = await send(`http://127.0.0.1:${service.port}${path}`, { method, headers });
    return { ...answer, text: `${answer.status} ${answer.body}` };
  };
  return { service, get };
}

describe("the health routes", () => {
  it("answer with one word as plain text", async () => {
    const { get, service } = await open();
    expect(service.routes).toEqual(["/mcp", "/healthz", "/readyz"]);
    for (const path of ["/healthz", "/readyz", "/readyz?verbose"]) {
      const { text, headers } = await get(path);
      expect(text).toBe("200 ok");
      expect(headers).toMatchObject({
        "content-type": "text/plain; charset=utf-8",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
      });
    }
    expect((await get("/readyz", {}, "HEAD")).text).toBe("200 ");
  });

  it("are off by default, and a path of a server cannot be one of them", async () => {
    const { get } = await open({}, { health: false });
    expect((await get("/healthz")).status).toBe(404);
    const server = serveTool(() => "done");
    await expect(serveHttp({ "/readyz": server }, { port: 0, health: true })).rejects.toThrow(
      "serveHttp(): /readyz is a health route; choose another path for the server.",
    );
    await expect(serveHttp(server, { port: 0, health: "/up" as never })).rejects.toThrow(
      'serveHttp(): health must be true or false, not "/up".',
    );
  });

  it("accept any Host, but no web page, and no verb but GET and HEAD", async () => {
    const { get, service } = await open({}, { cors: "check", allowedOrigins: ["https://app.example.com"] });
    for (const path of ["/healthz", "/readyz"]) {
      for (const host of ["10.1.2.3:8080", "evil.com", "[fd00::1]"]) {
        expect((await get(path, { host })).text).toBe("200 ok");
        expect((await get("/mcp", { host })).status).toBe(403);
      }
      const pages: Headers[] = [
        ...["https://app.example.com", "http://localhost", "null"].map((origin) => ({ origin })),
        ...["cross-site", "same-site", "nonsense"].map((site) => ({ "sec-fetch-site": site })),
      ];
      for (const headers of pages) {
        const answer = await get(path, headers);
        expect({ headers, status: answer.status }).toEqual({ headers, status: 403 });
        expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
      }
      for (const site of ["none", "same-origin"])
        expect((await get(path, { "sec-fetch-site": site })).status).toBe(200);
      for (const method of ["POST", "OPTIONS", "DELETE"]) {
        const { status, headers } = await get(path, {}, method);
        expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: "GET, HEAD" });
      }
      expect(
        await sendRaw(service.port, `GET ${path} HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n`),
      ).toMatch(/^HTTP\/1.1 400/);
    }
  });

  it("need no authentication and are not logged", async () => {
    const logged: unknown[] = [];
    const authenticate = () => {
      throw new Error("must not run");
    };
    const { get } = await open({}, { authenticate, log: (entry) => logged.push(entry) });
    expect((await get("/healthz")).text).toBe("200 ok");
    expect((await get("/readyz")).text).toBe("200 ok");
    expect(logged).toEqual([]);
  });

  it("report a server that starts, or could not start, as not ready", async () => {
    let gate = openGate();
    let healthy = false;
    const { get, service } = await open({
      onStart: async () => {
        await gate.opened;
        if (!healthy) throw new Error("no database");
      },
    });
    expect((await get("/readyz")).text).toBe("503 starting");
    expect((await get("/healthz")).text).toBe("200 ok");
    gate.open();
    await service.ready().catch(() => {});
    // The probe itself starts the server again.
    gate = openGate();
    expect((await get("/readyz")).text).toBe("503 unavailable");
    expect((await get("/readyz")).text).toBe("503 starting");
    healthy = true;
    gate.open();
    await expect.poll(async () => (await get("/readyz")).text).toBe("200 ok");
  });

  it("report draining while calls in flight finish", async () => {
    const begun = openGate();
    const gate = openGate();
    const { get, service } = await open({}, {}, async () => {
      begun.open();
      await gate.opened;
      return "done";
    });
    const pending = postModern(service.url, call);
    await begun.opened;
    const closed = service.close();
    expect((await get("/readyz")).text).toBe("503 draining");
    expect((await get("/healthz")).text).toBe("200 ok");
    expect((await postModern(service.url, call)).status).toBe(503);
    gate.open();
    expect((await pending).status).toBe(200);
    await closed;
    await expect(get("/readyz")).rejects.toThrow();
  });

  it("report the worst state of several servers", async () => {
    const gate = openGate();
    const fine = serveTool(() => "done");
    const late = serveTool(() => "done", { onStart: () => gate.opened });
    const service = await serveHttp({ "/a": fine, "/b": late }, { port: 0, health: true });
    closing.push(() => service.close());
    const ready = async () => (await send(`http://127.0.0.1:${service.port}/readyz`)).body;
    expect(await ready()).toBe("starting");
    gate.open();
    await service.ready();
    expect(await ready()).toBe("ok");
    addReadinessCheck(stateOf(fine), "keys", () => false);
    addReadinessCheck(stateOf(late), "store", () => false);
    expect(await ready()).toBe("unavailable keys store");
  });
});

describe("a readiness check", () => {
  const FAULTS: [string, ReadinessCheck][] = [
    ["returns false", () => false],
    ["returns nonsense", () => "yes" as never],
    ["rejects", () => Promise.reject(new Error("no store"))],
    ["never settles", () => new Promise(() => {})],
    [
      "throws",
      () => {
        throw new Error("no store");
      },
    ],
  ];

  it.each(FAULTS)("that %s makes the server unavailable, and is logged once", async (_fault, check) => {
    const logged: LogEntry[] = [];
    const server = serveTool(() => "done", { log: (entry) => logged.push(entry) });
    let current = check;
    addReadinessCheck(stateOf(server), "queue", () => true);
    addReadinessCheck(stateOf(server), "store", () => current());
    const handler = createFetchHandler(server, { health: true });
    const ready = async () => (await handler(new Request("http://10.0.0.1/readyz"))).text();
    expect(await Promise.all([ready(), ready()])).toEqual(["unavailable store", "unavailable store"]);
    current = () => Promise.resolve(true);
    expect(await ready()).toBe("ok");
    expect(logged).toMatchObject([{ level: "error", message: "A readiness check failed", check: "store" }]);
  });

  it("has a name from a fixed list, which is the order of the response", async () => {
    const server = serveTool(() => "done");
    for (const name of [...READINESS_NAMES].reverse()) addReadinessCheck(stateOf(server), name, () => false);
    const handler = createFetchHandler(server, { health: true });
    const response = await handler(new Request("http://10.0.0.1/readyz"));
    expect(`${response.status} ${await response.text()}`).toBe("503 unavailable store queue keys");
  });
});

describe("a handler", () => {
  it("answers health routes if they are on, and a probe starts the server", async () => {
    const server = serveTool(() => "done", { onStart: () => new Promise(setImmediate) });
    const handler = createNodeHandler(server, { health: true });
    const http = createServer(handler);
    await once(http.listen(0, "127.0.0.1"), "listening");
    closing.push(() => Promise.all([handler.close(), new Promise((resolve) => http.close(resolve))]));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    expect((await send(`${url}/readyz`, { headers: { host: "10.0.0.1" } })).body).toBe("ok");
    expect((await send(`${url}/healthz`, { method: "HEAD" })).status).toBe(200);
    let starts = 0;
    const broken = createFetchHandler(
      serveTool(() => "done", { onStart: () => Promise.reject(new Error(String(++starts))) }),
      { health: true },
    );
    expect(await (await broken(new Request("http://10.0.0.1/readyz"))).text()).toBe("unavailable");
    expect(starts).toBe(1);
    const off = createFetchHandler(server);
    expect((await off(new Request("http://localhost/healthz"))).status).not.toBe(200);
    await off.close();
  });
});
