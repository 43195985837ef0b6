import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import {
  definePrompt,
  defineResource,
  defineServer,
  defineTool,
  field,
  type LogEntry,
  NotFound,
  ToolError,
} from "proffer";
import { serveHttp } from "proffer/http";
import { type TelemetryOptions, telemetry } from "proffer/telemetry";
import { connect } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modern, postModern } from "../http/http-client.ts";
import { EVERY } from "../versions.ts";
import { type Sdk, startSdk, useContexts } from "./sdk.ts";

let restore = () => {};
beforeAll(() => {
  restore = useContexts();
});
afterAll(() => restore());

const TOKEN = "t0ken-of-ada";

function serve(options: TelemetryOptions = {}, log: (entry: LogEntry) => void = () => {}) {
  const sdk = startSdk();
  const { tracerProvider } = sdk.options;
  const server = defineServer({
    name: "s",
    version: "1",
    log,
    observe: telemetry({ ...sdk.options, ...options }),
    tools: [
      defineTool({
        name: "greet",
        input: { type: "object", properties: { who: { type: "string" } } },
        handle: async ({ who }) => `answer for ${who}`,
      }),
      defineTool({
        name: "fails",
        handle: () => {
          throw new ToolError("s3cret failure");
        },
      }),
      defineTool({
        name: "throws",
        handle: async () => {
          throw new Error("s3cret exception");
        },
      }),
      defineTool({
        name: "asks",
        handle: async (_input, ctx) => (await ctx.ask("Sure?", { sure: field.boolean() })).action,
      }),
      defineTool({
        name: "traced",
        handle: async () => {
          await Promise.resolve();
          return tracerProvider.getTracer("author").startActiveSpan("inner", (span) => {
            span.end();
            return "traced";
          });
        },
      }),
    ],
    prompts: [definePrompt({ name: "write", get: () => "Write." })],
    resources: [
      defineResource({ uri: "s://fixed", name: "Fixed", content: "fixed" }),
      defineResource({
        uri: "s://orders/{id}",
        name: "Order",
        read: ({ id }) => {
          if (id === "none") throw new NotFound(`There is no s://orders/${id}.`);
          return `order ${id}`;
        },
      }),
    ],
  });
  return { server, sdk };
}

function named(sdk: Sdk, name: string) {
  return sdk.spans().filter((span) => span.name === name);
}

describe.each(EVERY)("the spans of a server on %s", (revision) => {
  it("have the names, kinds and attributes of the conventions", async () => {
    const { server, sdk } = serve();
    const client = await connect(server, { revision });
    await client.call("greet", { who: "x" });
    await client.get("write");
    await client.read("s://orders/7");
    await client.read("s://fixed");
    await client.listTools();
    const id = expect.stringMatching(/^\d+$/);
    const common = { "jsonrpc.request.id": id, "mcp.protocol.version": revision };
    expect(
      sdk
        .spans()
        .slice(1)
        .map(({ name, kind, attributes, status }) => ({ name, kind, attributes, status: status.code })),
    ).toEqual(
      [
        {
          name: "tools/call greet",
          attributes: {
            ...common,
            "mcp.method.name": "tools/call",
            "gen_ai.tool.name": "greet",
            "gen_ai.operation.name": "execute_tool",
          },
        },
        {
          name: "prompts/get write",
          attributes: { ...common, "mcp.method.name": "prompts/get", "gen_ai.prompt.name": "write" },
        },
        {
          name: "resources/read",
          attributes: { ...common, "mcp.method.name": "resources/read", "mcp.resource.uri": "s://orders/{id}" },
        },
        {
          name: "resources/read",
          attributes: { ...common, "mcp.method.name": "resources/read", "mcp.resource.uri": "s://fixed" },
        },
        { name: "tools/list", attributes: { ...common, "mcp.method.name": "tools/list" } },
      ].map((span) => ({ kind: SpanKind.SERVER, status: SpanStatusCode.UNSET, ...span })),
    );
  });

  it("have the failure of a call: its code, or tool_error", async () => {
    const { server, sdk } = serve();
    const client = await connect(server, { revision });
    await client.call("fails");
    await client.call("throws");
    await client.call("nothing").catch(() => {});
    await client.request("no/such").catch(() => {});
    const seen = sdk
      .spans()
      .slice(1)
      .map(({ name, attributes, status }) => [
        name,
        attributes["error.type"],
        attributes["rpc.response.status_code"],
        status.code,
        status.message,
      ]);
    const { ERROR } = SpanStatusCode;
    expect(seen).toEqual([
      ["tools/call fails", "tool_error", undefined, ERROR, undefined],
      ["tools/call throws", "tool_error", undefined, ERROR, undefined],
      ["tools/call", "-32602", "-32602", ERROR, expect.stringContaining("Unknown tool")],
      ["_OTHER", "-32601", "-32601", ERROR, expect.stringContaining("Unknown method")],
    ]);
  });
});

