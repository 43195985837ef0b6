import { REVISIONS } from "proffer/client";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { linkServer } from "../../cli/src/inspect/server-links.ts";
import { traceServer } from "../../cli/src/inspect/trace.ts";
import type { CallState } from "../src/protocol/data.ts";
import { createShop } from "./asking-shop.ts";
import { inspect, type PageClient } from "./page-client.ts";

const NEWEST = "2026-07-28";
const LEGACY = "2025-11-25";
const YES = { action: "accept", content: { sure: true } } as const;
const shop = createShop();
let page: PageClient;
let close: () => Promise<void>;

beforeAll(async () => {
  const links = linkServer(shop.server);
  ({ page, close } = await inspect({ links, trace: traceServer(shop.server) }));
});

afterAll(() => close());

const order = (revision: string, id = 7) =>
  ({ revision, method: "tools/call", params: { name: "order", arguments: { id } } }) as const;
const asks = ({ status }: CallState) => status === "asks";

async function answerFirst(draft: Parameters<PageClient["call"]>[0], answer: CallState["asks"][0]["answer"] = YES) {
  const asking = await page.call(draft, asks);
  for (const { id } of asking.asks) await page.post("answer", { ask: id, answer: answer as never });
  return page.callState(asking.id);
}

describe("a call of the page", () => {
  it("shows runs, steps, and values that came from the state", async () => {
    shop.effects.length = 0;
    const call = await answerFirst(order(NEWEST));
    expect(shop.effects).toEqual(["price"]);
    expect(call).toMatchObject({ status: "done", revision: NEWEST, result: { content: [{ text: "paid 14" }] } });
    expect(call.runs).toMatchObject([
      {
        number: 1,
        outcome: "asks",
        trace: [
          { kind: "step", name: "price", how: "ran", value: "14" },
          { kind: "ask", how: "asked" },
        ],
      },
      {
        number: 2,
        outcome: "returned",
        trace: [
          { kind: "step", name: "price", how: "replayed" },
          { kind: "ask", how: "replayed" },
        ],
      },
    ]);
    expect(call.runs[0]?.stateBytes).toBeGreaterThan(20);
    expect(call.asks).toMatchObject([{ run: 1, method: "elicitation/create", state: "answered", answer: YES }]);
    expect(call.humanMs).toBeGreaterThan(0);
    // The lines of the wire add up to the bytes of the call.
    const [first, second] = call.runs.map(({ line }) => line);
    const own = page.lines().filter(({ n, re }) => n === first || re === first || n === second || re === second);
    const sum = (dir: string) => own.filter((line) => line.dir === dir).reduce((bytes, line) => bytes + line.bytes, 0);
    expect([call.bytesOut, call.bytesIn]).toEqual([sum("out"), sum("in")]);
  });

  it("counts the progress", async () => {
    const call = await page.call({ revision: NEWEST, method: "tools/call", params: { name: "count" } });
    expect(call.progress).toMatchObject({ progress: 5, total: 5, message: "step 5", count: 5 });
  });

  it("is canceled, also while it asks", async () => {
    for (const revision of [NEWEST, LEGACY]) {
      const waiting = { revision, method: "tools/call", params: { name: "wait" } } as const;
      const { id } = await page.call(waiting, ({ runs }) => runs.length === 1);
      await page.post("cancel", { id });
      expect(await page.callState(id)).toMatchObject({ status: "canceled", runs: [{ outcome: "canceled" }] });
      await expect.poll(() => page.lines().some(({ method }) => method === "notifications/cancelled")).toBe(true);
      const asking = await page.call(order(revision), asks);
      await page.post("cancel", { id: asking.id });
      const canceled = await page.callState(asking.id);
      expect(canceled).toMatchObject({ status: "canceled", asks: [{ state: "withdrawn" }] });
      const late = page.post("answer", { ask: canceled.asks[0]?.id ?? "", answer: YES });
      await expect(late).rejects.toThrow("not open any more");
    }
  });

  it("leaves a large result out of its state", async () => {
    const call = await page.call({ revision: NEWEST, method: "tools/call", params: { name: "large" } });
    expect(call.result).toBeUndefined();
    expect(call.resultBytes).toBeGreaterThan(1_000_000);
    const { result } = await page.post("result", { id: call.id });
    expect(JSON.stringify(result).length).toBeGreaterThan(1_000_000);
  });

  it("says where the server refuses the arguments", async () => {
    const params = { name: "order", arguments: { id: "x", note: "too long" } };
    const call = await page.call({ revision: NEWEST, method: "tools/call", params });
    expect(call.refused?.map(({ pointer }) => pointer).sort()).toEqual(["/id", "/note"]);
  });

  it("uses answers that are known before", async () => {
    const call = await page.call({ ...order(NEWEST), answers: [YES] });
    expect(call).toMatchObject({ status: "done", result: { content: [{ text: "paid 14" }] } });
  });

  it("reads resources and gets prompts", async () => {
    const read = await page.call({ revision: LEGACY, method: "resources/read", params: { uri: "shop://stock" } });
    expect(read.result).toMatchObject({ contents: [{ uri: "shop://stock", text: "stock 1" }] });
    const params = { name: "greet", arguments: { name: "Ada" } };
    const prompt = await page.call({ revision: NEWEST, method: "prompts/get", params });
    expect(JSON.stringify(prompt.result)).toContain("Greet Ada.");
    const failed = await page.call({ revision: NEWEST, method: "prompts/get", params: { name: "greet" } });
    expect(failed).toMatchObject({ status: "failed", error: { code: -32602 } });
  });
});

