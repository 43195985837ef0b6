import { once } from "node:events";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { addressOf, routeOf } from "./address.ts";
import { accessibilityViolations, describeInBrowser } from "./browser.ts";
import { useProjectPages } from "./project-pages.ts";

const MODULE = [
  'import type { Context } from "proffer";',
  "/** Orders after a question. */",
  "export async function order(id: string, ctx: Context): Promise<string> {",
  '  ctx.progress(1, 2, "half");',
  '  const answer = await ctx.ask<{ sure: boolean }>("Sure?");',
  '  return answer.action + " é " + id;',
  "}",
];

describeInBrowser("the page of a recording", () => {
  const { project, pages } = useProjectPages(...MODULE);

  /** The cells of all rows of the timeline, with everything that belongs to them. */
  async function tableOf(page: Page): Promise<string[][]> {
    const table = page.getByRole("table", { name: "Messages" });
    const closed = table.locator("button[aria-expanded=false]");
    for (let count = await closed.count(); count > 0; count = await closed.count()) await closed.first().click();
    const rows = table.locator("tbody tr");
    await expect.poll(async () => String((await rows.count()) + 1)).toBe(await table.getAttribute("aria-rowcount"));
    return Promise.all((await rows.all()).map((row) => row.locator("td").allTextContents()));
  }

  /** Presses the button, and returns the downloaded file. */
  async function exportOf(page: Page, file: string): Promise<string> {
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export .jsonl" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("session.jsonl");
    await download.saveAs(project().path(file));
    return project().read(file);
  }

  test("an export of the page is shown without a server as it was, and exported again", async () => {
    const child = project().start("inspect", "tools.ts", "--port", "0");
    const page = await pages.open(routeOf(await addressOf(child), "/tools/order"));
    await page.getByRole("form", { name: "Arguments" }).getByRole("textbox", { name: "id", exact: true }).fill("7");
    await page.getByRole("button", { name: /^Call/ }).click();
    const question = page.getByRole("form", { name: "Question" });
    await question.getByRole("combobox", { name: "sure", exact: true }).selectOption("true");
    await question.getByRole("button", { name: /^Answer/ }).click();
    await page.getByRole("row", { name: /tools\/call order.*complete · 2 rounds/ }).waitFor();
    await page.getByRole("button", { name: "Send raw" }).click();
    await page.getByRole("textbox", { name: "Raw message" }).fill('{"broken": "\u2028",');
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("row", { name: /from the server.*-32700/ }).waitFor();
    const exported = await exportOf(page, "session.jsonl");
    const table = await tableOf(page);
    await page.close();
    child.kill("SIGINT");
    await once(child, "exit");

    project().write("tools.ts", "throw new Error('The module must not be loaded.');");
    const opened = await pages.open(await addressOf(project().start("inspect", "session.jsonl", "--port", "0")));
    await opened.getByRole("row", { name: /tools\/call order/ }).waitFor();
    expect(await tableOf(opened)).toEqual(table);
    expect(table.length).toBeGreaterThan(8);
    await opened.getByText("session.jsonl").first().waitFor();
    await opened.getByRole("link", { name: "malformed" }).click();
    await opened.getByRole("region", { name: "Message" }).getByRole("tab", { name: "Raw" }).click();
    const raw = opened.getByRole("region", { name: "Message" }).locator("pre.raw");
    expect(await raw.textContent()).toBe('{"broken": "\u2028",');
    expect(await opened.getByRole("button", { name: "Send raw" }).count()).toBe(0);
    const again = await exportOf(opened, "again.jsonl");
    expect(messagesOf(again)).toEqual(messagesOf(exported));
    expect(await accessibilityViolations(opened)).toEqual([]);
  });
});

/** The lines of a recording after its header. */
function messagesOf(recording: string): unknown[] {
  const [, ...lines] = recording.trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}
