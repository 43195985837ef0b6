import { once } from "node:events";
import { createServer } from "node:http";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { createNodeHandler, type HttpService, serveHttp } from "proffer/http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LEGACY, legacy, modern, modernHeaders, post, postModern, send, sendRaw } from "./http-client.ts";
import { openWorkshop } from "./workshop.ts";

const { server } = openWorkshop();
const echo = modern("tools/call", { name: "echo", arguments: { message: "hi" } });
let service: HttpService;
let url: string;

beforeAll(async () => {
  service = await serveHttp(
    { "/mcp": server, "/area/other": { server, sessions: false, legacySse: true } },
    { port: 0, health: true },
  );
  url = service.url;
});

afterAll(() => service.close());

/** The status line of the response to a hand-written request. */
async function statusLine(target: string, ...headers: string[]): Promise<string> {
  const head = [`GET ${target} HTTP/1.1`, ...headers, "connection: close", "", ""].join("\r\n");
  return (await sendRaw(service.port, head)).split("\r\n")[0] ?? "";
}

/** The routes that accept any Host, because probes send an IP address; `health.test.ts` tests them. */
const EXEMPT = ["/healthz", "/readyz"];

const FOREIGN_HOSTS = [
  "evil.com",
  "evil.com:3000",
  "127.0.0.1.evil.com",
  "localhost.evil.com",
  "localhost@evil.com",
  "evil.com@localhost",
  "localhost/",
  "localhost:3000/mcp",
  "localhost:",
  "localhost:x",
  "localhost, evil.com",
  "[::1].evil.com",
  "0.0.0.0",
  "2130706433",
  "127.1",
  "",
];

