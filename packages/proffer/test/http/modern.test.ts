import { type HttpService, serveHttp } from "proffer/http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEvents } from "./event-client.ts";
import { legacy, MODERN, modern, modernHeaders, post, postModern, send } from "./http-client.ts";
import { openWorkshop, type Workshop } from "./workshop.ts";

let workshop: Workshop;
let service: HttpService;
let url: string;

beforeEach(async () => {
  workshop = openWorkshop();
  service = await serveHttp(workshop.server, { port: 0 });
  url = service.url;
});

afterEach(async () => {
  workshop.release();
  await service.close();
});

const echo = modern("tools/call", { name: "echo", arguments: { message: "hi" } });
const region = (given: object) => modern("tools/call", { name: "region", arguments: given });
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";

describe("a request of 2026-07-28", () => {
  it("is answered with JSON, with a Content-Length and without a session", async () => {
    const { status, headers, json } = await postModern(url, echo, { "mcp-session-id": "x", "last-event-id": "1-1" });
    expect(status).toBe(200);
    expect(json).toMatchObject({ id: 1, result: { resultType: "complete", content: [{ text: "hi" }] } });
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    expect(headers["content-length"]).toBeDefined();
    expect(headers["mcp-session-id"]).toBeUndefined();
  });

  it("gets a preserialized result completely", async () => {
    const { json } = await postModern(url, modern("resources/read", { uri: "shop://fixed" }, {}, "ü"));
    expect(json.id).toBe("ü");
    expect(json.result.contents[0].text).toBe("x".repeat(20_000));
  });

  it("is answered with a stream without event ids if the handler sends a notification", async () => {
    const message = modern("tools/call", { name: "tell", arguments: {}, _meta: { progressToken: "p" } });
    const events = await openEvents(url, { headers: modernHeaders(message), message });
    expect(events.response.headers["x-accel-buffering"]).toBe("no");
    await events.message(({ method }) => method === "notifications/progress");
    workshop.release();
    await events.ended;
    expect(events.messages.map(({ method, result }) => method ?? result.content[0].text)).toEqual([
      "notifications/progress",
      "notifications/progress",
      "told",
    ]);
    expect(events.events.some(({ id }) => id !== undefined)).toBe(false);
  });

  it("ends with input_required if the handler asks a question", async () => {
    const ask = modern("tools/call", { name: "ask", arguments: {} }, { elicitation: {} });
    const { status, json } = await postModern(url, ask);
    expect({ status, type: json.result.resultType }).toEqual({ status: 200, type: "input_required" });
  });

  it("gets 404 and -32601 for an unknown method, and 405 for another HTTP method", async () => {
    for (const method of ["initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such"]) {
      const { status, json } = await postModern(url, modern(method));
      expect({ status, code: json.error.code, id: json.id }).toEqual({ status: 404, code: -32601, id: 1 });
    }
    for (const method of ["GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"]) {
      const { status, headers } = await send(url, { method, headers: { "mcp-protocol-version": MODERN } });
      expect({ method, status, allow: headers.allow }).toEqual({ method, status: 405, allow: "POST" });
    }
  });

  it("requires a version header that matches the body and is supported", async () => {
    const version = (value: string | undefined) => ({ ...modernHeaders(echo), "mcp-protocol-version": value });
    const foreign = modern("tools/call", { ...echo.params, _meta: { [VERSION_KEY]: "v999.0.0" } });
    const older = modern("tools/call", { ...echo.params, _meta: { [VERSION_KEY]: "2025-11-25" } });
    const cases = [
      { message: echo, headers: version(undefined), code: -32020 },
      { message: echo, headers: version("2025-11-25"), code: -32020 },
      { message: foreign, headers: version(MODERN), code: -32020 },
      { message: foreign, headers: version("v999.0.0"), code: -32022 },
      { message: foreign, headers: version(undefined), code: -32022 },
      { message: older, headers: version("2025-11-25"), code: -32022 },
    ];
    for (const { message, headers, code } of cases) {
      const { status, json } = await post(url, message, headers);
      expect({ status, code: json.error.code, id: json.id }).toEqual({ status: 400, code, id: 1 });
      if (code === -32022) {
        const requested = message.params._meta[VERSION_KEY];
        expect(json.error.data).toEqual({ supported: [MODERN], requested });
      }
    }
  });

  it("requires a complete envelope, except for clientInfo", async () => {
    const without = (key: string) => {
      const message = structuredClone(echo);
      delete (message.params._meta as Record<string, unknown>)[`io.modelcontextprotocol/${key}`];
      return message;
    };
    expect((await postModern(url, without("clientInfo"))).status).toBe(200);
    for (const message of [without("clientCapabilities"), without("protocolVersion")]) {
      const { status, json } = await postModern(url, message);
      expect({ status, code: json.error.code, id: json.id }).toEqual({ status: 400, code: -32602, id: 1 });
    }
    const { status, json } = await post(url, legacy("server/discover", {}), { "mcp-protocol-version": MODERN });
    expect({ status, code: json.error.code }).toEqual({ status: 400, code: -32602 });
    expect(json.error.message).toContain("io.modelcontextprotocol/clientCapabilities");
  });

  it("is checked in this order: envelope, mismatch, version, header, method, capability", async () => {
    const bare = structuredClone(echo);
    delete (bare.params._meta as Record<string, unknown>)["io.modelcontextprotocol/clientCapabilities"];
    const both = await post(url, bare, { ...modernHeaders(bare), "mcp-protocol-version": "2025-11-25" });
    expect(both.json.error.code).toBe(-32602);
    const unknown = modern("no/such");
    const wrongHeader = await postModern(url, unknown, { "mcp-method": "tools/call" });
    expect(wrongHeader.json.error.code).toBe(-32020);
    const incapable = await postModern(url, modern("tools/call", { name: "sampler", arguments: {} }));
    expect({ status: incapable.status, error: incapable.json.error }).toMatchObject({
      status: 400,
      error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } },
    });
  });

  it("requires an Mcp-Method header equal to the method, apart from surrounding spaces", async () => {
    const values = [undefined, "tools/list", "TOOLS/CALL", "tools/call, tools/call", "tools/call x"];
    for (const value of values) {
      const { status, json } = await postModern(url, echo, { "mcp-method": value });
      expect({ value, status, code: json.error?.code }).toEqual({ value, status: 400, code: -32020 });
    }
    const twice = await postModern(url, echo, { "mcp-method": ["tools/call", "tools/call"] });
    expect(twice.json.error.code).toBe(-32020);
    expect((await postModern(url, echo, { "mcp-method": "  tools/call  " })).status).toBe(200);
  });

  it("requires an Mcp-Name header that is equal to the name after decoding", async () => {
    const base64 = (text: string | Buffer) => `=?base64?${Buffer.from(text).toString("base64")}?=`;
    for (const value of ["echo", " echo ", base64("echo")]) {
      expect((await postModern(url, echo, { "mcp-name": value })).status).toBe(200);
    }
    const wrong = [
      ...[undefined, "", "ECHO", "other", "echo, echo", base64("other"), "=?base64?ZWNobw?=", "=?base64?ZWN*bw==?="],
      ...["=?BASE64?ZWNobw==?=", "=?base64?ZWNobw==", base64(Buffer.from([0xff, 0xfe])), base64("echo\r\n")],
    ];
    for (const value of wrong) {
      const { status, json } = await postModern(url, echo, { "mcp-name": value });
      expect({ value, status, code: json.error?.code }).toEqual({ value, status: 400, code: -32020 });
    }
    const uri = modern("resources/read", { uri: "shop://live" });
    expect((await postModern(url, uri, { "mcp-name": "shop://other" })).json.error.code).toBe(-32020);
    expect((await postModern(url, modern("tools/call", {}), { "mcp-name": "echo" })).json.error.code).toBe(-32020);
    expect((await postModern(url, modern("tools/call", {}))).json.error.code).toBe(-32602);
  });

  it("requires Mcp-Param headers equal to the arguments by value", async () => {
    const base64 = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`;
    const right: [object, Record<string, string>][] = [
      [{ region: "eu" }, { "mcp-param-region": "eu" }],
      [{ region: "größe" }, { "mcp-param-region": base64("größe") }],
      [{ region: "" }, { "mcp-param-region": "" }],
      [{ level: 42 }, { "mcp-param-level": "42.0" }],
      [{ level: -1 }, { "MCP-PARAM-LEVEL": "-1" }],
      [{ deep: { flag: false } }, { "mcp-param-flag": "false" }],
      [{}, { "mcp-param-unknown": "ignored" }],
    ];
    for (const [given, headers] of right) {
      const { status, body } = await postModern(url, region(given), headers);
      expect({ given, status, body: status === 200 ? "" : body }).toEqual({ given, status: 200, body: "" });
    }
    const wrong: [object, Record<string, string>][] = [
      [{ region: "eu" }, {}],
      [{ region: "eu" }, { "mcp-param-region": "us" }],
      [{ region: "é" }, { "mcp-param-region": "é" }],
      [{ level: 42 }, { "mcp-param-level": "42.5" }],
      [{ level: 42 }, { "mcp-param-level": "0x2a" }],
      [{ level: 2 ** 53 }, { "mcp-param-level": "9007199254740992" }],
      [{ deep: { flag: true } }, { "mcp-param-flag": "TRUE" }],
      [{}, { "mcp-param-region": "eu" }],
      [{ region: null }, { "mcp-param-region": "null" }],
    ];
    for (const [given, headers] of wrong) {
      const { status, json } = await postModern(url, region(given), headers);
      expect({ given, status, code: json.error?.code }).toEqual({ given, status: 400, code: -32020 });
    }
  });

  it("cannot be a batch", async () => {
    for (const body of [[echo], [], [[echo]]]) {
      const { status, json } = await post(url, body, modernHeaders(echo));
      expect({ status, code: json.error.code }).toEqual({ status: 400, code: expect.any(Number) });
    }
  });

  it("is answered with 202 and no body if it is a notification", async () => {
    const note = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    const { status, body } = await post(url, note, { "mcp-protocol-version": MODERN });
    expect({ status, body }).toEqual({ status: 202, body: "" });
  });

  it("hides the details of internal errors", async () => {
    const { body } = await postModern(url, modern("tools/call", { name: "broken", arguments: {} }));
    expect(body).not.toContain("hunter2");
    expect(JSON.parse(body).result.isError).toBe(true);
  });
});

describe("subscriptions/listen", () => {
  const listen = (notifications: object, id: unknown) => modern("subscriptions/listen", { notifications }, {}, id);

  it("acknowledges first, then sends only the requested notifications with the id of the request", async () => {
    const message = listen({ toolsListChanged: true, resourceSubscriptions: ["shop://live"] }, "sub");
    const other = listen({ promptsListChanged: true }, 7);
    const events = await openEvents(url, { headers: modernHeaders(message), message });
    const prompts = await openEvents(url, { headers: modernHeaders(other), message: other });
    const acknowledged = await events.message(() => true);
    expect(acknowledged).toMatchObject({
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { toolsListChanged: true, resourceSubscriptions: ["shop://live"] } },
    });
    await prompts.message(() => true);
    workshop.server.tools.remove("echo");
    workshop.server.notify("shop://live");
    await events.message(({ method }) => method === "notifications/tools/list_changed");
    await events.message(({ method }) => method === "notifications/resources/updated");
    await service.close();
    await Promise.all([events.ended, prompts.ended]);
    for (const each of events.messages.filter(({ params }) => params)) {
      expect(each.params._meta["io.modelcontextprotocol/subscriptionId"]).toBe("sub");
    }
    expect(prompts.messages.map(({ method }) => method)).toEqual([
      "notifications/subscriptions/acknowledged",
      undefined,
    ]);
    expect(prompts.messages.at(-1)).toMatchObject({
      id: 7,
      result: { resultType: "complete", _meta: { "io.modelcontextprotocol/subscriptionId": 7 } },
    });
  });

  it("sends comments to keep an idle stream open", async () => {
    const quick = await serveHttp(workshop.server, { port: 0, keepAliveInterval: 5 });
    const message = listen({ toolsListChanged: true }, 1);
    const events = await openEvents(quick.url, { headers: modernHeaders(message), message });
    await expect.poll(() => events.comments).toBeGreaterThan(2);
    await Promise.all([quick.close(), events.ended]);
    expect(events.messages.at(-1).result).toBeDefined();
  });

  it("sends 1,000 open streams their result when the server stops", { timeout: 600_000 }, async () => {
    const streams = await Promise.all(
      Array.from({ length: 1000 }, (_, id) => {
        const message = listen({ toolsListChanged: true }, id);
        return openEvents(url, { headers: modernHeaders(message), message });
      }),
    );
    await service.close(60_000);
    await Promise.all(streams.map((stream) => stream.ended));
    expect(streams.map((stream) => stream.messages.at(-1).id)).toEqual(streams.map((_, id) => id));
  });
});
