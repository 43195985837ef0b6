import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { EventStreams } from "../src/event-streams.ts";
import type { Api } from "../src/protocol/api.ts";
import { createRoutes, REQUEST_SHAPES } from "../src/routes.ts";
import { type InspectorServer, startServer } from "../src/server.ts";
import { type RawRequest, send } from "./raw-http.ts";

const NAMES = Object.keys(REQUEST_SHAPES) as (keyof Api)[];
const PATHS = ["/", "/page.js", "/page.css", "/tools/order", "/nothing", "/api/events", "/api/nothing"];
const EVERY_PATH = [...PATHS, ...NAMES.map((name) => `/api/${name}`)];
/** The names of the requests that reached a handler. */
const handled: string[] = [];
const streams = new EventStreams();
let server: InspectorServer;
let secret: string;

beforeAll(async () => {
  const handlers = NAMES.map((name) => [name, () => ({ times: handled.push(name) })]);
  const respond = createRoutes(Object.fromEntries(handlers));
  server = await startServer({ respond, stream: (response) => streams.open(response, [{ kind: "ready" }]) }, 0);
  secret = new URL(server.url).hash.slice("#k=".length);
});

afterAll(() => server.close());

/** A request to the API as the page sends it, with some differences. */
function toApi(name: string, body: unknown = {}, headers: RawRequest["headers"] = {}): RawRequest {
  const own = {
    host: `127.0.0.1:${server.port}`,
    authorization: `Bearer ${secret}`,
    "content-type": "application/json",
  };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { method: "POST", path: `/api/${name}`, headers: { ...own, ...headers }, body: text };
}

const statusOf = async (request: RawRequest) => (await send(server.port, request)).status;

test("refuses a foreign Host with 403 on every route", async () => {
  const port = server.port;
  const foreign = [
    ...[
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1",
      "localhost",
      `127.0.0.1:${port + 1}`,
      `LOCALHOST.evil:${port}`,
    ],
    ...[`127.0.0.1:${port}.evil.example`, `x@127.0.0.1:${port}`, `127.0.0.2:${port}`, `[::1]:${port}0`],
  ];
  for (const path of EVERY_PATH) {
    for (const host of foreign) {
      for (const method of ["GET", "POST"]) {
        const status = await statusOf({ method, path, headers: { host, authorization: `Bearer ${secret}` } });
        expect(status, `${method} ${path} ${host}`).toBe(403);
      }
    }
  }
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
    expect(await statusOf({ headers: { host } })).toBe(200);
  }
});

test("answers 401 without the secret before it reads the body", async () => {
  handled.length = 0;
  const given = ["", "Bearer", "Bearer ", `Bearer ${secret}x`, `Bearer ${secret.slice(1)}`, secret, `Basic ${secret}`];
  for (const name of [...NAMES, "events", "nothing"]) {
    for (const authorization of given) {
      // The body never arrives: an answer proves that the server did not wait for it.
      const { status, headers, body } = await send(server.port, {
        ...toApi(name, "", { authorization, "content-length": "100" }),
        withholdBody: true,
      });
      expect({ status, connection: headers.connection }, name).toEqual({ status: 401, connection: "close" });
      expect(JSON.parse(body).error.message).toContain("earlier start");
    }
  }
  const late = await send(server.port, {
    ...toApi("clear", "", { authorization: "", expect: "100-continue", "content-length": "2" }),
    withholdBody: true,
  });
  expect(late.status).toBe(401);
  expect(handled).toEqual([]);
});

test("refuses a foreign Origin and Sec-Fetch-Site with 403", async () => {
  handled.length = 0;
  const port = server.port;
  const origins = [
    "https://evil.example",
    "null",
    `http://127.0.0.1:${port + 1}`,
    `https://127.0.0.1:${port}`,
    `http://localhost:${port}`,
  ];
  for (const path of EVERY_PATH) {
    for (const origin of origins) expect(await statusOf({ ...toApi("clear", {}, { origin }), path })).toBe(403);
    for (const site of ["cross-site", "same-site", "anything"]) {
      expect(await statusOf({ ...toApi("clear", {}, { "sec-fetch-site": site }), path })).toBe(403);
    }
  }
  expect(handled).toEqual([]);
  const own = { origin: `http://127.0.0.1:${port}`, "sec-fetch-site": "same-origin" };
  expect(await statusOf(toApi("clear", {}, own))).toBe(200);
});

