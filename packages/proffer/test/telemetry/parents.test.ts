import { context, propagation, TraceFlags, trace } from "@opentelemetry/api";
import { ParentBasedSampler, type Sampler, TraceIdRatioBasedSampler } from "@opentelemetry/sdk-trace-base";
import { defineServer, defineTool, type Principal } from "proffer";
import { serveHttp } from "proffer/http";
import { type TelemetryOptions, telemetry } from "proffer/telemetry";
import { connect } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modern, postModern } from "../http/http-client.ts";
import { startSdk, useContexts } from "./sdk.ts";

let restore = () => {};
beforeAll(() => {
  restore = useContexts();
});
afterAll(() => restore());

const META = { traceId: "a".repeat(32), spanId: "1".repeat(16) };
const HEADER = { traceId: "b".repeat(32), spanId: "2".repeat(16) };
const ADA: Principal = { id: "ada" };

function traceparent({ traceId, spanId }: typeof META, flags = "01"): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

function serve(options: TelemetryOptions = {}, sampler?: Sampler) {
  const sdk = startSdk(sampler);
  const bags: (string | undefined)[] = [];
  const handle = () => {
    bags.push(propagation.getBaggage(context.active())?.getEntry("team")?.value);
    return "done";
  };
  const server = defineServer({
    name: "s",
    version: "1",
    observe: telemetry({ ...sdk.options, ...options }),
    tools: [defineTool({ name: "t", handle })],
  });
  /** The parent and the links of the last span of a call. */
  const origin = () => {
    const span = sdk.spans().findLast(({ name }) => name === "tools/call t");
    return {
      parent: span?.parentSpanContext && ids(span.parentSpanContext),
      links: span?.links.map((link) => ids(link.context)),
    };
  };
  return { server, sdk, bags, origin };
}

function ids({ traceId, spanId }: typeof META) {
  return { traceId, spanId };
}

/** Sends a call over HTTP. */
async function post(server: ReturnType<typeof serve>["server"], meta: object, header?: string, principal?: Principal) {
  const service = await serveHttp(server, { port: 0, authenticate: () => principal });
  const message = modern("tools/call", { name: "t", arguments: {}, _meta: meta });
  const { status } = await postModern(service.url, message, { traceparent: header });
  expect(status).toBe(200);
  await service.close();
}

const BOTH = [{ traceparent: traceparent(META) }, traceparent(HEADER)] as const;

