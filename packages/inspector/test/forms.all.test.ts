import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser, usePages } from "./browser.ts";
import { useShopPages } from "./shop-page.ts";

describeInBrowser("forms", () => {
  const pages = usePages();
  const open = useShopPages(pages);
  const box = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
  const choice = (page: Page, name: string) => page.getByRole("combobox", { name, exact: true });
  const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
  const focused = (page: Page) => page.locator(":focus").getAttribute("data-pointer");
  const answer = (page: Page) => page.getByRole("region", { name: "Answer" });

  /** Orders one pen to a place that is right. */
  async function fillOrder(page: Page): Promise<void> {
    await button(page, "add to items").click();
    await box(page, "sku").fill("pen");
    await box(page, "zip").fill("12345");
  }

  async function json(page: Page): Promise<unknown> {
    await page.getByRole("tab", { name: "JSON" }).click();
    const text = await box(page, "Arguments as JSON").inputValue();
    await page.getByRole("tab", { name: "Form" }).click();
    return JSON.parse(text);
  }

  test("objects, arrays, enums, three states of a boolean, defaults and errors at the field", async () => {
    const { page, shop } = await open("/tools/order");
    await button(page, "add to items").click();
    await expect.poll(() => focused(page)).toBe("/items/0/sku");
    await page.keyboard.type("pen");
    expect(await box(page, "count").getAttribute("placeholder")).toBe("left out · default 1");
    await button(page, "add to items").click();
    await box(page, "sku").nth(1).fill("ink");
    await button(page, "add to items").click();
    await box(page, "sku").nth(2).fill("nib");
    await button(page, "Move items 3 up").click();
    await button(page, "Remove items 1").click();
    expect(await json(page)).toEqual({ items: [{ sku: "nib" }, { sku: "ink" }] });
    await choice(page, "country").selectOption("FR");
    const express = choice(page, "express");
    expect(await express.locator("option").allTextContents()).toEqual([
      "left out · default false",
      "true",
      "false",
      "as JSON …",
    ]);
    await express.selectOption("true");
    await box(page, "zip").fill("1234");
    await expect.poll(() => box(page, "zip").getAttribute("aria-invalid")).toBe("true");
    await expect.poll(() => page.locator('[id="request/to/zip:problem"]').textContent()).toContain("^\\d{5}$");
    await box(page, "zip").fill("12345");
    await expect.poll(() => box(page, "zip").getAttribute("aria-invalid")).toBeNull();
    await button(page, /^Call/).click();
    const expected = { items: [{ sku: "nib" }, { sku: "ink" }], to: { zip: "12345", country: "FR" }, express: true };
    await expect.poll(() => shop.received).toEqual([expected]);
  });

  test("untouched fields are absent; null and empty are only sent if they are chosen", async () => {
    const { page, shop } = await open("/tools/order");
    await fillOrder(page);
    await box(page, "note").fill("x");
    await box(page, "note").fill("");
    await button(page, /^Call/).click();
    await expect.poll(() => shop.received).toEqual([{ items: [{ sku: "pen" }], to: { zip: "12345" } }]);
    await choice(page, "note: state").selectOption("empty");
    expect(await box(page, "note").getAttribute("placeholder")).toBe("empty text");
    await button(page, /^Call/).click();
    await expect.poll(() => shop.received.at(-1)).toMatchObject({ note: "" });
    await choice(page, "note: state").selectOption("null");
    await button(page, /^Call/).click();
    await expect.poll(() => shop.received.at(-1)).toMatchObject({ note: null });
    await choice(page, "note: state").selectOption("left out");
    expect(await json(page)).toEqual({ items: [{ sku: "pen" }], to: { zip: "12345" } });
  });

  test("a root anyOf has a choice and fields", async () => {
    const { page, shop } = await open("/tools/find");
    await box(page, "id").fill("7");
    await choice(page, "Kind of arguments").selectOption("by name");
    expect(await box(page, "id").count()).toBe(0);
    await box(page, "name").fill("pen");
    await button(page, /^Call/).click();
    await expect.poll(() => shop.received).toEqual([{ name: "pen" }]);
  });

  test("a second use of a definition has the same fields; recursion opens on demand", async () => {
    const { page, shop } = await open("/tools/tree");
    await button(page, "+ add left").click();
    await page.keyboard.type("l");
    await button(page, "+ add right").click();
    await page.keyboard.type("r");
    for (const name of ["a", "b"]) {
      await button(page, "+ add child").last().click();
      await page.keyboard.type(name);
    }
    await button(page, /^Call/).click();
    const right = { name: "r", child: { name: "a", child: { name: "b" } } };
    await expect.poll(() => shop.received).toEqual([{ left: { name: "l" }, right }]);
  });

  test("invalid input is sent anyway, and the server's complaint is shown at the field", async () => {
    const { page, shop } = await open("/tools/order");
    await fillOrder(page);
    await box(page, "count").fill("99");
    await button(page, /^Call/).click();
    await expect.poll(() => focused(page)).toBe("/items/0/count");
    await button(page, "Send anyway").click();
    await expect
      .poll(() =>
        page
          .locator(".field", { has: box(page, "count") })
          .last()
          .textContent(),
      )
      .toContain("the server says:");
    expect(shop.received).toEqual([]);
    await box(page, "count").fill("many");
    await button(page, "Send anyway").click();
    await expect.poll(() => answer(page).textContent()).toContain("/items/0/count");
  });

  test("the form keeps values that it cannot show", async () => {
    const { page } = await open("/tools/order");
    const value = {
      items: [{ sku: "pen", extra: { deep: [1] } }],
      to: { zip: 5, more: true },
      unknown: null,
      note: "a\r\nb",
    };
    await page.getByRole("tab", { name: "JSON" }).click();
    await box(page, "Arguments as JSON").fill(JSON.stringify(value));
    await page.getByRole("tab", { name: "Form" }).click();
    await page.getByText("3 values only in JSON").waitFor();
    expect(await box(page, "zip as JSON").inputValue()).toBe("5");
    await box(page, "sku").fill("ink");
    expect(await json(page)).toEqual({ ...value, items: [{ sku: "ink", extra: { deep: [1] } }] });
  });

  test("malformed JSON is kept, and the form waits for it", async () => {
    const { page, shop } = await open("/tools/order");
    await page.getByRole("tab", { name: "JSON" }).click();
    await box(page, "Arguments as JSON").fill('{\n "items": [1,]\n}');
    await page.getByText("line 2, column 14: expected a value").waitFor();
    await page.getByRole("tab", { name: "Form" }).click();
    expect(await box(page, "Arguments as JSON").inputValue()).toBe('{\n "items": [1,]\n}');
    await button(page, /^Call/).click();
    await page.getByText("The JSON cannot be read. Correct it first.").waitFor();
    expect(shop.received).toEqual([]);
  });

  test("deleting null in JSON character by character adds nothing", async () => {
    const { page } = await open("/tools/order");
    await page.getByRole("tab", { name: "JSON" }).click();
    const editor = box(page, "Arguments as JSON");
    await editor.fill("");
    await editor.pressSequentially('{"note": null}');
    expect(await editor.inputValue()).toBe('{"note": null}');
    await editor.press("ArrowLeft");
    for (const rest of ["nul", "nu", "n", "", '"', '"a', '"a\\']) {
      if (rest.length < 4 && !rest.startsWith('"')) await editor.press("Backspace");
      else await editor.pressSequentially(rest.at(-1) ?? "");
      expect(await editor.inputValue()).toBe(`{"note": ${rest}}`);
    }
    await editor.press("Control+z");
    expect(await editor.inputValue()).not.toContain("\\");
  });

  test("a pasted object fills the form, and can be taken back", async () => {
    const { page } = await open("/tools/order");
    await page.getByRole("tab", { name: "JSON" }).click();
    const editor = box(page, "Arguments as JSON");
    await editor.fill(' {"items": [{"sku": "pen"}], "to": {"zip": "54321"}} ');
    await editor.press("Control+a");
    await editor.press("Control+c");
    await editor.fill("{}");
    await page.getByRole("tab", { name: "Form" }).click();
    await box(page, "zip").fill("1");
    await box(page, "zip").press("Control+v");
    await expect.poll(() => box(page, "zip").inputValue()).toBe("54321");
    expect(await box(page, "sku").inputValue()).toBe("pen");
    await button(page, "Undo").click();
    await expect.poll(() => box(page, "zip").inputValue()).toBe("1");
  });

  test("the keys call from any field, and cancel", async () => {
    const { page, shop, record } = await open("/tools/order");
    await fillOrder(page);
    await box(page, "zip").press("Control+Enter");
    await expect.poll(() => shop.received.length).toBe(1);
    await page.getByRole("tab", { name: "JSON" }).click();
    await box(page, "Arguments as JSON").press("Control+Enter");
    await expect.poll(() => shop.received.length).toBe(2);
    await page.getByRole("link", { name: /wait/ }).click();
    await page.keyboard.press("Control+Enter");
    await button(page, /^Cancel call/).waitFor();
    await page.keyboard.press("Escape");
    await answer(page).getByText("canceled", { exact: true }).waitFor();
    const methods = () => [...record.lines()].map(({ method }) => method);
    await expect.poll(methods).toContain("notifications/cancelled");
  });

  test("examples are valid, and the same each time", async () => {
    const { page, shop } = await open("/tools/order");
    await button(page, "Example").click();
    const first = await json(page);
    await page.getByRole("form", { name: "Arguments" }).getByRole("button", { name: "Clear" }).click();
    expect(await json(page)).toEqual({});
    await button(page, "Example").click();
    expect(await json(page)).toEqual(first);
    await button(page, /^Call/).click();
    await expect.poll(() => shop.received).toEqual([first]);
  });

  test("the JSON editor indents, formats, shows its place and lets Tab out after Esc", async () => {
    const { page } = await open("/tools/order");
    await page.getByRole("tab", { name: "JSON" }).click();
    const editor = box(page, "Arguments as JSON");
    await editor.fill('{"to":{}}');
    await editor.press("Home");
    for (let moves = 0; moves < 7; moves++) await editor.press("ArrowRight");
    await button(page, /^zip \*/).waitFor();
    await editor.press("Enter");
    expect(await editor.inputValue()).toBe('{"to":{\n  \n}}');
    await button(page, /^zip \*/).click();
    await editor.pressSequentially('"1"');
    await page.locator(".code-status").getByText("/to/zip").waitFor();
    await editor.press("Control+Shift+F");
    expect(await editor.inputValue()).toBe('{\n  "to": {\n    "zip": "1"\n  }\n}');
    await editor.press("Control+z");
    expect(await editor.inputValue()).toBe('{"to":{\n  "zip": "1"\n}}');
    await editor.press("Escape");
    await editor.press("Tab");
    expect(await editor.and(page.locator(":focus")).count()).toBe(0);
  });
});
