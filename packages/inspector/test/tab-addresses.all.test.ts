import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { accessibilityViolations, describeInBrowser, usePages } from "./browser.ts";
import { demoCall, demoEvents, demoHandlers } from "./demo-events.ts";
import { type FakeServer, startFakeServer } from "./fake-server.ts";
import { useShopPages } from "./shop-page.ts";

describeInBrowser("the tabs of the page and its address", () => {
  let server: FakeServer;

  beforeEach(async () => {
    server = await startFakeServer([...demoEvents(), { kind: "call", call: demoCall() }], demoHandlers());
    server.handlers.cost = () => ({ tokens: 236, output: 0, parts: [] });
  });
  afterEach(() => server.close());
  const pages = usePages();
  const openShop = useShopPages(pages);

  const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true });
  const selected = (page: Page) => page.locator('[role=tab][aria-selected="true"]').allTextContents();
  const query = (page: Page) => new URL(page.url()).search;

  async function open(path: string): Promise<Page> {
    const page = await pages.open(server.at(path));
    await page.getByText("13 messages").waitFor();
    return page;
  }

  test("the chosen tabs are in the address and survive a reload", async () => {
    const page = await open("/tools/order");
    expect([query(page), await selected(page)]).toEqual(["", ["Form", "Result", "Changed"]]);
    await tab(page, "Schema").click();
    await tab(page, "Raw").click();
    await tab(page, "Doctor").click();
    await expect.poll(() => query(page)).toBe("?request=schema&result=raw&side=doctor");
    await page.reload();
    await expect.poll(() => selected(page)).toEqual(["Schema", "Raw", "Doctor"]);
    // Another item begins with its usual tabs; the side pane is not about one.
    await page
      .getByRole("link", { name: /^count/ })
      .first()
      .click();
    await expect.poll(() => selected(page)).toEqual(["Form", "Result", "Doctor"]);
    expect(query(page)).toBe("?side=doctor");
    await page.goBack();
    await expect.poll(() => selected(page)).toEqual(["Schema", "Raw", "Doctor"]);
  });

  test("the tabs of a request are on one row", async () => {
    const page = await open("/tools/order");
    const tabs = page.getByRole("tablist", { name: "What is sent" }).getByRole("tab");
    expect(await tabs.allTextContents()).toContain("Model’s view");
    const boxes = await Promise.all((await tabs.all()).map((each) => each.boundingBox()));
    expect(new Set(boxes.map((box) => box?.y)).size).toBe(1);
  });

  test("a copied link opens the same tabs, also if the side pane is folded", async () => {
    const page = await open("/tools/order?request=json&result=raw");
    await tab(page, "Copy as").click();
    await page.getByLabel("Format").selectOption("Link");
    const link = `${server.origin}/tools/order?request=json&result=raw&side=copy`;
    await expect.poll(() => page.locator(".copied").textContent()).toBe(link);
    const other = await open("/tools/order");
    await other.getByRole("button", { name: "Fold", exact: true }).click();
    await other.reload();
    await other.getByRole("button", { name: "Unfold" }).waitFor();
    await other.goto(server.at("/tools/order?request=json&result=raw&side=copy"));
    await expect.poll(() => selected(other)).toEqual(["JSON", "Raw", "Copy as"]);
    expect(await accessibilityViolations(other)).toEqual([]);
    await other.getByRole("button", { name: "Fold", exact: true }).click();
    await expect.poll(() => query(other)).toBe("?request=json&result=raw");
    await other.reload();
    await other.getByRole("button", { name: "Unfold" }).waitFor();
  });

  test("both halves of a message have a tab in the address", async () => {
    server.handlers.message = ({ n }) => ({
      n,
      at: 1,
      conn: "c1",
      dir: n === 3 ? "out" : "in",
      kind: n === 3 ? "request" : "result",
      bytes: 2,
      text: "{}",
      http: { status: 200, responseHeaders: { server: "demo" } },
    });
    const page = await open("/wire/3");
    await page.getByRole("region", { name: "Message" }).getByRole("tab", { name: "Raw" }).click();
    await page.getByRole("region", { name: "Response" }).getByRole("tab", { name: "HTTP" }).click();
    await expect.poll(() => query(page)).toBe("?request=raw&result=http");
    await page.reload();
    await expect.poll(() => selected(page)).toEqual(["Raw", "HTTP", "Changed"]);
  });

  test("an address with tabs that do not exist opens the usual ones", async () => {
    const page = await open("/tools/order?request=<img>&result=rounds&side=%00");
    expect(await selected(page)).toEqual(["Form", "Result", "Changed"]);
    await tab(page, "JSON").click();
    await expect.poll(() => selected(page)).toEqual(["JSON", "Result", "Changed"]);
  });

  test("a question opens its tab; a tab that was chosen instead survives a reload", async () => {
    const { page } = await openShop("/tools/pay");
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByRole("form", { name: "Question" }).waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get("result")).toBe("rounds");
    await tab(page, "Raw").click();
    await page.reload();
    await page.getByText("waits for your answer").waitFor();
    await expect.poll(() => selected(page)).toContain("Raw");
    await page.getByRole("tab", { name: /^Rounds/ }).click();
    await page.getByRole("form", { name: "Question" }).getByRole("button", { name: "Decline" }).click();
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByRole("form", { name: "Question" }).waitFor();
  });
});
