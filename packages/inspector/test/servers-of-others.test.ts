import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serveHttp } from "proffer/http";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { linkAddress, linkProcess } from "../../cli/src/inspect/server-links.ts";
import { createShop } from "./asking-shop.ts";
import { inspect, openPage } from "./page-client.ts";

const SCRIPT = fileURLToPath(new URL("./stdio-server.mjs", import.meta.url));
const REVISION = "2025-06-18";
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "proffer-wire-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Starts an inspector of the server that was written by hand. */
async function inspectScript(mode = "", maxBytes = 64 * 1024 * 1024) {
  const log = join(folder, `${Math.random()}.log`);
  const links = linkProcess([process.execPath, SCRIPT, log, mode], maxBytes);
  const started = await inspect({ links, target: { kind: "command", name: "by hand" } });
  return { ...started, logged: () => readFileSync(log, "utf8").split("\n").slice(0, -1) };
}

const callOf = (name: string) => ({ revision: REVISION, method: "tools/call", params: { name } }) as const;
const isConnected = ({ connection }: { connection: { state: string } }) => connection.state === "connected";

test("the record has every message of both directions, byte for byte", async () => {
  const { page, close, logged } = await inspectScript();
  // The trial of the revisions ends with the connection events.
  await page.until("connection", ({ revisions }) => revisions.length === 2);
  await page.call(callOf("héllo\u2028"));
  await page.post("raw", { revision: REVISION, text: '{"malformed":' });
  await page.post("raw", { revision: REVISION, text: '{"jsonrpc":"2.0",  "id":"raw","method":"nothing"}' });
  await expect.poll(() => page.lines().some(({ id, kind }) => id === "raw" && kind === "error")).toBe(true);
  await expect.poll(() => page.all("lane").filter(({ lane }) => !lane.open).length).toBeGreaterThanOrEqual(2);
  const recorded = (await page.messages()).map(({ dir, text, bytes }) => {
    expect(bytes).toBe(Buffer.byteLength(text));
    return `${dir} ${text}`;
  });
  // The processes of the attempts share the log, and each keeps its order.
  expect(recorded.sort()).toEqual(logged().sort());
  const [own] = page.all("lane").filter(({ lane }) => lane.revision === REVISION && lane.name === "inspector");
  expect(own?.lane).toMatchObject({ role: "page", transport: "stdio" });
  await close();
});

describe("a server of others", () => {
  it("is connected on the newest revision that it supports, and the others are found", async () => {
    const { page, close } = await inspectScript();
    const { revisions } = await page.until("connection", ({ revisions }) => revisions.length === 2);
    expect(revisions).toEqual([REVISION, "2024-11-05"]);
    const { offer } = await page.until("offer");
    expect(offer).toMatchObject({ revision: REVISION, server: { name: "by hand" }, problems: [] });
    expect(offer.items.map(({ key }) => key)).toEqual(["<img src=x onerror=alert(1)>\u202e"]);
    const refused = page.post("offer", { revision: "2025-11-25" });
    await expect(refused).rejects.toThrow(`does not support the revision 2025-11-25: it answered with ${REVISION}`);
    await expect(page.post("offer", { revision: "1999-01-01" })).rejects.toThrow("does not know the revision");
    expect((await page.post("offer", { revision: "2024-11-05" })).revision).toBe("2024-11-05");
    const same = page.post("resend", { call: (await page.call(callOf("x"))).id, run: 1, change: "caller" });
    await expect(same).rejects.toThrow("carries no state");
    await close();
  });

  it("may send lists without an end: they are a problem of the offer", async () => {
    const { page, close } = await inspectScript("lists");
    const { offer } = await page.until("offer");
    expect(offer.items).toEqual([]);
    expect(offer.problems).toEqual([
      expect.stringContaining("more than 1000 pages"),
      expect.stringContaining("repeats a cursor"),
    ]);
    await close();
  });

  it("may send strays: the call still gets its result", async () => {
    const { page, close } = await inspectScript();
    const call = await page.call(callOf("strays"));
    expect(call.result).toMatchObject({ content: [{ text: "called strays" }] });
    const texts = (await page.messages()).map(({ text }) => text);
    expect(texts).toContain("this is no message");
    expect(texts).toContain('{"jsonrpc":"2.0","id":987654,"result":{"stray":true}}');
    await close();
  });

  it("may die in a call: it is lost until somebody starts it again", async () => {
    const { page, close } = await inspectScript();
    const call = await page.call(callOf("die"));
    expect(call).toMatchObject({
      status: "failed",
      error: { code: 0, message: expect.stringContaining("exit code 3") },
    });
    const lost = await page.until("connection", ({ connection }) => connection.state === "lost");
    expect(lost.connection).toMatchObject({
      message: expect.stringContaining("exit code 3"),
      remedy: expect.anything(),
    });
    expect((await page.until("stderr")).text).toContain("about to die");
    expect(await page.call(callOf("x"))).toMatchObject({ status: "failed" });
    await page.post("reconnect", {});
    await page.until("connection", isConnected);
    expect((await page.call(callOf("x"))).status).toBe("done");
    await close();
  });

  it("may die between calls: that is noticed at once", async () => {
    const { page, close } = await inspectScript();
    await page.until("offer");
    await page.post("raw", { revision: REVISION, text: '{"jsonrpc":"2.0","method":"die"}' });
    await page.until("connection", ({ connection }) => connection.state === "lost");
    await close();
  });

  it("may send too much: it is cut off", async () => {
    const { page, close } = await inspectScript("", 1_000_000);
    const call = await page.call(callOf("flood"));
    expect(call.error?.message).toContain("more than 1000000 bytes");
    await page.post("reconnect", {});
    expect((await page.call(callOf("x"))).status).toBe("done");
    await close();
  });
});

test("a server at a URL that stops is reached again when it comes back", async () => {
  const serve = (port: number) => serveHttp(createShop().server, { port });
  const first = await serve(0);
  const url = new URL(first.url);
  const target = { kind: "url", name: first.url } as const;
  const { page, close } = await inspect({ target, links: linkAddress(first.url, {}, 1_000_000) });
  await page.until("connection", ({ revisions }) => revisions.length === 5);
  await page.until("offer");
  await first.close();
  const { connection } = await page.until("connection", (event) => event.connection.state === "lost");
  expect(connection.remedy).toContain("by itself");
  const offers = page.all("offer").length;
  const second = await serve(Number(url.port));
  await expect.poll(() => page.all("connection").at(-1)?.connection.state).toBe("connected");
  await expect.poll(() => page.all("offer").length).toBeGreaterThan(offers);
  const call = { revision: "2026-07-28", method: "tools/call", params: { name: "count" } } as const;
  expect((await page.call(call)).status).toBe("done");
  await close();
  await second.close();
});

test("two pages get the same events, and a later one gets everything that is known", async () => {
  const { page, inspector, close } = await inspectScript();
  const other = await openPage(inspector.url);
  const { id } = await page.call(callOf("x"));
  await other.callState(id);
  const late = await openPage(inspector.url);
  expect(await late.callState(id)).toEqual(await page.callState(id));
  expect(late.lines()).toEqual(page.lines());
  await late.post("clear", {});
  await Promise.all([page, other, late].map((each) => each.until("cleared")));
  other.close();
  late.close();
  await close();
});