describe("a foreign Host", () => {
  it("is rejected on every route but the health routes", async () => {
    expect([...service.routes].sort()).toEqual([
      "/area/other",
      "/area/other/messages",
      "/area/other/sse",
      "/healthz",
      "/mcp",
      "/readyz",
    ]);
    for (const route of [...service.routes, "/unknown"]) {
      for (const host of EXEMPT.includes(route) ? [] : FOREIGN_HOSTS) {
        const line = await statusLine(route, `host: ${host}`);
        expect({ route, host, line }).toEqual({ route, host, line: expect.stringMatching(/ 40[03] /) });
      }
      expect(await statusLine(route)).toContain(" 400 ");
      expect(await statusLine(route, "host: localhost", "host: evil.com")).toContain(" 400 ");
      expect(await statusLine(route, "host: localhost", "host: localhost")).toContain(" 400 ");
      expect(await statusLine(`http://evil.com${route}`, "host: localhost")).toContain(" 40");
    }
  });

  it("is rejected on every route behind more headers than Node parses", async () => {
    for (const count of [990, 1000, 1999, 2000, 2500]) {
      const many = ["host: localhost", ...Array.from({ length: count }, () => "a:"), "host: evil.com"];
      for (const route of [...service.routes, "/unknown"]) {
        const line = await statusLine(route, ...many);
        expect({ route, count, line }).toEqual({
          route,
          count,
          line: expect.stringContaining(count < 1000 ? " 400 " : " 431 "),
        });
      }
    }
  });

  it("is rejected behind more headers than the embedding server parses", async () => {
    const http = createServer(createNodeHandler(server));
    http.maxHeadersCount = 40;
    await once(http.listen(0, "127.0.0.1"), "listening");
    const { port } = http.address() as AddressInfo;
    const head = ["GET /mcp HTTP/1.1", "host: localhost", ...Array.from({ length: 70 }, () => "a:"), "host: evil.com"];
    expect(await sendRaw(port, [...head, "connection: close", "", ""].join("\r\n"))).toMatch(/^HTTP\/1.1 431 /);
    http.close();
  });

  it.each([
    ["its name", "evil.com:8080", "evil.com:8080"],
    ["only the characters of a name", "a<script>\"'&\\ `", "a?script???????"],
    ["only the start of a long name", "x".repeat(8000), `${"x".repeat(100)}…`],
  ])("is rejected with an error that contains %s, and the option", async (_, host, shown) => {
    const { status, json } = await postModern(url, echo, { host });
    expect({ status, message: json.error.message }).toEqual({
      status: 403,
      message: `Host not allowed: ${shown}. The operator of the server can add it to allowedHosts, or with --allowed-host.`,
    });
  });

  it.each(["localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:65535", "[::1]", "[::1]:80"])(
    "does not include %s",
    async (host) => {
      expect((await postModern(url, echo, { host })).status).toBe(200);
    },
  );

  it("is also rejected over HTTP/2 as :authority", async () => {
    const handler = createNodeHandler(server);
    const h2 = http2.createServer((request, response) => handler(request as never, response as never));
    await new Promise<void>((resolve) => h2.listen(0, "127.0.0.1", resolve));
    const client = http2.connect(`http://127.0.0.1:${(h2.address() as AddressInfo).port}`);
    const request = (authority: string) =>
      new Promise((resolve, reject) => {
        const stream = client.request({
          ":method": "POST",
          ":path": "/mcp",
          ":authority": authority,
          ...(modernHeaders(echo) as Record<string, string>),
        });
        stream.on("response", (headers) => resolve(headers[":status"]));
        stream.on("error", reject);
        stream.resume().end(JSON.stringify(echo));
      });
    expect(await request("localhost:8080")).toBe(200);
    expect(await request("evil.com")).toBe(403);
    client.close();
    await new Promise((resolve) => h2.close(resolve));
  });

  it("can be allowed by name, with a wildcard for subdomains", async () => {
    const named = await serveHttp(server, { port: 0, allowedHosts: ["mcp.example.com", "*.example.org:8443"] });
    const status = async (host: string) => (await postModern(named.url, echo, { host })).status;
    expect(await status("mcp.example.com")).toBe(200);
    expect(await status("MCP.example.com:1234")).toBe(200);
    expect(await status("a.b.example.org:8443")).toBe(200);
    expect(await status("localhost")).toBe(200);
    for (const host of ["example.com", "xmcp.example.com", "example.org:8443", "a.example.org", "mcpxexample.com"]) {
      expect({ host, status: await status(host) }).toEqual({ host, status: 403 });
    }
    await named.close();
    await expect(serveHttp(server, { port: 0, allowedHosts: ["https://x"] })).rejects.toThrow(/allowedHosts/);
    const any = await serveHttp(server, { port: 0, dangerouslyAllowAnyHost: true });
    expect((await postModern(any.url, echo, { host: "evil.com" })).status).toBe(200);
    await any.close();
  });

  it("includes localhost with allowLocalhost: false", async () => {
    const options = { port: 0, allowedHosts: ["mcp.example.com"], allowLocalhost: false };
    const named = await serveHttp(server, options);
    const status = async (host: string) => (await postModern(named.url, echo, { host })).status;
    expect(await status("mcp.example.com")).toBe(200);
    for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
      expect({ host, status: await status(host) }).toEqual({ host, status: 403 });
    }
    await named.close();
    const nobody = { ...options, allowedHosts: [] };
    await expect(serveHttp(server, nobody)).rejects.toThrow(/every request would be refused/);
    expect(() => createNodeHandler(server, nobody)).toThrow(/createNodeHandler\(\): allowLocalhost is false/);
  });
});

