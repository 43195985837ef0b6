import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { SourceView } from "../src/protocol/api.ts";
import { accessibilityViolations, describeInBrowser, usePages } from "./browser.ts";
import { useShopPages } from "./shop-page.ts";

const TEMPLATE = `/templates/${encodeURIComponent("orders://{id}{?limit}")}`;

describeInBrowser("resources, prompts, revisions and sources", () => {
  const pages = usePages();
  const open = useShopPages(pages);
  const box = (page: Page, name: string) =>
    page.getByRole("combobox", { name, exact: true }).or(page.getByRole("textbox", { name, exact: true }));

  test("the form of a template expands it live, and completion lists and narrows", async () => {
    const { page } = await open(TEMPLATE);
    const uri = () => page.getByRole("status", { name: "Expanded URI" }).textContent();
    await expect.poll(uri).toBe("orders://");
    await box(page, "id").fill("1");
    await expect.poll(uri).toBe("orders://1");
    const options = () =>
      page.locator("datalist option").evaluateAll((list) => list.map((option) => option.getAttribute("value")));
    await expect.poll(options).toEqual(["17", "18"]);
    await box(page, "id").fill("18");
    await expect.poll(options).toEqual(["18"]);
    await box(page, "limit").fill("a b");
    await expect.poll(uri).toBe("orders://18?limit=a%20b");
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("button", { name: /^Read/ }).click();
    await page.getByRole("treeitem", { name: /limit/ }).getByText('"a b"').waitFor();
  });

  test("a subscribed resource shows its new content and the difference", async () => {
    const { page, shop } = await open("/resources?uri=shop%3A%2F%2Fstock");
    await page.getByRole("button", { name: "Subscribe" }).click();
    await page.getByRole("button", { name: "Unsubscribe" }).waitFor();
    await page.getByRole("figure", { name: "Contents" }).getByText("pens: 3").waitFor();
    shop.sell();
    await page.getByRole("figure", { name: "Contents" }).getByText("pens: 2").waitFor();
    await expect
      .poll(() => page.getByRole("list", { name: "Differences" }).textContent())
      .toContain("- pens: 3\n+ pens: 2\n");
    await page.getByRole("button", { name: "Unsubscribe" }).click();
    await page.getByRole("button", { name: "Subscribe", exact: true }).waitFor();
  });

  test("a prompt shows roles and contents", async () => {
    const { page } = await open("/prompts/review");
    await box(page, "code").fill("main.ts");
    await page.getByRole("button", { name: /^Get/ }).click();
    const said = page.locator(".said");
    await expect.poll(() => said.count()).toBe(3);
    expect(await said.getByRole("heading").allTextContents()).toEqual(["user", "assistant", "user"]);
    await said.nth(0).getByText("Review main.ts").waitFor();
    await said.nth(2).getByRole("img", { name: "image/gif, 35 B" }).waitFor();
  });

  test("a call is repeated on five revisions, the shapes that differ are marked; effects are asked about once", async () => {
    const { page, shop } = await open("/tools/find");
    await page.getByRole("textbox", { name: "id", exact: true }).fill("7");
    await page.getByRole("button", { name: /^Call/ }).click();
    await expect.poll(() => shop.received.length).toBe(1);
    await page.getByRole("tab", { name: "Revisions" }).click();
    await page.getByRole("button", { name: "Repeat on 5 revisions" }).click();
    await page.getByText("5 calls may have 5 effects").waitFor();
    expect(shop.received.length).toBe(1);
    await page.getByRole("button", { name: "Call it 5 times" }).click();
    const table = page.getByRole("region", { name: "Results by revision" }).getByRole("table");
    await table.waitFor();
    expect(shop.received.length).toBe(6);
    const headers = await table.getByRole("columnheader").allTextContents();
    expect(headers).toEqual(["member", "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]);
    const row = (name: RegExp) => table.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });
    expect(await row(/^content/).textContent()).not.toContain("differs");
    expect(
      await row(/^resultType differs/)
        .getByRole("cell")
        .allTextContents(),
    ).toEqual(['"complete"', "–", "–", "–", "–"]);
    await page.getByRole("button", { name: "Repeat", exact: true }).click();
    await expect.poll(() => shop.received.length).toBe(11);
  });

  test("looking at the schema marks the source, and the other way round; a press opens the editor", async () => {
    const source: SourceView = {
      pieces: [
        { file: 0, first: 3, lines: ["interface Order {", "  /** @pattern ^\\d{5}$ */", "  zip: string;", "}"] },
      ],
      places: [
        { pointer: "/inputSchema", place: { file: 0, line: 3 }, endLine: 6 },
        { pointer: "/inputSchema/properties/to/properties/zip", place: { file: 0, line: 4 }, endLine: 5 },
      ],
    };
    const { page, sent } = await open("/tools/order", { source });
    await page.getByRole("tab", { name: "Source ↔ schema" }).click();
    const marked = (name: string) =>
      page.getByRole("region", { name, exact: true }).locator("[aria-current]").allTextContents();
    await page.getByRole("button", { name: '"pattern": "^\\\\d{5}$"' }).hover();
    await expect.poll(() => marked("Source")).toEqual(["4  /** @pattern ^\\d{5}$ */", "5  zip: string;"]);
    // Otherwise a scroll moves another line below the pointer.
    await page.mouse.move(0, 0);
    await page.getByRole("button", { name: "zip: string;" }).focus();
    await expect.poll(async () => (await marked("Schema"))[0]?.trim()).toBe('"zip": {');
    expect((await marked("Schema")).join()).toContain('"pattern"');
    await page.getByRole("button", { name: "zip: string;" }).click();
    await expect
      .poll(() => sent.filter(({ name }) => name === "open").map(({ body }) => body))
      .toEqual([{ file: 0, line: 5 }]);
  });
});