test("sends no header that lets a page of another port read a response", async () => {
  for (const path of EVERY_PATH) {
    const headers = { host: `127.0.0.1:${server.port}`, origin: "http://127.0.0.1:5173" };
    const asked = {
      ...headers,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization",
    };
    const preflight = await send(server.port, { method: "OPTIONS", path, headers: asked });
    expect(preflight.status).toBe(403);
    for (const each of [preflight, await send(server.port, { path, headers })]) {
      expect(Object.keys(each.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  }
});

describe("the server of the inspector", () => {
  it("sends the security headers with every response", async () => {
    for (const path of EVERY_PATH) {
      const { headers } = await send(server.port, { path, headers: { host: `localhost:${server.port}` } });
      expect(headers["content-security-policy"]).toMatch(
        /^default-src 'none'; script-src 'self';.*require-trusted-types-for 'script'/,
      );
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
      });
      expect(headers["set-cookie"]).toBeUndefined();
    }
  });

  it("accepts only GET for files and POST with JSON for the API", async () => {
    const { host } = toApi("clear").headers as { host: string };
    for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
      expect(await statusOf({ method, path: "/", headers: { host } })).toBe(405);
    }
    expect(await statusOf({ path: "/api/clear", headers: { host, authorization: `Bearer ${secret}` } })).toBe(405);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"]) {
      expect(await statusOf(toApi("clear", {}, { "content-type": type }))).toBe(415);
    }
    expect(await statusOf(toApi("clear", "{"))).toBe(400);
    expect(await statusOf({ path: "/../package.json", headers: { host } })).toBe(404);
    expect(await statusOf({ path: "/page.js.map", headers: { host } })).toBe(404);
  });

  it("refuses bodies of more than 4 MiB, also without a length", async () => {
    expect(await statusOf(toApi("raw", `"${"x".repeat(4 * 1024 * 1024)}"`))).toBe(413);
    expect(await statusOf(toApi("raw", `"${"x".repeat(5 * 1024 * 1024)}"`, { "transfer-encoding": "chunked" }))).toBe(
      413,
    );
  });

  it("names an unknown request and a wrong member", async () => {
    const { status, body } = await send(server.port, toApi("__proto__"));
    expect({ status, code: JSON.parse(body).error.code }).toEqual({ status: 404, code: "unknown_request" });
    const wrong = await send(server.port, toApi("cancel", { id: 7 }));
    expect(JSON.parse(wrong.body).error.message).toBe("cancel: id must be a string.");
    const surplus = await send(server.port, toApi("reconnect", { command: ["sh"] }));
    expect(JSON.parse(surplus.body).error.message).toBe('reconnect: "command" is unknown.');
  });

  const opened: (() => void)[] = [];

  async function open(): Promise<IncomingMessage> {
    const { method, path, headers, body } = toApi("events");
    const sent = request({ host: "127.0.0.1", port: server.port, method, path, headers, agent: false });
    // The server may cut it off.
    sent.on("error", () => {});
    sent.end(body);
    const [response] = await once(sent, "response");
    response.on("error", () => {});
    opened.push(() => sent.destroy());
    return response;
  }

  it("cuts off a page that reads nothing", async () => {
    await open();
    const text = "x".repeat(1024 * 1024);
    // Sockets take some megabytes beside those that may wait.
    for (let n = 0; n < 100; n++) streams.send({ kind: "stderr", text });
    await expect.poll(() => streams.size).toBe(0);
  });

  it("streams events to 16 pages and refuses the 17th", async () => {
    for (let n = 0; n < 16; n++) expect((await open()).statusCode).toBe(200);
    const refused = await open();
    expect(refused.statusCode).toBe(429);
    for (const close of opened) close();
    await expect.poll(() => streams.size).toBe(0);
    const again = await open();
    const [first] = await once(again.setEncoding("utf8"), "data");
    expect(first).toBe('{"kind":"ready"}\n');
    streams.send({ kind: "cleared" });
    expect((await once(again, "data"))[0]).toBe('{"kind":"cleared"}\n');
    opened.at(-1)?.();
  });
});