describe("an Origin", () => {
  it("is rejected if it is foreign; requests without it are allowed", async () => {
    const foreign = [
      ...["http://evil.com", "null", "http://localhost.evil.com", "HTTP://LOCALHOST", "http://localhost/", "localhost"],
      ...["http://localhost@evil.com", "file://", "", "http://127.0.0.1.evil.com", "http://localhost:80:80"],
      "http://localhost, http://localhost",
    ];
    for (const origin of foreign) {
      expect({ origin, status: (await postModern(url, echo, { origin })).status }).toEqual({ origin, status: 403 });
    }
    for (const origin of [
      "http://localhost",
      "http://localhost:6274",
      "https://127.0.0.1:1",
      "http://[::1]:3000",
      undefined,
    ]) {
      expect({ origin, status: (await postModern(url, echo, { origin })).status }).toEqual({ origin, status: 200 });
    }
  });

  it("gets no CORS headers if CORS is off or the origin is not allowed", async () => {
    const ask = { "access-control-request-method": "POST", "access-control-request-headers": "mcp-method" };
    const silent = await send(url, { method: "OPTIONS", headers: { ...ask, origin: "http://localhost" } });
    expect(silent.status).toBe(405);
    const open = await serveHttp(server, { port: 0, cors: "check", allowedOrigins: ["https://*.example.com"] });
    const evil = await send(open.url, { method: "OPTIONS", headers: { ...ask, origin: "https://evil.com" } });
    expect(evil.status).toBe(403);
    for (const answer of [silent, evil]) {
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
    const headers = {
      ...ask,
      origin: "https://app.example.com",
      "access-control-request-headers": "mcp-param-region, x-evil",
    };
    const allowed = await send(open.url, { method: "OPTIONS", headers });
    expect(allowed.status).toBe(204);
    expect(allowed.headers["access-control-allow-origin"]).toBe("https://app.example.com");
    expect(allowed.headers["access-control-allow-credentials"]).toBeUndefined();
    expect(allowed.headers["access-control-allow-headers"]).toContain("mcp-param-region");
    expect(allowed.headers["access-control-allow-headers"]).not.toContain("x-evil");
    expect(allowed.headers.vary).toBe("origin");
    const answer = await postModern(open.url, echo, { origin: "https://app.example.com" });
    expect(answer.headers["access-control-allow-origin"]).toBe("https://app.example.com");
    expect(answer.headers["access-control-expose-headers"]).toBe("mcp-session-id, www-authenticate");
    await open.close();
  });

  it("is required with cors: enforce", async () => {
    const strict = await serveHttp(server, { port: 0, cors: "enforce" });
    expect((await postModern(strict.url, echo)).status).toBe(400);
    expect((await postModern(strict.url, echo, { origin: "http://localhost" })).status).toBe(200);
    await strict.close();
    await expect(serveHttp(server, { port: 0, cors: "on" as never })).rejects.toThrow(/cors must be/);
  });
});

describe("a path", () => {
  it("is compared exactly, without normalization", async () => {
    for (const path of ["//mcp", "/mcp/", "/mcp/../mcp", "/./mcp", "/%6dcp", "/MCP", "/mcp;x", "/mcp%00"]) {
      const line = await statusLine(path, "host: localhost");
      expect({ path, line }).toEqual({ path, line: "HTTP/1.1 404 Not Found" });
    }
    expect((await postModern(`${url}?x=1`, echo)).status).toBe(200);
  });

  it("selects one of several servers, each with its own options", async () => {
    const other = `http://127.0.0.1:${service.port}/area/other`;
    expect(service.urls).toEqual({ "/mcp": url, "/area/other": other });
    const initialize = legacy("initialize", { protocolVersion: LEGACY });
    expect((await post(url, initialize)).headers["mcp-session-id"]).toBeDefined();
    expect((await post(other, initialize)).headers["mcp-session-id"]).toBeUndefined();
    await expect(serveHttp({ mcp: server }, { port: 0 })).rejects.toThrow(/"mcp" is not a path/);
    await expect(serveHttp({}, { port: 0 })).rejects.toThrow(/at least one server/);
  });
});

describe("the headers of a request", () => {
  it("must have a Content-Type of JSON", async () => {
    const refused = [
      ...["text/plain", "text/plain;a=application/json", "application/json-evil", "application/x-www-form-urlencoded"],
      ...[
        undefined,
        "",
        "application/json, text/plain",
        "application/json; charset=utf-16",
        "application/jsonx",
        "json",
      ],
    ];
    for (const type of refused) {
      const { status } = await postModern(url, echo, { "content-type": type });
      expect({ type, status }).toEqual({ type, status: 415 });
    }
    for (const type of ["application/json", "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"']) {
      expect((await postModern(url, echo, { "content-type": type })).status).toBe(200);
    }
    const twice = await sendRaw(
      service.port,
      "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-type: text/plain\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}",
    );
    expect(twice).toMatch(/^HTTP\/1.1 400 /);
  });

  it("must have an Accept that allows JSON and event streams", async () => {
    const both = "application/json, text/event-stream";
    for (const accept of [both, undefined, "*/*", "application/*, text/*", `text/html, ${both};q=0.1`, "*/*;q=0.1"]) {
      expect((await postModern(url, echo, { accept })).status).toBe(200);
    }
    const refused = [
      "application/json",
      "text/event-stream",
      "text/html",
      `${both};q=0`,
      "*/*;q=0",
      "application/json;q=0, */*",
    ];
    for (const accept of refused) {
      expect({ accept, status: (await postModern(url, echo, { accept })).status }).toEqual({ accept, status: 406 });
    }
  });
});
