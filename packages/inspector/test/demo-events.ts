import type { InspectorEvent } from "../src/protocol/api.ts";
import type { CallState, Item, JsonObject, Offer, WireLine } from "../src/protocol/data.ts";
import type { Handlers } from "./fake-server.ts";

const REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const ORDER_SCHEMA: JsonObject = {
  type: "object",
  properties: { sku: { type: "string", description: "what to order" }, count: { type: "integer", maximum: 20 } },
  required: ["sku"],
};

export const DEMO_ITEMS: readonly Item[] = [
  {
    kind: "tool",
    key: "order",
    description: { name: "order", description: "Orders goods and asks before it charges.", inputSchema: ORDER_SCHEMA },
    tokens: 236,
    place: { file: 0, line: 13 },
  },
  {
    kind: "tool",
    key: "count",
    description: { name: "count", description: "Counts slowly.", inputSchema: { type: "object" } },
    tokens: 98,
  },
  { kind: "prompt", key: "review", description: { name: "review", arguments: [{ name: "code" }, { name: "style" }] } },
  { kind: "resource", key: "orders://all", description: { uri: "orders://all", name: "all" } },
  {
    kind: "template",
    key: "orders://{id}{?limit}",
    description: { uriTemplate: "orders://{id}{?limit}", name: "order" },
  },
];

export function demoOffer(change: Partial<Offer> = {}): Offer {
  return {
    version: 1,
    revision: "2026-07-28",
    server: { name: "demo", version: "1.0.0", instructions: "Order only on request.", capabilities: { tools: {} } },
    items: DEMO_ITEMS,
    files: ["demo.ts"],
    problems: [],
    tokens: 412,
    ...change,
  };
}

/** The messages of a start, of a call with two rounds and progress, and of a failed one. */
export const DEMO_LINES: readonly WireLine[] = [
  request(1, 0, "server/discover"),
  response(2, 4, 1, "server/discover"),
  request(3, 6, "tools/list"),
  response(4, 8, 3, "tools/list", { bytes: 1904 }),
  request(5, 412, "tools/call", { about: "order" }),
  { ...notice(6, 415, "notifications/progress"), re: 5 },
  { ...notice(7, 416, "notifications/progress"), re: 5 },
  response(8, 418, 5, "tools/call", { about: "order", status: "input_required" }),
  request(9, 4500, "tools/call", { about: "order", re: 5 }),
  response(10, 4502, 9, "tools/call", { about: "order" }),
  request(11, 5000, "tools/call", { about: "count" }),
  response(12, 5800, 11, "tools/call", { about: "count", kind: "error", status: "-32602" }),
  notice(13, 6000, "notifications/resources/updated"),
];

export function request(n: number, at: number, method: string, change: Partial<WireLine> = {}): WireLine {
  const revision = "2026-07-28";
  return { n, at, conn: "c1", dir: "out", revision, kind: "request", method, id: n, bytes: 200, ...change };
}

export function response(n: number, at: number, re: number, method: string, change: Partial<WireLine> = {}): WireLine {
  return { ...request(n, at, method), dir: "in", kind: "result", re, status: "complete", ms: 2, ...change };
}

export function notice(n: number, at: number, method: string): WireLine {
  return { n, at, conn: "c1", dir: "in", kind: "notification", method, bytes: 90 };
}

export function lineEvents(lines: readonly WireLine[]): InspectorEvent[] {
  return lines.map((line) => ({ kind: "line", line }));
}

/** The first events of a new stream of the demo. */
export function demoEvents(lines: readonly WireLine[] = DEMO_LINES): InspectorEvent[] {
  return [
    {
      kind: "hello",
      version: "0.1.0",
      target: { kind: "dev", name: "demo.ts" },
      abilities: { source: true, calls: true, keepsHistory: true, saves: true },
      revisions: REVISIONS,
      profiles: ["claude-code", "cursor"],
    },
    { kind: "connection", connection: { state: "connected" }, revisions: REVISIONS },
    { kind: "offer", offer: demoOffer() },
    {
      kind: "lane",
      lane: { conn: "c1", role: "page", name: "proffer", revision: "2026-07-28", transport: "memory", open: true },
    },
    ...lineEvents(lines),
    { kind: "ready" },
  ];
}

export function demoCall(change: Partial<CallState> = {}): CallState {
  return {
    id: "call-1",
    at: 1_790_000_000_000,
    revision: "2026-07-28",
    method: "tools/call",
    params: { name: "order", arguments: { sku: "pen" } },
    status: "done",
    runs: [],
    asks: [],
    result: { content: [{ type: "text", text: "ordered pen" }], structuredContent: { total: 14 } },
    ms: 12,
    bytesOut: 200,
    bytesIn: 300,
    offer: 1,
    ...change,
  };
}

/** The answers of a server with a history of two calls and one finding. */
export function demoHandlers(): Handlers {
  const draft = { revision: "2026-07-28", method: "tools/call", params: demoCall().params } as const;
  return {
    history: () => ({
      entries: [
        { id: "ab12", at: demoCall().at, draft, status: "done", ms: 6, runs: 2, saved: "happy-path" },
        { id: "cd34", at: demoCall().at - 1000, draft, status: "done", ms: 7, runs: 1 },
      ],
    }),
    remembered: ({ id }) => ({
      call: demoCall(id === "ab12" ? { id } : { id, result: { structuredContent: { total: 15 } } }),
    }),
    doctor: () => ({
      findings: [
        {
          level: "warning",
          message: "order changes things.",
          remedy: "Mark it.",
          item: { kind: "tool", key: "order" },
        },
      ],
    }),
    copy: ({ format }) => ({ text: `as ${format}`, language: "text" }),
    message: ({ n }) => ({
      ...(DEMO_LINES[n - 1] ?? notice(n, 0, "x")),
      text: `{"jsonrpc":"2.0", "id":${n},"params":{"_meta":{"a":1}}}`,
      http: { method: "POST", requestHeaders: { authorization: "(hidden)" } },
    }),
    offer: ({ revision }) => demoOffer({ revision }),
    call: () => ({ id: "call-1" }),
    check: () => ({ problems: [] }),
    expand: ({ template }) => ({ uri: template }),
    source: () => ({ pieces: [], places: [] }),
    model: ({ client }) => ({ client, losses: [] }),
    save: ({ name }) => ({ file: `inspect/${name}.json` }),
    export: () => ({ text: '{"n":1}\n', warnings: [] }),
    forget: () => ({}),
    open: () => ({}),
    reconnect: () => ({}),
    cancel: () => ({}),
    clear: () => ({}),
    raw: () => ({}),
  };
}
