import { inspect } from "node:util";
import { type Context, defineServer, defineTool, type LogEntry, ToolError } from "proffer";
import { type HttpService, type RequestEntry, type ServeOptions, serveHttp } from "proffer/http";
import { oauth } from "proffer/oauth";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Headers, modern, modernHeaders, postModern, send, sendRaw, toBytes } from "../http/http-client.ts";
import { FakeIssuer, RESOURCE } from "./fake-issuer.ts";
import { bearer } from "./protect.ts";

let issuer: FakeIssuer;
let service: HttpService;
const seen: unknown[] = [];
const logged: (LogEntry | RequestEntry)[] = [];

beforeEach(async () => {
  issuer = await FakeIssuer.open();
  seen.length = 0;
  logged.length = 0;
});
afterEach(async () => {
  await service.close();
  await issuer.close();
});

const show = (_: unknown, ctx: Context) => {
  seen.push(inspect(ctx, { depth: 9, showHidden: true }), ctx.principal);
  return "shown";
};
const fail = (_: unknown, ctx: Context) => {
  throw new Error("failed", { cause: ctx });
};
const refuse = () => {
  throw new ToolError("refused");
};

async function serve(options: ServeOptions = {}, hookTimeout = 60_000): Promise<void> {
  const server = defineServer({
    name: "s",
    version: "1",
    limits: { hookTimeout },
    tools: [
      defineTool({ name: "show", handle: show }),
      defineTool({ name: "fail", handle: fail }),
      defineTool({ name: "refuse", handle: refuse }),
    ],
    log: (entry) => logged.push(entry),
  });
  const authenticate = oauth({ issuer: issuer.url, resource: RESOURCE });
  service = await serveHttp(server, { port: 0, authenticate, log: (entry) => logged.push(entry), ...options });
}

const call = (name = "show") => modern("tools/call", { name, arguments: {} });
const as = (token: string): Headers => ({ authorization: bearer(token) });

describe("a token", () => {
  it("cannot be reached by a handler", async () => {
    await serve();
    const token = issuer.token();
    expect((await postModern(service.url, call(), as(token))).status).toBe(200);
    const text = `${seen[0]} ${JSON.stringify(seen[1])}`;
    expect(text).toContain("orders:read");
    for (const part of [token, ...token.split(".")]) expect(text).not.toContain(part);
  });

  it("appears in no log, whatever happens", async () => {
    await serve();
    const tokens = [{}, { exp: 1 }, { aud: "x" }, { iss: "https://x.example" }, { sub: "" }].map((change) =>
      issuer.token(change),
    );
    for (const token of [...tokens, "opaque-token-of-the-test", `${tokens[0]}x`]) {
      for (const name of ["show", "fail", "refuse", "unknown"]) {
        const { body, headers } = await postModern(service.url, call(name), as(token));
        for (const part of [token, ...token.split(".")]) expect(body + JSON.stringify(headers)).not.toContain(part);
      }
      await send(`${service.url}?access_token=${token}`, { headers: as(token) });
    }
    const text = JSON.stringify(logged) + inspect(logged, { depth: 12, maxArrayLength: null });
    expect(text).toContain("a token was refused");
    expect(text).toContain("failed");
    for (const token of tokens)
      for (const part of [token, ...token.split(".").slice(1)]) expect(text).not.toContain(part);
    expect(text).not.toContain("opaque-token-of-the-test");
  });
});

describe("a protected server", () => {
  it("serves others while hundreds of requests wait for a slow hook, and closes", async () => {
    let waiting = 0;
    const authenticate = oauth({
      issuer: issuer.url,
      resource: RESOURCE,
      principal: ({ sub }) => {
        if (sub !== "slow") return {};
        waiting++;
        return new Promise(() => {});
      },
    });
    const server = defineServer({ name: "s", version: "1", tools: [defineTool({ name: "show", handle: show })] });
    service = await serveHttp(server, { port: 0, health: true, authenticate });
    const token = issuer.token({ sub: "slow" });
    const slow = Array.from({ length: 300 }, () => postModern(service.url, call(), as(token)).catch(() => "closed"));
    await expect.poll(() => waiting).toBe(300);
    expect((await postModern(service.url, call(), as(issuer.token()))).status).toBe(200);
    expect((await send(`${new URL(service.url).origin}/healthz`)).status).toBe(200);
    await service.close(100);
    expect(new Set(await Promise.all(slow))).toEqual(new Set(["closed"]));
  });

  it.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("x");
      },
    ],
    ["rejects", () => Promise.reject(new Error("x"))],
    ["never settles", () => new Promise(() => {})],
    ["returns null", () => null],
    ["returns a text", () => "ada"],
    ["returns a response", () => new Response("", { status: 200 })],
  ])("lets nobody in if authenticate %s", async (_, hook) => {
    await serve({ authenticate: hook as () => undefined }, 50);
    expect((await postModern(service.url, call())).status).toBe(500);
    expect(seen).toEqual([]);
  });

  it("has one spelling of its path", async () => {
    await serve({ path: "/a/mcp", authenticate: oauth({ issuer: issuer.url, resource: "http://localhost/a/mcp" }) });
    const targets = ["/a/mcp/", "/A/mcp", "/a/%6dcp", "//a/mcp", "/a/../a/mcp", "/a/mcp;x", "http://localhost/a/mcp"];
    for (const target of targets) {
      const bytes = toBytes(call(), { ...modernHeaders(call()), connection: "close" }, target);
      expect([target, (await sendRaw(service.port, bytes)).slice(9, 12)]).toEqual([
        target,
        expect.stringMatching(/^4(00|01|04)$/),
      ]);
    }
    expect(seen).toEqual([]);
  });

  it("identifies each request of a connection", async () => {
    await serve();
    const headers = modernHeaders(call());
    const answers = await sendRaw(
      service.port,
      Buffer.concat([
        toBytes(call(), { ...headers, ...as(issuer.token()) }),
        toBytes(call(), { ...headers, connection: "close" }),
      ]),
    );
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 401"]);
  });

  it("refuses a foreign page before it looks at the token", async () => {
    await serve();
    const headers = { ...as(issuer.token()), origin: "https://evil.example.com" };
    expect((await postModern(service.url, call(), headers)).status).toBe(403);
    const rebound = { ...as(issuer.token()), host: "evil.example.com" };
    expect((await postModern(service.url, call(), rebound)).status).toBe(403);
    expect(issuer.requests).toEqual([]);
  });
});
