import { defineServer, defineTool, field } from "proffer";
import { afterAll, expect, test } from "vitest";
import { linkServer } from "../../cli/src/inspect/server-links.ts";
import { traceServer } from "../../cli/src/inspect/trace.ts";
import { type Inspector, startInspector } from "../src/inspector.ts";
import { openPage } from "./page-client.ts";
import { createTestHost } from "./test-host.ts";

const started: Inspector[] = [];
afterAll(() => Promise.all(started.map((inspector) => inspector.close())));

/** A tool with two questions, one after the other, and a step before them. */
async function start(): Promise<{ readonly inspector: Inspector; readonly steps: string[] }> {
  const steps: string[] = [];
  const server = defineServer({
    name: "two",
    version: "1",
    log: () => {},
    tools: [
      defineTool({
        name: "book",
        async handle(_, ctx) {
          await ctx.step("price", () => steps.push("price"));
          const where = await ctx.ask("Where?", { city: field.text() });
          const city = where.action === "accept" ? where.content.city : where.action;
          const sure = await ctx.ask(`Book ${city}?`, { sure: field.boolean() });
          return `${city}: ${sure.action === "accept" ? sure.content.sure : sure.action}`;
        },
      }),
    ],
  });
  const host = createTestHost({
    target: { kind: "module", name: "two.ts" },
    links: linkServer(server),
    trace: traceServer(server),
  });
  const inspector = await startInspector(host, 0);
  started.push(inspector);
  await inspector.started;
  return { inspector, steps };
}

const BOOK = { method: "tools/call", params: { name: "book", arguments: {} } } as const;
const rome = { action: "accept", content: { city: "Rome" } } as const;
const yes = { action: "accept", content: { sure: true } } as const;

test("a round is answered again with its state; earlier steps do not run again", async () => {
  const { inspector, steps } = await start();
  const page = await openPage(inspector.url);
  const first = await page.call({ ...BOOK, revision: "2026-07-28", answers: [rome, yes] });
  expect(first.result).toMatchObject({ content: [{ text: "Rome: true" }] });
  const { id } = await page.post("reanswer", { call: first.id, run: 1 });
  const asking = await page.callState(id, ({ status }) => status === "asks");
  expect(asking).toMatchObject({ from: { call: first.id, run: 1 }, runs: [{ number: 1, outcome: "asks" }] });
  expect(asking.asks).toMatchObject([{ state: "open", suggestion: rome, params: { message: "Where?" } }]);
  await page.post("answer", { ask: asking.asks[0]?.id ?? "", answer: { action: "accept", content: { city: "Oslo" } } });
  // The later question is another one now.
  const second = await page.callState(id, ({ asks }) => asks.length === 2);
  expect(second.asks[1]).toMatchObject({ run: 2, state: "open", params: { message: "Book Oslo?" } });
  await page.post("answer", { ask: second.asks[1]?.id ?? "", answer: yes });
  const done = await page.callState(id);
  expect(done.result).toMatchObject({ content: [{ text: "Oslo: true" }] });
  expect(steps).toEqual(["price"]);
  // The state was that of the first call.
  const sent = (await page.messages()).filter(({ dir, method }) => dir === "out" && method === "tools/call");
  const states = sent.map(({ text }) => JSON.parse(text).params.requestState);
  expect([states.length, states[3]]).toEqual([5, states[1]]);
  const third = await page.post("reanswer", { call: id, run: 2 });
  const last = await page.callState(third.id, ({ status }) => status === "asks");
  expect(last.asks.map(({ answer, state }) => [state, answer])).toEqual([
    ["answered", { action: "accept", content: { city: "Oslo" } }],
    ["open", undefined],
  ]);
  await page.post("answer", { ask: last.asks[1]?.id ?? "", answer: { action: "decline" } });
  expect((await page.callState(third.id)).result).toMatchObject({ content: [{ text: "Oslo: decline" }] });
  page.close();
});

test("a call that is still open ends when one goes back, and runs without a state are refused", async () => {
  const { inspector } = await start();
  const page = await openPage(inspector.url);
  const open = await page.call({ ...BOOK, revision: "2026-07-28", answers: [rome] }, ({ asks }) => asks.length === 2);
  const { id } = await page.post("reanswer", { call: open.id, run: 1 });
  expect((await page.callState(open.id)).status).toBe("canceled");
  await page.callState(id, ({ status }) => status === "asks");
  await page.post("cancel", { id });
  for (const run of [0, 2, 99, 1.5, -1]) {
    await expect(page.post("reanswer", { call: id, run })).rejects.toThrow(/left no question/);
  }
  const older = await page.call({ ...BOOK, revision: "2025-11-25", answers: [rome, yes] });
  await expect(page.post("reanswer", { call: older.id, run: 1 })).rejects.toThrow(/left no question/);
  await expect(page.post("reanswer", { call: "call-999", run: 1 })).rejects.toThrow(/does not keep/);
  page.close();
});
