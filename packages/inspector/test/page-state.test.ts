import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { draftOf, draftsFromText, draftsToText, EMPTY_DRAFT, withDraft } from "../src/page/state/drafts.ts";
import {
  createStore,
  INITIAL_STATE,
  type InspectorState,
  REDUCERS,
  reduce,
  withSeen,
} from "../src/page/state/inspector-state.ts";
import type { InspectorEvent } from "../src/protocol/api.ts";
import { DEMO_LINES, demoCall, demoEvents, demoOffer, lineEvents, request } from "./demo-events.ts";

const known = reduce(INITIAL_STATE, demoEvents());

function after(...events: InspectorEvent[]): InspectorState {
  return reduce(known, events);
}

describe("the state of the page", () => {
  test("every kind of event of the protocol has a reducer", () => {
    const source = readFileSync(new URL("../src/protocol/api.ts", import.meta.url), "utf8");
    const events = source.slice(source.indexOf("export type InspectorEvent"));
    const kinds = [...events.matchAll(/readonly kind: "(\w+)"/g)].map(([, kind]) => kind as string);
    expect(Object.keys(REDUCERS).sort()).toEqual([...new Set(kinds)].sort());
  });

  test("a new stream repeats everything that is known", () => {
    expect(known.ready).toBe(true);
    expect(known.target).toEqual({ kind: "dev", name: "demo.ts" });
    expect(known.offers.get("2026-07-28")).toEqual(demoOffer());
    expect(known.lines).toEqual(DEMO_LINES);
    expect(known.lanes.map(({ conn }) => conn)).toEqual(["c1"]);
  });

  test("hello forgets the state, because the new stream repeats it", () => {
    const again = reduce(after({ kind: "call", call: demoCall() }), demoEvents());
    expect(again.lines).toHaveLength(DEMO_LINES.length);
    expect(again.calls.size).toBe(0);
  });

  test("a call is replaced by its next state", () => {
    const state = after({ kind: "call", call: demoCall({ status: "running" }) }, { kind: "call", call: demoCall() });
    expect([...state.calls.values()].map(({ status }) => status)).toEqual(["done"]);
  });

  test("a lane is replaced by its next state", () => {
    const lane = { conn: "c1", role: "page", name: "proffer", transport: "memory", open: false } as const;
    expect(after({ kind: "lane", lane }).lanes).toEqual([lane]);
  });

  test("an edit marks changed items until they are looked at", () => {
    const change = { kind: "tool", key: "order", how: "changed", parts: [] } as const;
    const edit = { how: "applied", ms: 1, changes: [change], problems: [] } as const;
    const state = after({ kind: "edit", at: 1, edit });
    expect([...state.unseen]).toEqual([["tool order", "changed"]]);
    expect(withSeen(state, "tool order").unseen.size).toBe(0);
    expect(withSeen(state, "tool other")).toBe(state);
  });

  test("a broken edit leaves the marks and the offer alone", () => {
    const state = after({ kind: "edit", at: 1, edit: { how: "broken", problems: [], files: [] } });
    expect(state.offers).toBe(known.offers);
    expect(state.edit?.edit.how).toBe("broken");
  });

  test("10,000 messages are kept, the newest ones", () => {
    const lines = Array.from({ length: 12_000 }, (_, n) => request(n + 100, n, "ping"));
    const state = after(...lineEvents(lines));
    expect(state.lines).toHaveLength(10_000);
    expect(state.lines.at(-1)?.n).toBe(12_099);
    expect(reduce(state, [{ kind: "cleared" }]).lines).toEqual([]);
  });

  test("the end of stderr is kept", () => {
    const state = after({ kind: "stderr", text: "x".repeat(100_000) }, { kind: "stderr", text: "the end" });
    expect(state.stderr).toHaveLength(64_000);
    expect(state.stderr.endsWith("xthe end")).toBe(true);
  });

  test("a subscribed resource is live until it is unsubscribed", () => {
    const live = { kind: "live", uri: "orders://7", revision: "2026-07-28", at: 1, updates: 2 } as const;
    const state = after(live);
    expect([...state.live.values()]).toEqual([live]);
    expect(reduce(state, [{ kind: "unsubscribed", uri: live.uri, revision: live.revision }]).live.size).toBe(0);
  });

  test("the history has a version, also across streams", () => {
    const state = after({ kind: "history" });
    expect(state.historyVersion).toBe(known.historyVersion + 1);
    expect(reduce(state, demoEvents()).historyVersion).toBe(state.historyVersion);
  });

  test("an event of a kind that this page does not know changes nothing", () => {
    expect(reduce(known, [{ kind: "toString" } as unknown as InspectorEvent])).toBe(known);
  });
});

describe("a draft", () => {
  test("survives as text", () => {
    const drafts = withDraft({}, "tool order", { value: { sku: "pen" }, text: '{ "sku":' });
    expect(draftsFromText(draftsToText(drafts))).toEqual(drafts);
  });

  test.each([
    ["nothing", null],
    ["no JSON", "{"],
    ["a list", "[1]"],
    ["other values", '{"tool order":{"value":[]},"tool count":3,"tool x":{"value":{},"text":1}}'],
  ])("%s in the storage is no draft", (_, text) => {
    expect(draftsFromText(text)).toEqual({});
  });

  test("an item named like a member of Object has no draft", () => {
    expect(draftOf({}, "constructor")).toBe(EMPTY_DRAFT);
  });
});

test("several changes of a store are one drawing", () => {
  const scheduled: (() => void)[] = [];
  const store = createStore(0, (draw) => scheduled.push(draw));
  let drawn = 0;
  store.subscribe(() => (drawn += 1));
  store.set((value) => value + 1);
  store.set((value) => value + 1);
  store.set((value) => value);
  for (const draw of scheduled) draw();
  expect([store.get(), scheduled.length, drawn]).toEqual([2, 1, 1]);
});
