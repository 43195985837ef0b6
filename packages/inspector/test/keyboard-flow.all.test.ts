import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser, usePages } from "./browser.ts";
import { useShopPages } from "./shop-page.ts";

interface Focus {
  readonly name: string;
  readonly outline: string;
  readonly isLost: boolean;
  readonly isVisible: boolean;
}

describeInBrowser("the page without a mouse", () => {
  const pages = usePages();
  const open = useShopPages(pages);

  /** Presses a key, and looks where the focus is afterwards. */
  async function press(page: Page, key: string): Promise<void> {
    await page.keyboard.press(key);
    await expectFocus(page);
  }

  /** Presses Tab until a control has the focus. */
  async function tabTo(page: Page, control: ReturnType<Page["locator"]>): Promise<void> {
    for (let steps = 0; steps < 100; steps++) {
      if (await control.evaluate((element) => element === element.ownerDocument.activeElement)) return;
      await press(page, "Tab");
    }
    throw new Error("Tab does not reach the control.");
  }

  test("a tool is chosen, filled in and called, and its question answered, with the keyboard alone", async () => {
    const { page, shop } = await open("/tools/count");
    await press(page, "/");
    await page.keyboard.type("ord");
    await press(page, "Enter");
    await page.getByRole("heading", { level: 2, name: "order", exact: true }).waitFor();
    const form = page.getByRole("form", { name: "Arguments" });
    await tabTo(page, form.getByRole("button", { name: "add to items" }));
    await press(page, "Enter");
    await expect.poll(() => page.locator(":focus").getAttribute("data-pointer")).toBe("/items/0/sku");
    await page.keyboard.type("pen");
    await tabTo(page, form.getByRole("textbox", { name: "zip" }));
    await page.keyboard.type("10115");
    await press(page, "Control+Enter");
    await expect.poll(() => shop.received).toEqual([{ items: [{ sku: "pen" }], to: { zip: "10115" } }]);
    await page.getByRole("region", { name: "Answer" }).getByText("10115").first().waitFor();
    await expectFocus(page);

    await press(page, "Control+k");
    await page.getByRole("dialog", { name: "Palette" }).waitFor();
    await page.keyboard.type("pay");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "pay", exact: true }).waitFor();
    await press(page, "Control+Enter");
    await expect.poll(() => page.locator(":focus").getAttribute("data-pointer")).toBe("/sure");
    await expectFocus(page);
    await page.keyboard.type("t");
    const question = page.getByRole("form", { name: "Question" });
    await tabTo(page, question.getByRole("textbox", { name: "note", exact: true }));
    await page.keyboard.type("for the office");
    await page.keyboard.press("Enter");
    await question.waitFor({ state: "detached" });
    await expectFocus(page);
    await tabTo(page, page.getByRole("tab", { name: /^Rounds/ }));
    await press(page, "ArrowRight");
    await page.getByRole("tabpanel", { name: "Result" }).getByText("paid: true").first().waitFor();
  });
});

/** The focus is on an element that can be seen, with an outline; it never falls back to the document. */
async function expectFocus(page: Page): Promise<void> {
  const focus = await page.evaluate<Focus>(`(() => {
    const active = document.activeElement;
    const { width, height, top, left } = active.getBoundingClientRect();
    const style = getComputedStyle(active);
    return {
      name: active.outerHTML.slice(0, 120),
      outline: style.outlineStyle,
      isLost: active === document.body,
      isVisible: width > 0 && height > 0 && style.visibility === "visible" && top < innerHeight && left < innerWidth,
    };
  })()`);
  expect(focus).toMatchObject({ isLost: false, isVisible: true });
  expect(focus).not.toMatchObject({ outline: "none" });
}