describe("the parent of a call's span", () => {
  it("is the context in _meta; that of the HTTP request becomes a link", async () => {
    const { server, origin } = serve();
    await post(server, ...BOTH, ADA);
    expect(origin()).toEqual({ parent: META, links: [HEADER] });
  });

  it("is the context of the HTTP request if _meta has none", async () => {
    const { server, origin } = serve();
    await post(server, {}, traceparent(HEADER), ADA);
    expect(origin()).toEqual({ parent: HEADER, links: [] });
  });

  it("is no context of a caller who is not trusted: both become links of a new trace", async () => {
    const { server, origin } = serve();
    await post(server, ...BOTH);
    expect(origin()).toEqual({ parent: undefined, links: [META, HEADER] });
  });

  it("cannot force sampling if the caller is not trusted", async () => {
    const never = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(0) });
    const { server, sdk } = serve({}, never);
    await post(server, ...BOTH);
    expect(sdk.spans()).toEqual([]);
    await post(server, ...BOTH, ADA);
    expect(sdk.spans()).toHaveLength(1);
  });

  it("is decided by trust", async () => {
    const { server, origin } = serve({ trust: (principal) => principal === undefined });
    await post(server, ...BOTH);
    expect(origin()).toEqual({ parent: META, links: [HEADER] });
    await post(server, ...BOTH, ADA);
    expect(origin()).toEqual({ parent: undefined, links: [META, HEADER] });
  });

  it.each([
    ["meta", { parent: META, links: [HEADER] }],
    ["http", { parent: HEADER, links: [] }],
    ["none", { parent: undefined, links: [] }],
  ] as const)("with parents: %s", async (parents, expected) => {
    const { server, origin } = serve({ parents });
    await post(server, ...BOTH, ADA);
    expect(origin()).toEqual(expected);
  });

  it("is a link with parents: meta if only the HTTP request has a context", async () => {
    const { server, origin } = serve({ parents: "meta" });
    await post(server, {}, traceparent(HEADER), ADA);
    expect(origin()).toEqual({ parent: undefined, links: [HEADER] });
  });

  it("is the span of an HTTP instrumentation, which is trusted, or a link to it", async () => {
    const { server, sdk, origin } = serve();
    const outer = sdk.options.tracerProvider.getTracer("http").startSpan("POST");
    const active = trace.setSpan(context.active(), outer);
    const client = await connect(server);
    await context.with(active, () => client.call("t"));
    expect(origin()).toEqual({ parent: ids(outer.spanContext()), links: [] });
    await context.with(active, () => client.call("t", {}, { _meta: { traceparent: traceparent(META) } }));
    expect(origin()).toEqual({ parent: META, links: [ids(outer.spanContext())] });
  });

  it("keeps the trace state and the flag of _meta", async () => {
    const { server, sdk } = serve();
    const client = await connect(server);
    await client.call("t", {}, { _meta: { traceparent: traceparent(META), tracestate: "a=1,b=2" } });
    const parent = sdk.spans().at(-1)?.parentSpanContext;
    expect(parent).toMatchObject({ ...META, traceFlags: TraceFlags.SAMPLED, isRemote: true });
    expect(parent?.traceState?.serialize()).toBe("a=1,b=2");
  });

  it.each([
    ["is not a text", 42],
    ["is empty", ""],
    ["is too short", "00-a-b-01"],
    ["is too long", `${traceparent(META)}-00`],
    ["has another version", traceparent(META).replace("00-", "01-")],
    ["has capital letters", traceparent({ ...META, traceId: "A".repeat(32) })],
    ["has a trace id of zeros", traceparent({ ...META, traceId: "0".repeat(32) })],
    ["has a span id of zeros", traceparent({ ...META, spanId: "0".repeat(16) })],
    ["has a newline", `${traceparent(META)}\n`],
    ["is huge", "0".repeat(100_000)],
  ])("is ignored if it %s", async (_how, value) => {
    const { server, origin } = serve();
    const client = await connect(server);
    await client.call("t", {}, { _meta: { traceparent: value } });
    expect(origin()).toEqual({ parent: undefined, links: [] });
  });

  it("ignores a trace state that is too long", async () => {
    const { server, sdk } = serve();
    const client = await connect(server);
    await client.call("t", {}, { _meta: { traceparent: traceparent(META), tracestate: `a=${"1".repeat(600)}` } });
    expect(sdk.spans().at(-1)?.parentSpanContext).toMatchObject(META);
    expect(sdk.spans().at(-1)?.parentSpanContext?.traceState).toBeUndefined();
  });
});

describe("baggage", () => {
  const _meta = { traceparent: traceparent(META), baggage: "team=a%20b;p=1,other=2" };

  it("reaches the handler only if asked, and only that of a trusted caller", async () => {
    for (const [options, expected] of [
      [{}, undefined],
      [{ baggage: true }, "a b"],
      [{ baggage: true, trust: () => false }, undefined],
    ] as const) {
      const { server, bags } = serve(options);
      const client = await connect(server);
      await client.call("t", {}, { _meta });
      expect(bags).toEqual([expected]);
    }
  });

  it.each([
    ["is too long", `team=${"x".repeat(9000)}`],
    ["has too many entries", Array.from({ length: 65 }, (_, n) => `team${n}=1,team=2`).join(",")],
    ["has an invalid name", "team=1,te am=2"],
    ["has an invalid value", "team=%zz"],
    ["has no value", "team"],
    ["is not a text", ["team=1"]],
  ])("is ignored if it %s", async (_how, baggage) => {
    const { server, bags } = serve({ baggage: true });
    const client = await connect(server);
    await client.call("t", {}, { _meta: { ..._meta, baggage } });
    expect(bags).toEqual([undefined]);
  });
});
