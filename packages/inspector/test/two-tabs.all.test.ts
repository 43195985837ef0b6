import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { routeOf } from "./address.ts";
import { describeInBrowser, usePages } from "./browser.ts";
import { useShopPages } from "./shop-page.ts";

describeInBrowser("two tabs", () => {
  const pages = usePages();
  const open = useShopPages(pages);
  const question = (page: Page) => page.getByRole("form", { name: "Question" });
  const count = (page: Page) => page.locator(".wire-bar .count").textContent();

  test("a question is asked in both tabs, and closes in both when one answers it", async () => {
    const { page: first, url, sent } = await open("/tools/pay");
    const second = await pages.open(routeOf(url, "/tools/pay"), { beside: first });
    await second.getByRole("tab", { name: "Result" }).waitFor();
    await first.getByRole("button", { name: /^Call/ }).click();
    for (const page of [first, second]) await question(page).waitFor();
    await question(first).getByRole("textbox", { name: "note", exact: true }).fill("not sent");
    await question(second).getByRole("combobox", { name: "sure", exact: true }).selectOption("true");
    await question(second)
      .getByRole("button", { name: /^Answer/ })
      .click();
    for (const page of [first, second]) {
      await question(page).waitFor({ state: "detached" });
      await page.getByRole("list", { name: "Runs" }).getByText('{"sure":true}').waitFor();
      await page.getByRole("row", { name: /tools\/call pay.*2 rounds/ }).waitFor();
      await page.getByRole("tab", { name: "Result" }).click();
      await page.getByText("paid: true").first().waitFor();
    }
    await expect.poll(async () => (await count(first)) === (await count(second))).toBe(true);
    expect(sent.filter(({ name }) => name === "answer")).toEqual([]);
  });
});