test("a round can be sent again; changed arguments, state and caller are refused", async () => {
  shop.effects.length = 0;
  const { id } = await answerFirst(order(NEWEST));
  const again = await page.post("resend", { call: id, run: 2, change: "nothing" });
  const repeated = await page.callState(again.id);
  expect(repeated).toMatchObject({
    status: "done",
    result: { content: [{ text: "paid 14" }] },
    resent: { call: id, run: 2, change: "nothing", refused: false },
  });
  for (const change of ["arguments", "state", "caller"] as const) {
    const sent = await page.post("resend", { call: id, run: 2, change });
    const call = await page.callState(sent.id);
    expect(call, change).toMatchObject({
      status: "failed",
      error: { code: -32602 },
      resent: { change, refused: true },
    });
  }
  expect(shop.effects).toEqual(["price"]);
  await expect(page.post("resend", { call: id, run: 1, change: "state" })).rejects.toThrow("carries no state");
  await expect(page.post("resend", { call: id, run: 3, change: "nothing" })).rejects.toThrow("no run 3");
});

test("a question of an older revision is one request inside the call", async () => {
  for (const answer of [YES, { action: "decline" }, { action: "cancel" }] as const) {
    const call = await answerFirst(order(LEGACY), answer);
    expect(call.runs).toHaveLength(1);
    const expected = answer === YES ? "paid 14" : `not paid: ${answer.action}`;
    expect(call).toMatchObject({
      status: "done",
      asks: [{ run: 1, method: "elicitation/create", state: "answered", answer }],
      result: { content: [{ text: expected }] },
    });
    const { line } = call.runs[0] ?? {};
    const question = page
      .lines()
      .find(({ method, kind, re }) => kind === "request" && method === "elicitation/create" && re === line);
    expect(question).toMatchObject({ dir: "in" });
  }
});

test("questions that are asked together are one round", async () => {
  const asking = await page.call(
    { revision: NEWEST, method: "tools/call", params: { name: "both" } },
    ({ asks: all }) => all.length === 2,
  );
  expect(asking.asks.map(({ run, state }) => [run, state])).toEqual([
    [1, "open"],
    [1, "open"],
  ]);
  const [second, first] = [...asking.asks].reverse();
  await page.post("answer", { ask: second?.id ?? "", answer: { action: "accept", content: { value: "b" } } });
  await page.post("answer", { ask: first?.id ?? "", answer: { action: "accept", content: { value: "a" } } });
  const call = await page.callState(asking.id);
  expect(call.runs).toHaveLength(2);
  expect(call.result).toMatchObject({ content: [{ text: "a+b" }] });
});

test("compares a call on every revision", async () => {
  const { results } = await page.post("compare", { method: "tools/call", params: { name: "count" } });
  expect(results.map(({ revision }) => revision)).toEqual(REVISIONS);
  for (const { result, bytes, ms } of results) {
    expect(result).toMatchObject({ content: [{ type: "text", text: "counted" }] });
    expect(bytes).toBeGreaterThan(JSON.stringify(result).length);
    expect(ms).toBeGreaterThan(0);
  }
  const declined = await page.post("compare", {
    method: "tools/call",
    params: { name: "order", arguments: { id: 1 } },
  });
  for (const { result } of declined.results.slice(0, 3)) expect(JSON.stringify(result)).toContain("not paid: decline");
  await expect(page.post("compare", { method: "logging/setLevel", params: {} })).rejects.toThrow("cannot be compared");
});

test("reads a subscribed resource again after each update, on old and new revisions", async () => {
  for (const revision of [NEWEST, LEGACY]) {
    await page.post("subscribe", { revision, uri: "shop://stock" });
    const before = await page.until("live", (live) => live.revision === revision);
    shop.notify();
    const after = await page.until("live", (live) => live.revision === revision && live.updates > before.updates);
    expect(JSON.stringify(after.result)).not.toBe(JSON.stringify(before.result));
    await page.post("unsubscribe", { revision, uri: "shop://stock" });
    await page.until("unsubscribed", (event) => event.revision === revision);
  }
});
