import { inspect } from "node:util";
import {
  defineServer,
  defineTool,
  fail,
  field,
  type LogEntry,
  RpcError,
  type Server,
  type ServerOptions,
} from "proffer";
import { createFetchHandler } from "proffer/fetch";
import { serveHttp } from "proffer/http";
import { defineSettings } from "proffer/settings";
import { connect, connectOver } from "proffer/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { consoleLog } from "../src/support/log.ts";
import { JSON_REQUEST, legacy, modern, openSession, post, postModern } from "./http/http-client.ts";
import { linkHttp } from "./http/http-link.ts";

const KEY = Buffer.alloc(32, 7).toString("base64");
const TOKEN = "eyJhbGciOi.s3cret-t0ken";
const COOKIE = "sid=s3cret-c00kie";
const COOKIES = `set-cookie: a=1; ${COOKIE}`;
const CREDENTIALS = { authorization: `Bearer ${TOKEN}`, cookie: COOKIE };

/** Everything that an author could write to a log about a value. */
function dump(value: unknown): string {
  return `${inspect(value, { depth: 20, showHidden: false, getters: false })} ${JSON.stringify(value, safely())}`;
}

function safely() {
  const seen = new Set<unknown>();
  return (_key: string, value: unknown) => {
    if (typeof value !== "object" || value === null) return typeof value === "bigint" ? String(value) : value;
    if (seen.has(value)) return "seen";
    seen.add(value);
    return value;
  };
}

afterEach(() => {
  vi.restoreAllMocks();
});

