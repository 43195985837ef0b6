import type { TraceEvent } from "@proffer/inspector";
import { type Context, defineServer, defineTool, field } from "proffer";
import { REVISIONS } from "proffer/client";
import { connect, type TestClient } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { traceServer } from "../src/inspect/trace.ts";

const PAY = { sure: field.boolean() };
const YES = { action: "accept", content: { sure: true } };
const CALL = { name: "order" };

/** Serves one tool, and collects the reports of its runs. */
function serve(handle: (ctx: Context) => unknown) {
  const events: TraceEvent[] = [];
  const server = defineServer({
    name: "shop",
    version: "1",
    log: () => {},
    tools: [defineTool({ name: "order", handle: (_, ctx) => handle(ctx) })],
  });
  traceServer(server)((event) => events.push(event));
  /** The reports without times, which differ from run to run. */
  const plain = () => events.map(({ trace }) => ("ms" in trace ? { ...trace, ms: "some" } : trace));
  return { server, events, plain };
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
      { kind: "step", name: "price", how: "ran", ms: "some", value: "14" },
      { kind: "ask", message: "Pay 14?", how: "asked" },
      { kind: "step", name: "price", how: "replayed", value: "14" },
      { kind: "ask", message: "Pay 14?", how: "replayed" },
    ]);
    expect(new Set(events.map(({ source }) => source)).size).toBe(1);
    const [first, , second] = events.map(({ id }) => id);
    expect(events.map(({ id }) => id)).toEqual([first, first, second, second]);
    expect(second).not.toBe(first);
    await client.close();
  });

  it("shows a handler that asks something else in the second round, with the reason", async () => {
    let run = 0;
    const { server, plain } = serve((ctx) => ctx.ask(run++ === 0 ? "Colour?" : "Size?", PAY));
    const client = await connect(server);
    await expect(round(client, await round(client))).rejects.toThrow("no longer asks");
    expect(plain().slice(1)).toEqual([
      {
        kind: "diverged",
        message: expect.stringContaining("no longer asks a question"),
        hint: expect.stringContaining("ctx.step()"),
      },
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
    const [long, bad] = plain();
    expect((long as { value: string }).value).toHaveLength(2001);
    expect(bad).toEqual({ kind: "step", name: "bad", how: "failed", ms: "some", value: "out of stock" });
    await client.close();
  });

  it("does not call a question asked that the client cannot answer", async () => {
    const { server, plain } = serve((ctx) => ctx.ask("Sure?", PAY, { fallback: { action: "decline" } }));
    for (const revision of REVISIONS) {
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
      { kind: "step", name: "price", how: "ran", ms: "some", value: '{"euros":14}' },
      { kind: "ask", message: "Pay 14?", how: "asked" },
    ]);
    await client.close();
  });

  it("does not disturb a call if the observer throws", async () => {
    const { server } = serve((ctx) => ctx.step("price", () => 14));
    traceServer(server)(() => {
      throw new Error("full");
    });
    const client = await connect(server);
    expect((await client.call("order")).content).toMatchObject([{ text: "14" }]);
    await client.close();
  });
});
