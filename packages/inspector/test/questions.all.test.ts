import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { accessibilityViolations, describeInBrowser, usePages } from "./browser.ts";
import { useShopPages } from "./shop-page.ts";

describeInBrowser("questions", () => {
  const pages = usePages();
  const open = useShopPages(pages);
  const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
  const question = (page: Page) => page.getByRole("form", { name: /^Questions?$/ });
  const runs = (page: Page) => page.getByRole("list", { name: "Runs" });

  async function ask(page: Page): Promise<void> {
    await button(page, /^Call/).click();
    await question(page).waitFor();
  }

  test("a question appears in place, with the focus on its first field, announced, without a dialog", async () => {
    const { page } = await open("/tools/pay");
    await ask(page);
    await page.getByRole("heading", { name: "The server asks: Pay 14 €?" }).waitFor();
    await expect.poll(() => page.locator(":focus").getAttribute("data-pointer")).toBe("/sure");
    await expect.poll(() => page.locator('[aria-live="assertive"]').textContent()).toContain("Pay 14 €?");
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(await page.getByRole("region", { name: "Request" }).isVisible()).toBe(true);
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  test("accept, decline and cancel arrive", async () => {
    const { page } = await open("/tools/pay");
    await ask(page);
    await button(page, /^Answer/).click();
    // At the field, and beside the button, which may be far below it.
    await question(page).getByRole("region", { name: "Problems" }).getByText("/sure").waitFor();
    await expect.poll(() => question(page).getByText("is missing").count()).toBe(2);
    await question(page).getByRole("combobox", { name: "sure", exact: true }).selectOption("true");
    await question(page).getByRole("textbox", { name: "note", exact: true }).fill("for the office");
    await page.keyboard.press("Enter");
    await question(page).waitFor({ state: "detached" });
    await runs(page).getByText('{"sure":true,"note":"for the office"}').waitFor();
    await page.getByRole("tab", { name: "Result" }).click();
    await page.getByText("paid: true").first().waitFor();
    for (const [name, result] of [
      ["Decline", "not paid: decline"],
      ["Cancel", "not paid: cancel"],
    ] as const) {
      await ask(page);
      await question(page).getByRole("button", { name, exact: true }).click();
      await page.getByRole("tab", { name: "Result" }).click();
      await page.getByText(result).first().waitFor();
    }
  });

  test("a question that opens an address shows its host", async () => {
    const { page } = await open("/tools/visit");
    await ask(page);
    await question(page).getByText("login.example.com", { exact: true }).waitFor();
    const link = question(page).getByRole("link", { name: "Open login.example.com in a new tab" });
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    await link.and(page.locator(":focus")).waitFor();
    await button(page, /^Answer/).click();
    await page.getByRole("tab", { name: "Result" }).click();
    await page.getByText("accept").first().waitFor();
  });

  test("two rounds are shown with the step that ran, then came from the state", async () => {
    const { page } = await open("/tools/pay");
    await ask(page);
    await page.getByText("left behind at the question").waitFor();
    await question(page).getByRole("combobox", { name: "sure", exact: true }).selectOption("false");
    await button(page, /^Answer/).click();
    const first = page.getByRole("list", { name: "Steps of run 1" });
    const second = page.getByRole("list", { name: "Steps of run 2" });
    await expect.poll(() => second.textContent()).toContain("step price ↺ from state → 14");
    expect(await first.textContent()).toContain("step price ran → 14");
    await runs(page)
      .getByText(/state \d+ B: sealed/)
      .first()
      .waitFor();
  });

  test("a round is sent again; changed ones are refused, and shown as right", async () => {
    const { page } = await open("/tools/pay");
    await ask(page);
    await question(page).getByRole("combobox", { name: "sure", exact: true }).selectOption("true");
    await button(page, /^Answer/).click();
    const again = page.getByRole("region", { name: "Send round 2 again" });
    const entry = (name: string) =>
      again.getByRole("listitem").filter({ has: page.getByRole("button", { name, exact: true }) });
    await again.getByRole("button", { name: "as it was" }).click();
    await entry("as it was").getByText("✓ answered again, as it should be").waitFor();
    for (const name of ["with other arguments", "with one character of the state changed", "as another caller"]) {
      await again.getByRole("button", { name }).click();
      await entry(name).getByText("✓ refused, as it should be").waitFor();
    }
  });

  test("the same flow on 2025-11-25, with a request inside the call", async () => {
    const { page } = await open("/tools/pay?rev=2025-11-25");
    await ask(page);
    await page.getByText("On 2025-11-25 the question is a request inside the open call.").waitFor();
    await question(page).getByRole("combobox", { name: "sure", exact: true }).selectOption("true");
    await button(page, /^Answer/).click();
    await question(page).waitFor({ state: "detached" });
    await page.getByRole("tab", { name: "Result" }).click();
    await page.getByText("paid: true").first().waitFor();
    await page.getByRole("tab", { name: "Rounds (1)" }).waitFor();
    await button(page, "What belongs to tools/call pay").click();
    await page.getByRole("row", { name: /from the server elicitation\/create/ }).waitFor();
    expect(await page.getByRole("row", { name: /tools\/call pay|elicitation\/create/ }).count()).toBe(2);
  });

  test("two questions that are asked together are one form and one round", async () => {
    const { page } = await open("/tools/both");
    await ask(page);
    await question(page).getByRole("textbox", { name: "one", exact: true }).fill("1");
    await question(page).getByRole("textbox", { name: "two", exact: true }).fill("2");
    await button(page, "Answer all 2").click();
    await page.getByRole("tab", { name: "Rounds (2)" }).waitFor();
    await page.getByRole("tab", { name: "Result" }).click();
    await page.getByText("accept and accept").first().waitFor();
  });

  test("sampling and roots are answered as JSON, and said to be deprecated", async () => {
    const { page } = await open("/tools/deprecated?rev=2025-11-25");
    for (const [method, word] of [
      ["roots/list", "file:///project"],
      ["sampling/createMessage", "An answer."],
    ] as const) {
      if (method === "roots/list") await button(page, /^Call/).click();
      await page.getByRole("heading", { name: `The server sends ${method} deprecated in 2026-07-28` }).waitFor();
      const editor = question(page).getByRole("textbox", { name: "Answer as JSON" });
      await editor.and(page.locator(":focus")).waitFor();
      expect(await editor.inputValue()).toContain(word);
      await editor.press("Control+Enter");
    }
    await page.getByRole("tab", { name: "Result" }).click();
    await page
      .getByText(/file:\/\/\/project/)
      .first()
      .waitFor();
  });

  test("a handler that asks something else in run 2 is shown as diverged, with a hint", async () => {
    const { page } = await open("/tools/unstable");
    await ask(page);
    await question(page).getByRole("textbox", { name: "value", exact: true }).fill("x");
    await page.keyboard.press("Enter");
    await page.getByRole("tab", { name: /^Rounds/ }).click();
    await runs(page)
      .getByText(/^diverged:.*ctx\.step\(\)/)
      .waitFor();
  });
});
