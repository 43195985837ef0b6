import { type Context, defineServer, defineTool, field } from "proffer";
import { overrideOptions, type RunEvent, type TracedRun, traceRuns } from "proffer/derived";
import { connect, type TestClient } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { EVERY } from "../versions.ts";

const PAY = { sure: field.boolean() };
const YES = { action: "accept", content: { sure: true } };
const CALL = { name: "order" };

/** Serves one tool, and collects what its runs report. */
function serve(handle: (ctx: Context) => unknown) {
  const events: (RunEvent & { readonly run: TracedRun })[] = [];
  const { trace, middleware } = traceRuns((run, event) => events.push({ ...event, run }));
  const server = defineServer({
    name: "shop",
    version: "1",
    log: () => {},
    middleware,
    tools: [defineTool({ name: "order", handle: (_, ctx) => handle(ctx) })],
  });
  /** The events without what differs from run to run. */
  const plain = () => events.map(({ run: _, ...event }) => ("ms" in event ? { ...event, ms: "some" } : event));
  return { server: overrideOptions(server, { trace }), events, plain };
}

async function round(client: TestClient, before?: Record<string, unknown>): Promise<Record<string, unknown>> {
  const keys = Object.keys((before?.inputRequests ?? {}) as object);
  const inputResponses = Object.fromEntries(keys.map((key) => [key, YES]));
  return client.requestOnce("tools/call", {
    ...CALL,
    ...(before && { requestState: before.requestState, inputResponses }),
  });
}

describe("the trace of a run", () => {
  it("shows that a step ran in the first round, and came from the state in the second one", async () => {
    const { server, events, plain } = serve(async (ctx) => {
      const price = await ctx.step("price", () => 14);
      const answer = await ctx.ask(`Pay ${price}?`, PAY);
      return answer.action;
    });
    const client = await connect(server);
    await round(client, await round(client));
    expect(plain()).toEqual([
      { kind: "start" },
      { kind: "step", name: "price", how: "ran", ms: "some", value: "14" },
      { kind: "ask", message: "Pay 14?", how: "asked" },
      { kind: "end", outcome: "asks", ms: "some" },
      { kind: "start" },
      { kind: "step", name: "price", how: "replayed", value: "14" },
      { kind: "ask", message: "Pay 14?", how: "replayed" },
      { kind: "end", outcome: "returned", ms: "some" },
    ]);
    const [first, second] = new Set(events.map(({ run }) => run));
    expect(first).toMatchObject({ method: "tools/call", transport: "memory", round: 0 });
    expect(second).toMatchObject({ round: 1, chain: first?.chain, source: first?.source });
    expect(second?.id).not.toBe(first?.id);
    await client.close();
  });

  it("shows a handler that asks something else in the second round, with the reason", async () => {
    let run = 0;
    const { server, plain } = serve((ctx) => ctx.ask(run++ === 0 ? "Colour?" : "Size?", PAY));
    const client = await connect(server);
    await expect(round(client, await round(client))).rejects.toThrow("no longer asks");
    expect(plain().slice(3)).toEqual([
      { kind: "start" },
      {
        kind: "diverged",
        message: expect.stringContaining("no longer asks a question"),
        hint: expect.stringContaining("ctx.step()"),
      },
      { kind: "end", outcome: "failed", ms: "some" },
    ]);
    await client.close();
  });

  it("shows a step that failed, and cuts long values", async () => {
    const { server, plain } = serve(async (ctx) => {
      await ctx.step("long", () => "x".repeat(5000));
      await ctx.step("bad", () => Promise.reject(new Error("out of stock")));
    });
    const client = await connect(server);
    await client.call("order");
    const [, long, bad, end] = plain();
    expect((long as { value: string }).value).toHaveLength(2001);
    expect(bad).toEqual({ kind: "step", name: "bad", how: "failed", ms: "some", value: "out of stock" });
    expect(end).toMatchObject({ kind: "end", outcome: "failed" });
    await client.close();
  });

  it("does not call a question asked that the client cannot answer", async () => {
    const { server, plain } = serve((ctx) => ctx.ask("Sure?", PAY, { fallback: { action: "decline" } }));
    for (const revision of EVERY) {
      const client = await connect(server, { revision, capabilities: {} });
      await client.call("order");
      await client.close();
    }
    expect(plain().filter(({ kind }) => kind === "ask")).toEqual([]);
  });

  it("shows one run with the question inside where the server sends requests", async () => {
    const { server, plain } = serve(async (ctx) => {
      const price = await ctx.step("price", () => ({ euros: 14 }));
      return ctx.ask(`Pay ${price.euros}?`, PAY);
    });
    const client = await connect(server, { revision: "2025-11-25", answers: [{ sure: true }] });
    await client.call("order");
    expect(plain()).toEqual([
      { kind: "start" },
      { kind: "step", name: "price", how: "ran", ms: "some", value: '{"euros":14}' },
      { kind: "ask", message: "Pay 14?", how: "asked" },
      { kind: "end", outcome: "returned", ms: "some" },
    ]);
    await client.close();
  });

  it("shows a call that was canceled", async () => {
    const { server, plain } = serve((ctx) => new Promise((resolve) => ctx.signal.addEventListener("abort", resolve)));
    const client = await connect(server);
    const canceled = new AbortController();
    const call = client.call("order", {}, { signal: canceled.signal });
    await expect.poll(() => plain()).toEqual([{ kind: "start" }]);
    canceled.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => plain()[1]).toEqual({ kind: "end", outcome: "canceled", ms: "some" });
    await client.close();
  });

  it("does not disturb a call if the observer throws", async () => {
    const { trace, middleware } = traceRuns(() => {
      throw new Error("full");
    });
    const server = defineServer({
      name: "shop",
      version: "1",
      log: () => {},
      middleware,
      tools: [defineTool({ name: "order", handle: (_, ctx) => ctx.step("price", () => 14) })],
    });
    const client = await connect(overrideOptions(server, { trace }));
    expect((await client.call("order")).content).toMatchObject([{ text: "14" }]);
    await client.close();
  });
});
