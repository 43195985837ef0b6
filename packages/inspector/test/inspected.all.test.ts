import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { linkServer } from "../../cli/src/inspect/server-links.ts";
import { createShop } from "./asking-shop.ts";
import { describeInBrowser, usePages } from "./browser.ts";
import { inspect, type PageClient } from "./page-client.ts";

/** The answers of other parts, for a server that has nothing of it. */
describeInBrowser("the page with a server", () => {
  let url: string;
  let client: PageClient;
  let close: () => Promise<void>;

  beforeEach(async () => {
    const { server } = createShop();
    const links = linkServer(server);
    const started = await inspect({ links, findProblems: async () => [] });
    ({ page: client, close } = started);
    url = started.inspector.url;
  });
  afterEach(() => close());
  const pages = usePages();

  async function open(path = "/", options = {}): Promise<Page> {
    const page = await pages.open(url.replace("/#", `${path}#`), options);
    await page.getByRole("region", { name: "Tools" }).getByRole("link", { name: "order" }).waitFor();
    return page;
  }

  test("opening the address shows the tools, and the five revisions", async () => {
    const page = await open();
    await page.getByRole("group", { name: "Revision" }).getByRole("button", { name: "2024-11-05" }).waitFor();
    await page.getByRole("region", { name: "Resources" }).getByRole("link", { name: "shop://stock" }).waitFor();
  });

  test("the page is served compressed", async () => {
    for (const name of ["page.js", "page.css"]) {
      const response = await fetch(new URL(name, url), { headers: { "accept-encoding": "gzip" } });
      expect(response.headers.get("content-encoding")).toBe("gzip");
    }
  });

  test("every exchange of a call is on the wire, and a filter finds it", async () => {
    const page = await open("/?filter=status:error");
    await client.call({ revision: "2026-07-28", method: "tools/call", params: { name: "nothing", arguments: {} } });
    await page.getByRole("table", { name: "Messages" }).getByRole("link", { name: "tools/call nothing" }).click();
    await page.getByRole("region", { name: "Response" }).getByText('"error"').waitFor();
    expect(await page.locator(".wire-rows tr").count()).toBe(1);
    expect(new URL(page.url()).search).toBe("?filter=status%3Aerror");
  });

  test("two tabs show the same wire, and a question that is answered in one is answered in the other", async () => {
    const first = await open("/tools/order");
    const second = await open("/tools/order", { beside: first });
    const asking = await client.call(
      { revision: "2026-07-28", method: "tools/call", params: { name: "order", arguments: { id: 7 } } },
      ({ status }) => status === "asks",
    );
    for (const page of [first, second]) {
      await expect.poll(() => page.locator("[aria-live=assertive]").textContent()).toBe("The server asks: Pay 14?");
    }
    for (const { id } of asking.asks) {
      await client.post("answer", { ask: id, answer: { action: "accept", content: { sure: true } } });
    }
    for (const page of [first, second]) {
      await expect.poll(() => page.locator("[aria-live=polite]").textContent()).toMatch(/^Answer after/);
      await page.getByRole("row", { name: /tools\/call order.*2 rounds/ }).waitFor();
    }
    const counts = [first, second].map((page) => page.locator(".wire-bar .count").textContent());
    expect(new Set(await Promise.all(counts)).size).toBe(1);
  });

  test("a call of the wire opens in the form, and is made again as the page", async () => {
    const page = await open();
    const draft = { revision: "2026-07-28", method: "tools/call", params: { name: "count", arguments: {} } } as const;
    await client.call(draft);
    await page.getByRole("table", { name: "Messages" }).getByRole("link", { name: "tools/call count" }).click();
    await page.getByRole("button", { name: "Open in the form" }).click();
    await page.getByRole("heading", { name: "count" }).waitFor();
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => page.getByRole("row", { name: /tools\/call count.*progress ×5/ }).count()).toBe(2);
  });

  test("another revision is read when it is chosen", async () => {
    const page = await open("/tools/order");
    await page.getByRole("button", { name: "2025-06-18" }).click();
    await page.getByRole("row", { name: /tools\/list 2025-06-18/ }).waitFor();
    await page.getByRole("region", { name: "Tools" }).getByRole("link", { name: "order" }).waitFor();
  });
});
