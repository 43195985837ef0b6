import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { type HttpService, serveHttp } from "proffer/http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { linkAddress, linkProcess, linkServer } from "../../cli/src/inspect/server-links.ts";
import { Mask, WireRecord } from "../../cli/src/recordings/record.ts";
import { Connections } from "../src/connections/connections.ts";
import type { LinkObserver, ServerLinks } from "../src/support/host.ts";
import { createShop } from "./asking-shop.ts";
import { type HttpRelay, startRelay } from "./http-relay.ts";
import { inspect, type PageClient } from "./page-client.ts";

const NEWEST = "2026-07-28";
const LEGACY = "2025-11-25";
const MAX_BYTES = 64 * 1024 * 1024;
const SECRET = "tok-77aa91c2ef";
const HEADERS = { authorization: `Bearer ${SECRET}` };
const STOCK = "shop://stock";
const BROKEN = '{"jsonrpc":"2.0",,';

let shop: ReturnType<typeof createShop>;
let service: HttpService;
let close: () => Promise<void>;
let page: PageClient;
let folder: string;
let program: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "proffer-links-"));
  program = join(folder, "live.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("live-stdio.ts", import.meta.url))],
    outfile: program,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "error",
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

async function open(links: ServerLinks, kind: "url" | "command" = "url"): Promise<void> {
  const record = new WireRecord(new Mask(HEADERS));
  ({ page, close } = await inspect({ links, record, target: { kind, name: "target" } }));
}

/** The messages that only one of the record and the relay has. */
async function findDifferences(relay: HttpRelay): Promise<string[]> {
  const seen = relay.logged();
  if (page.lines().length !== seen.length) return ["not all have arrived"];
  const rest = (await page.messages()).map(({ dir, text }) => `${dir} ${text}`);
  const missing = seen.filter((each) => !rest.includes(each) || rest.splice(rest.indexOf(each), 1).length === 0);
  return [...missing, ...rest];
}

/** The last response to a text that is not JSON, of so many. */
async function answer(count = 1) {
  const found = () => page.lines().filter(({ status }) => status === "-32700");
  await expect.poll(() => found().length).toBe(count);
  return page.post("message", { n: found().at(-1)?.n ?? 0 });
}

describe("over HTTP", () => {
  let relay: HttpRelay;
  beforeEach(async () => {
    shop = createShop();
    service = await serveHttp(shop.server, { port: 0, legacySse: true });
  });
  afterEach(async () => {
    await close();
    relay.close();
    await service.close(0);
  });

  test.each([
    ["Streamable HTTP", "", "http", [NEWEST, LEGACY]],
    ["the pair of 2024-11-05", "/sse", "sse", [LEGACY]],
  ])(
    "%s: the record has every message of both directions, byte for byte, with heads and without secrets",
    async (_, path, transport, revisions) => {
      relay = await startRelay(service.url + path);
      await open(linkAddress(relay.url, HEADERS, MAX_BYTES));
      await page.until("connection", ({ connection }) => connection.state === "connected");
      // The trial of the revisions is over.
      await page.until("connection", (event) => event.revisions.length > 2);
      for (const revision of revisions) {
        const draft = {
          revision,
          method: "tools/call",
          params: { name: "order", arguments: { id: 7, note: "é\u2028" } },
        };
        const { id, asks } = await page.call(draft as never, ({ status }) => status === "asks");
        await page.post("answer", {
          ask: asks[0]?.id ?? "",
          answer: { action: "accept", content: { sure: true } },
        });
        expect(await page.callState(id)).toMatchObject({ status: "done" });
        await page.call({ revision, method: "tools/call", params: { name: "count" } });
        await page.post("subscribe", { revision, uri: STOCK });
        const { updates } = await page.until("live", (live) => live.revision === revision);
        shop.notify();
        await page.until("live", (live) => live.revision === revision && live.updates > updates);
        await page.post("raw", { revision, text: BROKEN });
        await answer(revisions.indexOf(revision) + 1);
      }
      await expect.poll(() => findDifferences(relay)).toEqual([]);
      const { lane } = page.all("lane").findLast((event) => event.lane.name === "inspector" && event.lane.open) ?? {};
      expect(lane).toMatchObject({ role: "page", transport, revision: LEGACY });
      const messages = await page.messages();
      expect(messages.find(({ method }) => method === "tools/call")?.http).toMatchObject({
        method: "POST",
        requestHeaders: { authorization: "***", "content-type": "application/json" },
      });
      const updated = messages.find(
        ({ method, conn }) => method === "notifications/resources/updated" && conn === lane?.conn,
      );
      expect(updated?.http).toMatchObject({
        method: "GET",
        status: 200,
        responseHeaders: { "content-type": "text/event-stream" },
      });
      if (transport === "http") expect(updated?.http?.eventId).toEqual(expect.any(String));
      expect(JSON.stringify([page.events, messages]).includes(SECRET)).toBe(false);
    },
  );

  test.each([
    ["Streamable HTTP", "", NEWEST, 400],
    ["Streamable HTTP", "", LEGACY, 400],
    // Its responses come from the stream.
    ["the pair of 2024-11-05", "/sse", LEGACY, 200],
  ])("%s%s, %s: malformed JSON is sent as it is, and the answer is shown", async (_, path, revision, httpStatus) => {
    relay = await startRelay(service.url + path);
    await open(linkAddress(relay.url, {}, MAX_BYTES));
    await page.post("raw", { revision, text: BROKEN });
    expect(await answer()).toMatchObject({ dir: "in", kind: "error", httpStatus });
    expect(relay.logged()).toContain(`out ${BROKEN}`);
    await page.post("raw", { revision, text: "\u0000\n{}" });
    await expect.poll(() => relay.logged()).toContain("out \u0000\n{}");
  });

  test.each([
    ["Streamable HTTP", "", NEWEST],
    ["Streamable HTTP", "", LEGACY],
    ["the pair of 2024-11-05", "/sse", LEGACY],
  ])("%s%s, %s: a subscribed resource is read again after an update", async (_, path, revision) => {
    relay = await startRelay(service.url + path);
    await open(linkAddress(relay.url, {}, MAX_BYTES));
    await page.post("subscribe", { revision, uri: STOCK });
    const before = await page.until("live");
    shop.notify();
    const after = await page.until("live", ({ updates }) => updates > before.updates);
    expect(after.result).not.toEqual(before.result);
  });

  test.each([NEWEST, LEGACY])("%s: a subscription outlives streams that a proxy cuts", async (revision) => {
    relay = await startRelay(service.url);
    await open(linkAddress(relay.url, {}, MAX_BYTES));
    await page.until("connection", (event) => event.revisions.length > 2);
    await page.post("subscribe", { revision, uri: STOCK });
    await page.until("live");
    const streams = () => relay.opened();
    const before = streams();
    relay.cut();
    await expect.poll(streams).toBeGreaterThan(before);
    shop.notify();
    await page.until("live", ({ result }) => JSON.stringify(result).includes("stock 2"));
    expect(page.all("connection").at(-1)?.connection.state).toBe("connected");
  });

  test.each([
    ["Streamable HTTP", ""],
    ["the pair of 2024-11-05", "/sse"],
  ])("%s: a server that dies is lost, and reached again when it comes back", async (_, path) => {
    relay = await startRelay(service.url + path);
    const { port } = new URL(service.url);
    const links = linkAddress(service.url + path, {}, MAX_BYTES);
    let attempts = 0;
    const isThere = async () => {
      attempts++;
      return (await links.isThere?.()) ?? true;
    };
    await open({ ...links, isThere });
    await page.until("connection", (event) => event.revisions.length > 2);
    await page.until("offer");
    await service.close(0);
    const { connection } = await page.until("connection", (event) => event.connection.state === "lost");
    expect(connection.remedy).toContain("by itself");
    page.events.length = 0;
    // Attempts to reach it leave nothing in the record. The first one is over when the second begins.
    await expect.poll(() => attempts).toBeGreaterThan(1);
    expect(page.lines()).toEqual([]);
    shop = createShop();
    service = await serveHttp(shop.server, { port: Number(port), legacySse: true });
    await page.until("connection", (event) => event.connection.state === "connected");
    const { revision } = (await page.until("offer")).offer;
    expect((await page.call({ revision, method: "tools/call", params: { name: "count" } })).status).toBe("done");
  });

  test("a response without a message is shown with its head", async () => {
    relay = await startRelay(service.url);
    const refusing = createServer((_, response) => {
      response.writeHead(401, { "www-authenticate": 'Bearer resource_metadata="https://x.example/m"' });
      response.end("<h1>Who are you?</h1>");
    }).listen(0, "127.0.0.1");
    await once(refusing, "listening");
    const { port } = refusing.address() as AddressInfo;
    await open(linkAddress(`http://127.0.0.1:${port}/mcp`, {}, MAX_BYTES));
    expect((await page.until("connection")).connection).toMatchObject({ state: "failed" });
    const messages = await page.messages();
    expect(messages.filter(({ dir }) => dir === "in")).toHaveLength(messages.length / 2);
    expect(messages.find(({ dir }) => dir === "in")).toMatchObject({
      kind: "malformed",
      httpStatus: 401,
      text: "<h1>Who are you?</h1>",
      http: { responseHeaders: { "www-authenticate": expect.stringContaining("resource_metadata") } },
    });
    refusing.close();
    refusing.closeAllConnections();
  });
});

describe("over stdio", () => {
  const byHand = fileURLToPath(new URL("stdio-server.mjs", import.meta.url));
  afterEach(() => close());

  test.each([NEWEST, LEGACY])("%s: a subscribed resource is read again after an update", async (revision) => {
    await open(linkProcess([process.execPath, program], MAX_BYTES), "command");
    await page.post("subscribe", { revision, uri: STOCK });
    const before = await page.until("live");
    // A read may be later than the change that the next notification is about, and that may arrive during the read.
    const first = JSON.stringify(before.result);
    const after = await page.until("live", ({ result }) => JSON.stringify(result) !== first);
    expect(after.updates).toBeGreaterThan(0);
  });

  test("malformed JSON is sent as it is, and the answer is shown", async () => {
    await open(linkProcess([process.execPath, byHand, join(folder, "raw.log")], MAX_BYTES), "command");
    // The trial of the revisions sends messages, too.
    await page.until("connection", (event) => event.revisions.length === 2);
    await page.post("raw", { revision: "2025-06-18", text: BROKEN });
    expect(await answer()).toMatchObject({ dir: "in", kind: "error", id: null });
    expect(page.lines().findLast(({ dir }) => dir === "out")).toMatchObject({ kind: "malformed" });
  });

  test("a process that ends by itself is lost, with its output on stderr, until it is started again", async () => {
    const revision = "2025-06-18";
    await open(linkProcess([process.execPath, byHand, join(folder, "dies.log")], MAX_BYTES), "command");
    await page.until("connection", (event) => event.revisions.length === 2);
    const call = { revision, method: "tools/call", params: { name: "die later" } } as const;
    expect((await page.call(call)).status).toBe("done");
    const { connection } = await page.until("connection", (event) => event.connection.state === "lost");
    expect(connection).toMatchObject({ message: expect.stringContaining("exit code 4"), remedy: expect.anything() });
    const output = () => page.all("stderr").map(({ text }) => text);
    expect(output().join("")).toContain("\u001b[31mout of memory\n");
    page.events.length = 0;
    await page.post("reconnect", {});
    // The trial of the revisions is over.
    await page.until("connection", (event) => event.revisions.length === 2);
    expect((await page.call({ ...call, params: { name: "again" } })).status).toBe("done");
  });
});

test("a stream that has ended is not opened again on a client that was lost since", async () => {
  const links = linkServer(createShop().server);
  let link: LinkObserver | undefined;
  const connect: ServerLinks["connect"] = (request) =>
    links.connect({
      ...request,
      observe() {
        link = request.observe();
        return link;
      },
    });
  const events = { changed() {}, opened() {}, notified() {}, stderr() {}, asked: () => Promise.reject() };
  const connections = new Connections("target", { ...links, connect, spawns: true }, new WireRecord(), events);
  await connections.start();
  const connected = await connections.use(NEWEST);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  try {
    const again = vi.fn();
    await connections.checkAfter(connected, again);
    link?.ended("The server is gone.");
    await expect.poll(() => connections.state.state).toBe("lost");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(again).not.toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});
