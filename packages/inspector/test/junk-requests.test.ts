import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { linkServer } from "../../cli/src/inspect/server-links.ts";
import { REQUEST_SHAPES } from "../src/routes.ts";
import { createShop } from "./asking-shop.ts";
import { inspect, type PageClient } from "./page-client.ts";

const NAMES = Object.keys(REQUEST_SHAPES);
let page: PageClient;
let url: string;
let close: () => Promise<void>;

beforeAll(async () => {
  const started = await inspect({ links: linkServer(createShop().server) });
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
      // These requests expect an empty object.
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
