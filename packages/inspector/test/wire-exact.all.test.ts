import type { Page } from "playwright-core";
import { defineServer, defineTool } from "proffer";
import { type HttpService, serveHttp } from "proffer/http";
import { afterEach, expect, test } from "vitest";
import { linkAddress } from "../../cli/src/inspect/server-links.ts";
import { size } from "../src/page/text/format.ts";
import type { WireLine } from "../src/protocol/data.ts";
import { routeOf } from "./address.ts";
import { createShop } from "./asking-shop.ts";
import { describeInBrowser, usePages } from "./browser.ts";
import { type HttpRelay, startRelay } from "./http-relay.ts";
import { inspect, type PageClient } from "./page-client.ts";

const BROKEN = '{"jsonrpc":"2.0",, "é\u2028" ';

describeInBrowser("the page and the bytes of the wire", () => {
  let service: HttpService;
  /** Sees the bytes between the inspector and the server. */
  let relay: HttpRelay;
  let client: PageClient;
  let close: () => Promise<void>;

  afterEach(async () => {
    await close();
    relay.close();
    await service.close(0);
  });
  const pages = usePages();

  async function open(served: HttpService, path: string): Promise<Page> {
    service = served;
    relay = await startRelay(service.url);
    const started = await inspect({
      links: linkAddress(relay.url, {}, 64 * 1024 * 1024),
      target: { kind: "url", name: relay.url },
    });
    ({ page: client, close } = started);
    await client.until("connection", ({ revisions }) => revisions.length === 5);
    return pages.open(routeOf(started.inspector.url, path));
  }

  const answer = (page: Page) => page.getByRole("region", { name: "Answer" });
  const messages = (page: Page) => page.getByRole("table", { name: "Messages" });

  /** Calls the tool of the shop, and answers its question. */
  async function order(page: Page): Promise<void> {
    await page.getByRole("button", { name: /^Call/ }).click();
    const question = page.getByRole("form", { name: "Question" });
    await question.getByRole("combobox", { name: "sure", exact: true }).selectOption("true");
    await question.getByRole("button", { name: /^Answer/ }).click();
    await question.waitFor({ state: "detached" });
  }

  /** A message as the page shows it: its direction, its raw text and its size. */
  async function shownOf(page: Page, { n, kind }: WireLine): Promise<{ text: string; bytes: string }> {
    await page.evaluate(`history.pushState(null, "", "/wire/${n}"); dispatchEvent(new PopStateEvent("popstate"))`);
    const isAnswer = kind === "result" || kind === "error";
    const region = page.getByRole("region", { name: isAnswer ? "Response" : "Message" });
    // Without a look at where the tab is: there are many messages.
    await region.getByRole("tab", { name: "Raw" }).dispatchEvent("click");
    const text = await region.locator("pre.raw").textContent();
    const [, dir, bytes = ""] =
      /(to|from) the server · (.*)$/.exec((await region.locator("h2").textContent()) ?? "") ?? [];
    return { text: `${dir === "to" ? "out" : "in"} ${text}`, bytes };
  }

  test("every message of both directions is shown byte for byte, with its exact size", async () => {
    const shop = createShop();
    const page = await open(await serveHttp(shop.server, { port: 0 }), "/tools/order");
    for (const revision of ["2026-07-28", "2025-11-25"]) {
      await page.getByRole("group", { name: "Revision" }).getByRole("button", { name: revision }).click();
      const fields = page.getByRole("form", { name: "Arguments" });
      await fields.getByRole("textbox", { name: "id", exact: true }).fill("7");
      await fields.getByRole("textbox", { name: "note", exact: true }).fill("é\u2028😀");
      await order(page);
      await page.getByRole("row", { name: new RegExp(`tools/call order ${revision} complete`) }).waitFor();
    }
    await page.getByRole("link", { name: "shop://stock" }).click();
    await page.getByRole("button", { name: "Subscribe" }).click();
    await answer(page).getByText("stock 1").first().waitFor();
    shop.notify();
    await answer(page).getByText("stock 2").first().waitFor();
    await page.getByRole("button", { name: "Send raw" }).click();
    await page.getByRole("textbox", { name: "Raw message" }).fill(BROKEN);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await messages(page)
      .getByRole("row", { name: /from the server.*-32700/ })
      .waitFor();
    await expect.poll(() => client.lines().length).toBe(relay.logged().length);

    const shown: string[] = [];
    for (const line of client.lines()) {
      const { text, bytes } = await shownOf(page, line);
      shown.push(text);
      expect(bytes, text).toBe(size(Buffer.byteLength(text.replace(/^\w+ /, ""))));
    }
    expect(shown.sort()).toEqual(relay.logged().sort());
    expect(shown).toContain(`out ${BROKEN}`);
  });

  test("durations are those between the events of the test, and sizes are exact", async () => {
    let began = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = defineTool({
      name: "slow",
      async handle() {
        began = performance.now();
        await released;
        return "é".repeat(1000);
      },
    });
    const server = defineServer({ name: "clock", version: "1", log: () => {}, tools: [slow] });
    const page = await open(await serveHttp(server, { port: 0 }), "/tools/slow");
    const call = page.getByRole("button", { name: /^Call/ });
    await call.waitFor();
    const before = performance.now();
    await call.click();
    await answer(page).getByText("running …").waitFor();
    await expect.poll(() => began).toBeGreaterThan(0);
    const atLeast = performance.now() - began;
    release();
    await answer(page).getByText("complete", { exact: true }).waitFor();
    const atMost = performance.now() - before;

    const status = (await answer(page).locator(".call-status").textContent()) ?? "";
    const row = messages(page).getByRole("row", { name: /tools\/call slow/ });
    const [bytes = "", took = ""] = (await row.getByRole("cell").allTextContents()).slice(5);
    for (const shown of [took, / · ([^·]+) · /.exec(status)?.[1] ?? ""]) {
      const [least, most] = rangeOf(shown);
      expect(most, shown).toBeGreaterThanOrEqual(atLeast);
      expect(least, shown).toBeLessThanOrEqual(atMost);
    }
    const request =
      relay
        .logged()
        .find((text) => text.includes('"tools/call"'))
        ?.slice("out ".length) ?? "";
    const response =
      relay
        .logged()
        .find((text) => text.includes("éé"))
        ?.slice("in ".length) ?? "";
    const sizes = `${size(Buffer.byteLength(request))} → ${size(Buffer.byteLength(response))}`;
    expect(Buffer.byteLength(response)).toBeGreaterThan(response.length);
    expect(bytes).toBe(sizes);
    expect(status).toContain(sizes);
  });
});

/** The least and most milliseconds that are shown so. */
function rangeOf(text: string): [number, number] {
  const [, number = "", unit = ""] = /^([\d.]+) (ms|s|min)/.exec(text) ?? [];
  const [, seconds = "0"] = /min (\d+) s$/.exec(text) ?? [];
  const scale = { ms: 1, s: 1000, min: 60_000 }[unit] ?? Number.NaN;
  const value = Number(number) * scale + Number(seconds) * 1000;
  const half = unit === "min" ? 500 : unit === "s" ? 50 : 0.5;
  return [value - half, value + half];
}
