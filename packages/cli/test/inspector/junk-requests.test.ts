import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openServerLinks } from "../../src/inspector/connections/opener.ts";
import { REQUEST_SHAPES } from "../../src/inspector/request-shapes.ts";
import { createShop } from "./asking-shop.ts";
import { inspect, type PageClient } from "./page-client.ts";

const NAMES = Object.keys(REQUEST_SHAPES);
let page: PageClient;
let url: string;
let close: () => Promise<void>;

beforeAll(async () => {
  const started = await inspect({ opener: openServerLinks(createShop().server) });
  ({ page, close } = started);
  ({ url } = started.inspector);
});

afterAll(() => close());

async function post(name: string, input: unknown): Promise<{ status: number; text: string }> {
  const { origin, hash } = new URL(url);
  const headers = { authorization: `Bearer ${hash.slice("#k=".length)}`, "content-type": "application/json" };
  const body = JSON.stringify(input) ?? "null";
  const response = await fetch(`${origin}/api/${name}`, { method: "POST", headers, body });
  return { status: response.status, text: await response.text() };
}

test("I14 no request starts a command or connects to an address that it names", async () => {
  const folder = mkdtempSync(join(tmpdir(), "proffer-canary-"));
  const file = join(folder, "started");
  let connections = 0;
  const canary = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(canary, "listening");
  const address = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/mcp`;
  const command = [process.execPath, "-e", `require("fs").writeFileSync(${JSON.stringify(file)}, "")`];
  const fields = { command, args: command, cmd: command.join(" "), url: address, target: address, file, path: file };
  const draft = { revision: "2026-07-28", method: "tools/call", params: { name: "count", ...fields } };
  const valid: { readonly [name: string]: object } = {
    offer: { revision: address },
    call: draft,
    subscribe: { revision: "2026-07-28", uri: address },
    raw: { revision: "2026-07-28", text: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x", params: fields }) },
    compare: { method: "tools/call", params: { name: "count", arguments: fields }, revisions: ["2026-07-28", address] },
    complete: { revision: "2026-07-28", ref: { type: "ref/resource", uri: address }, name: "x", value: address },
    copy: { draft, format: "sh", client: address },
    model: { tool: address, client: address },
    save: { name: address, draft },
    open: { file: 0, line: 1 },
    source: { kind: "tool", key: file },
    reconnect: {},
  };
  for (const name of NAMES) {
    for (const input of [{ ...valid[name], ...fields }, valid[name] ?? {}, { ...valid[name], target: fields }]) {
      const { status } = await post(name, input);
      expect(status, name).not.toBe(500);
    }
  }
  // Whatever was started would be there by the time that another process has run.
  const { spawnSync } = await import("node:child_process");
  spawnSync(process.execPath, ["-e", ""]);
  expect([connections, existsSync(file)]).toEqual([0, false]);
  canary.close();
  rmSync(folder, { recursive: true });
});

test("every request answers junk with a clear error, and goes on", async () => {
  const names = fc.constantFrom(...NAMES, "events2", "__proto__", "constructor", "");
  const members = fc.constantFrom(
    "revision",
    "id",
    "n",
    "name",
    "uri",
    "method",
    "params",
    "draft",
    "text",
    "run",
    "call",
  );
  const junk = fc.oneof(fc.jsonValue(), fc.dictionary(members, fc.jsonValue()));
  await fc.assert(
    fc.asyncProperty(names, junk, async (name, input) => {
      // An empty object is what these requests expect.
      if (name === "reconnect" || name === "clear") return;
      const { status, text } = await post(name, input);
      const value = JSON.parse(text);
      if (status !== 200) {
        expect([400, 404, 409, 502]).toContain(status);
        expect(value.error.message).toMatch(/.+\.$/s);
      }
    }),
    { numRuns: 300 },
  );
  const call = await page.call({ revision: "2026-07-28", method: "tools/call", params: { name: "count" } });
  expect(call.status).toBe("done");
});