/** A server that dumps every object that its author sees. */
function serve(options: Partial<ServerOptions> = {}) {
  const dumps: string[] = [];
  const write = (value: unknown) => void dumps.push(dump(value));
  const tools = [
    defineTool({
      name: "asks",
      async handle(_, ctx) {
        write(ctx);
        write(ctx.session);
        const answer = await ctx.ask("?", { ok: field.boolean() });
        return answer.action;
      },
    }),
    defineTool({
      name: "fails",
      handle() {
        throw new Error(`upstream said 401 to authorization: Bearer ${TOKEN}\nCookie: ${COOKIE}`);
      },
    }),
  ];
  const server = defineServer({
    name: "s",
    version: "1",
    tools,
    keys: [KEY],
    middleware(call, next) {
      write(call);
      write(call.params);
      return next();
    },
    ...options,
  });
  const http = {
    authenticate(request: unknown) {
      write(request);
      return { id: "ada" };
    },
    log: write,
  };
  return { server, http, dumps, write };
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function started(server: Server) {
  const service = await serveHttp(server, { port: 0 });
  closing.push(() => service.close());
  return service;
}

/** The console's lines, as the default log writes them. */
function consoleLines(): string[] {
  const lines: string[] = [];
  vi.spyOn(console, "error").mockImplementation((...values) => void lines.push(values.map(String).join(" ")));
  return lines;
}

describe("secrets", () => {
  it("do not appear in the objects that an author can inspect, in the logs, or in the responses over HTTP", async () => {
    const lines = consoleLines();
    const { server, http, dumps, write } = serve();
    write(server);
    const service = await serveHttp(server, { port: 0, ...http });
    write(service);
    const session = await openSession(service.url, "2025-11-25", CREDENTIALS);
    const calls = [
      await post(service.url, legacy("tools/call", { name: "fails" }), session),
      await postModern(service.url, modern("tools/call", { name: "fails" }), CREDENTIALS),
      await post(service.url, legacy("tools/list"), { ...session, "mcp-session-id": "unknown" }),
    ];
    await service.close();
    const everything = [...dumps, ...lines, ...calls.map(({ body }) => body)].join("\n");
    for (const secret of [TOKEN, COOKIE, KEY, session["mcp-session-id"] as string]) {
      expect(everything).not.toContain(secret);
    }
    // The keys as bytes.
    expect(everything).not.toContain("07 07 07 07");
    expect(everything).not.toMatch(/(\b7,\s*){4}/);
    expect(lines.filter((line) => line.includes("[redacted]"))).toHaveLength(2);
  });

  it("do not appear in the objects that an author can inspect with the fetch handler", async () => {
    const { server, http, dumps } = serve();
    const handle = createFetchHandler(server, { ...http, dangerouslyAllowAnyHost: true });
    const headers = { ...JSON_REQUEST, ...CREDENTIALS };
    const body = JSON.stringify(legacy("ping"));
    await handle(new Request("http://localhost/mcp?key=s3cret-query", { method: "POST", headers, body }));
    expect(dumps.length).toBeGreaterThan(1);
    for (const secret of [TOKEN, COOKIE, "s3cret-query"]) expect(dumps.join("\n")).not.toContain(secret);
  });

  it("do not appear: the state of a question, not even in the parameters that middleware sees", async () => {
    const lines = consoleLines();
    const { server, dumps } = serve();
    const states: string[] = [];
    for (const client of [
      await connect(server, { answers: [{ ok: true }] }),
      await connectOver(linkHttp((await started(server)).url), { answers: [{ ok: true }] }),
    ]) {
      const onRound = ({ requestState }: { readonly requestState?: unknown }) => {
        if (typeof requestState === "string") states.push(requestState);
      };
      expect(await client.call("asks", undefined, { onRound })).toMatchObject({ content: [{ text: "accept" }] });
      await client.request("tools/call", { name: "asks", requestState: `${states[0]}x` }).catch(() => {});
      await client.close();
    }
    expect(states).toHaveLength(2);
    const everything = [...dumps, ...lines].join("\n");
    for (const state of states) expect(everything).not.toContain(state);
  });

  it.each([
    ["a header in a text", { message: `got authorization: Bearer ${TOKEN}` }],
    ["a token in an error", { message: "m", error: new Error(`Basic ${TOKEN} is not valid`) }],
    ["a cookie in the cause of an error", { message: "m", error: new Error("e", { cause: new Error(COOKIES) }) }],
    ["headers in the details", { message: "m", headers: { ...CREDENTIALS, cookie: [COOKIE, COOKIE] } }],
    ["an API key in a text", { message: `The key pfr_${TOKEN} is unknown` }],
    ["headers as a text", { message: JSON.stringify(CREDENTIALS) }],
    ["the environment", { message: "m", env: { PROFFER_KEYS: KEY }, dump: `PROFFER_KEYS=${KEY}` }],
    ["the id of a session", { message: `unknown Mcp-Session-Id: ${TOKEN}`, "mcp-session-id": TOKEN }],
  ])("are redacted in the default log: %s", (_what, entry) => {
    const lines = consoleLines();
    consoleLog({ level: "error", ...entry } as LogEntry);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "error" });
    expect(lines[0]).toContain("[redacted]");
    for (const secret of [TOKEN, "s3cret-c00kie", KEY]) expect(lines[0]).not.toContain(secret);
  });

  it("do not reach a client in the message of an exception", async () => {
    const { server } = serve({ errors: "message", log: () => {} });
    const client = await connect(server);
    const { content } = await client.call("fails");
    expect(JSON.stringify(content)).toContain("upstream said 401 to authorization: [redacted]");
    for (const secret of [TOKEN, "s3cret-c00kie"]) expect(JSON.stringify(content)).not.toContain(secret);
  });

  it("in an error do not leave with a log message or a structured failure", async () => {
    class HttpError extends Error {
      config = { headers: CREDENTIALS };
      toJSON(): object {
        return { ...this, stack: this.stack };
      }
    }
    const error = new HttpError("bad", { cause: TOKEN });
    const tool = defineTool({
      name: "reports",
      handle(_, ctx) {
        ctx.log("error", { error, list: [error] });
        return fail("It failed.", { structured: { error } });
      },
    });
    const server = defineServer({ name: "s", version: "1", tools: [tool] });
    const client = await connect(server, { revision: "2025-11-25" });
    const { structuredContent } = await client.call("reports");
    server.sendLog("error", error);
    const shown = { name: "Error", message: "bad" };
    expect(structuredContent).toEqual({ error: shown });
    await expect
      .poll(() => client.notifications.map(({ params }) => params.data))
      .toEqual([{ error: shown, list: [shown] }, shown]);
  });

  describe("of the settings", () => {
    const secret = 'pä/ss w+o"rd!~(1)';
    const json = JSON.stringify(secret).slice(1, -1);
    const form = String(new URLSearchParams({ "": secret })).slice(1);
    const spellings: { readonly [spelling: string]: string } = {
      plainly: secret,
      "in a URL": encodeURIComponent(secret),
      "in a URL, with small letters": encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
      "in a URL, every mark encoded": "p%C3%A4%2Fss%20w%2Bo%22rd%21~%281%29",
      "in a form": form,
      "in JSON": json,
      "in JSON, with an escaped slash": json.replaceAll("/", "\\/"),
      "in JSON, in ASCII": json.replace("ä", "\\u00e4"),
      "in JSON of PHP": json.replace("ä", "\\u00e4").replaceAll("/", "\\/"),
      "in JSON that JSON quotes": JSON.stringify(json).slice(1, -1),
      "in base64": Buffer.from(secret).toString("base64"),
      "in the credentials of basic authentication": Buffer.from(`ada:${secret}`).toString("base64"),
      "in base64url": Buffer.from(`x${secret}`).toString("base64url"),
    };

    it.each(Object.entries(spellings))("do not reach a log or a client if they are written %s", async (_, written) => {
      defineSettings({ type: "object", properties: { SECRET: { type: "string", writeOnly: true } } } as const, {
        env: { SECRET: secret },
      });
      const lines = consoleLines();
      const kinds: { readonly [kind: string]: () => unknown } = {
        text: () => {
          throw new Error(`upstream said: ${written}`);
        },
        data: () => {
          throw new RpcError("internal_error", "no", { data: { body: [written], error: new Error(written) } });
        },
        failure: () => fail(written, { structured: { body: written } }),
      };
      const tools = Object.entries(kinds).map(([name, handle]) => defineTool({ name, handle: handle as never }));
      const client = await connect(defineServer({ name: "s", version: "1", tools, errors: "message" }));
      const received = [
        await client.call("text"),
        await client.call("data").catch(({ data }) => data),
        await client.call("failure"),
      ].map((each) => JSON.stringify(each));
      consoleLog({ level: "error", message: written, detail: { written } });
      for (const each of [...received, ...lines]) {
        expect(each).toContain("[redacted]");
        for (const part of [written, JSON.stringify(written).slice(1, -1)]) expect(each).not.toContain(part);
      }
    });

    it("are replaced as a whole, also if another one is a part of them, and in numbers", async () => {
      const properties = { A: { type: "string", writeOnly: true }, B: { type: "string", writeOnly: true } } as const;
      defineSettings({ type: "object", properties }, { env: { A: "abcdefgh12", B: "abcdefgh12345678" } });
      defineSettings({ type: "object", properties: { PIN: { type: "integer", writeOnly: true } } } as const, {
        env: { PIN: "77553311" },
      });
      const data = { text: "abcdefgh12345678", pin: 77553311, other: 7, big: 1n };
      const { big: _, ...rest } = data;
      const tool = defineTool({
        name: "t",
        input: { type: "object", properties: { big: { type: "boolean" } } } as const,
        handle: ({ big }) => {
          throw new RpcError("internal_error", "no", { data: big ? data : rest });
        },
      });
      const client = await connect(defineServer({ name: "s", version: "1", tools: [tool], log: () => {} }));
      const dataOf = (big: boolean) => client.call(tool, { big }).catch((error) => error.data);
      expect(await dataOf(false)).toEqual({ text: "[redacted]", pin: "[redacted]", other: 7 });
      expect(await dataOf(true)).toBeUndefined();
    });
  });

  it("are not searched for in words: a text about bearer tokens stays as it is", () => {
    const lines = consoleLines();
    consoleLog({ level: "info", message: "The bearer is unknown; use basic auth." });
    expect(JSON.parse(lines[0] ?? "").message).toBe("The bearer is unknown; use basic auth.");
  });

  it("do not appear in the error about an invalid key", () => {
    const create = () => serve({ keys: [`${KEY}${KEY}`] });
    expect(create).toThrow(expect.objectContaining({ message: expect.not.stringContaining(KEY.slice(0, 8)) }));
  });
});