describe("a span", () => {
  it("names the network of HTTP and its version", async () => {
    const { server, sdk } = serve();
    const service = await serveHttp(server, { port: 0 });
    await postModern(service.url, modern("tools/list"));
    await service.close();
    expect(named(sdk, "tools/list")[0]?.attributes).toMatchObject({
      "network.transport": "tcp",
      "network.protocol.name": "http",
      "network.protocol.version": "1.1",
    });
  });

  it("has the URI of a resource only if asked", async () => {
    for (const uris of [false, true]) {
      const { server, sdk } = serve({ uris });
      const client = await connect(server);
      await client.read("s://orders/7");
      await client.read("s://orders/none").catch(() => {});
      await client.read("s://nowhere").catch(() => {});
      const spans = named(sdk, "resources/read");
      expect(spans.map(({ attributes }) => attributes["mcp.resource.uri"])).toEqual(
        uris ? ["s://orders/7", "s://orders/none", "s://nowhere"] : ["s://orders/{id}", "s://orders/{id}", undefined],
      );
      expect(spans[1]?.status.message).toBe(uris ? "There is no s://orders/none." : "There is no ….");
      expect(spans[2]?.status.message?.includes("nowhere")).toBe(uris);
    }
  });

  it("has arguments and results only if asked, as a function returns them", async () => {
    const { server, sdk } = serve({
      arguments: (values) => ({ ...(values as object), who: "***" }),
      results: true,
    });
    const client = await connect(server, { answers: [{ sure: true }] });
    await client.call("greet", { who: "ada" });
    expect(named(sdk, "tools/call greet")[0]?.attributes).toMatchObject({
      "gen_ai.tool.call.arguments": '{"who":"***"}',
      "gen_ai.tool.call.result": '{"content":[{"type":"text","text":"answer for ada"}]}',
    });
    await client.call("asks");
    const results = named(sdk, "tools/call asks").map(({ attributes }) => attributes["gen_ai.tool.call.result"]);
    expect(results).toEqual([undefined, expect.stringContaining("accept")]);
  });

  it.each<[string, TelemetryOptions]>([
    ["throws", { arguments: () => thrown(), results: () => thrown(), trust: () => thrown() }],
    [
      "rejects",
      {
        arguments: () => Promise.reject(new Error("x")),
        results: () => Promise.reject(new Error("x")),
        trust: (() => Promise.reject(new Error("x"))) as never,
      },
    ],
    ["returns nothing", { arguments: () => undefined, results: () => undefined }],
  ])("has no contents if the function for them %s, and the call is answered", async (_how, options) => {
    const { server, sdk } = serve(options);
    const client = await connect(server);
    expect(await client.call("greet", { who: "ada" })).toMatchObject({ content: [{ text: "answer for ada" }] });
    const _meta = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` };
    expect(await client.call("greet", { who: "ada" }, { _meta })).toMatchObject({ content: [{}] });
    for (const { attributes } of sdk.spans()) {
      expect(Object.keys(attributes).filter((name) => name.startsWith("gen_ai.tool.call"))).toEqual([]);
    }
  });

  it("has no tokens, arguments, results, answers, states, sessions or exceptions", async () => {
    const logged: LogEntry[] = [];
    const { server, sdk } = serve({}, (entry) => logged.push(entry));
    const authenticate = () => ({ id: "ada", email: "ada@example.com", token: TOKEN });
    const service = await serveHttp(server, { port: 0, authenticate });
    const headers = { authorization: `Bearer ${TOKEN}`, cookie: "sid=s3cret-cookie" };
    const send = (name: string, values: object, more: object = {}) =>
      postModern(
        service.url,
        modern("tools/call", { name, arguments: values, ...more }, { elicitation: { form: {} } }),
        headers,
      );
    await send("greet", { who: "s3cret argument" });
    await send("greet", { who: ["s3cret wrong type"] });
    await send("fails", {});
    await send("throws", {});
    const { json } = await send("asks", {});
    const { requestState, inputRequests } = json.result;
    const [key = ""] = Object.keys(inputRequests);
    await send("asks", {}, { requestState, inputResponses: { [key]: { action: "accept", content: { sure: true } } } });
    await send("asks", {}, { requestState: "s3cret-state" });
    await service.close();
    const text = JSON.stringify(
      sdk.spans().map(({ name, attributes, status, events, links }) => ({ name, attributes, status, events, links })),
    );
    expect(text).toContain("tools/call asks");
    for (const secret of ["s3cret", TOKEN, "example.com", "answer for", "Sure?", "accept", requestState.slice(0, 20)]) {
      expect(text).not.toContain(secret);
    }
    const points = JSON.stringify(await sdk.points("mcp.server.operation.duration"));
    expect(points).not.toMatch(/s3cret|t0ken|example\.com/);
  });

  it("is the parent of the author's spans, and its ids are in the log entries of the call", async () => {
    const logged: LogEntry[] = [];
    const { server, sdk } = serve({}, (entry) => logged.push(entry));
    const client = await connect(server);
    await client.call("traced");
    const [outer] = named(sdk, "tools/call traced");
    expect(named(sdk, "inner")[0]?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
    await client.call("throws");
    const { traceId, spanId } = named(sdk, "tools/call throws")[0]?.spanContext() ?? {};
    expect(logged).toMatchObject([{ message: 'tool "throws" threw', trace_id: traceId, span_id: spanId }]);
  });

  it("has the chain of a call with several rounds", async () => {
    const { server, sdk } = serve();
    const client = await connect(server, { answers: [{ sure: true }] });
    await client.call("asks");
    const rounds = named(sdk, "tools/call asks").map(({ attributes }) => attributes);
    expect(rounds.map((attributes) => attributes["proffer.round"])).toEqual([0, 1]);
    expect(rounds[0]?.["proffer.chain"]).toBe(rounds[1]?.["proffer.chain"]);
  });

  it("is marked if the client cancelled the call, and is not an error", async () => {
    let waiting = false;
    const sdk = startSdk();
    const server = defineServer({
      name: "s",
      version: "1",
      observe: telemetry(sdk.options),
      tools: [
        defineTool({
          name: "waits",
          handle: () => {
            waiting = true;
            return new Promise(() => {});
          },
        }),
      ],
    });
    const client = await connect(server);
    const abort = new AbortController();
    const call = client.call("waits", {}, { signal: abort.signal }).catch(() => {});
    await expect.poll(() => waiting).toBe(true);
    abort.abort();
    await call;
    await expect
      .poll(() => named(sdk, "tools/call waits")[0])
      .toMatchObject({
        attributes: { "proffer.cancelled": true },
        status: { code: SpanStatusCode.UNSET },
      });
  });
});

describe("a request to the client", () => {
  it("is a client span inside the call, and carries its context in _meta", async () => {
    const { server, sdk } = serve();
    const client = await connect(server, { revision: "2025-11-25", answers: [{ sure: true }] });
    await client.call("asks");
    const [asked] = named(sdk, "elicitation/create");
    const [call] = named(sdk, "tools/call asks");
    expect(asked).toMatchObject({
      kind: SpanKind.CLIENT,
      attributes: { "mcp.method.name": "elicitation/create", "mcp.protocol.version": "2025-11-25" },
      parentSpanContext: { spanId: call?.spanContext().spanId },
    });
    const { traceId = "", spanId = "" } = asked?.spanContext() ?? {};
    const message = client.transcript.messages("server").find((text) => text.includes("elicitation/create")) ?? "{}";
    expect(JSON.parse(message).params._meta).toEqual({ traceparent: `00-${traceId}-${spanId}-01` });
  });

  it("is an error if the client answers with one", async () => {
    const { server, sdk } = serve();
    const capabilities = { elicitation: {} };
    const client = await connect(server, { revision: "2025-11-25", capabilities });
    await client.call("asks").catch(() => {});
    expect(named(sdk, "elicitation/create")[0]).toMatchObject({
      attributes: { "error.type": expect.stringMatching(/^-\d+$/) },
      status: { code: SpanStatusCode.ERROR },
    });
  });
});

describe("the options of telemetry", () => {
  it.each<[string, object]>([
    ['unknown option "url"', { url: true }],
    ["uris must be true or false", { uris: "yes" }],
    ["arguments must be true or false", { arguments: "yes" }],
    ["metrics must be true or false", { metrics: 1 }],
    ["parents must be one of meta-then-http, meta, http, none", { parents: "both" }],
    ["trust must be a function", { trust: true }],
  ])("are checked: %s", (message, options) => {
    expect(() => telemetry(options as never)).toThrow(
      expect.objectContaining({ name: "UsageError", message: expect.stringContaining(message) }),
    );
  });
});

function thrown(): never {
  throw new Error("of the author");
}
