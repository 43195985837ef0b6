import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createCopying } from "../../cli/src/inspect/host.ts";
import { copyAs } from "../src/copy/copy.ts";
import type { CopyFormat, Draft } from "../src/protocol/api.ts";
import { addressesOf, addressOf, routeOf } from "./address.ts";
import { accessibilityViolations, describeInBrowser } from "./browser.ts";
import { openPage } from "./page-client.ts";
import { useProjectPages } from "./project-pages.ts";

const MODULE = [
  'import type { Context } from "proffer";',
  "/** Orders after a question. */",
  "export async function order(id: string, ctx: Context): Promise<string> {",
  '  const answer = await ctx.ask<{ sure: boolean }>("Sure?");',
  '  return answer.action === "accept" && answer.content.sure ? "ordered " + id : "left alone";',
  "}",
];

describeInBrowser("the page and the files of a project", () => {
  const { project, pages } = useProjectPages(...MODULE);

  const start = () => project().start("dev", "tools.ts", "--http", "--port", "0", "--inspect=0");

  /** Calls the tool with an argument, and answers its question. */
  async function order(page: Page, id: string, sure: "true" | "false"): Promise<void> {
    await page.getByRole("form", { name: "Arguments" }).getByRole("textbox", { name: "id", exact: true }).fill(id);
    await page.getByRole("button", { name: /^Call/ }).click();
    await answer(page, sure);
    await page
      .getByRole("region", { name: "Answer" })
      .getByText(sure === "true" ? `ordered ${id}` : "left alone")
      .first()
      .waitFor();
  }

  async function answer(page: Page, sure: "true" | "false"): Promise<void> {
    const question = page.getByRole("form", { name: "Question" });
    await question.getByRole("combobox", { name: "sure", exact: true }).selectOption(sure);
    await question.getByRole("button", { name: /^Answer/ }).click();
    await question.waitFor({ state: "detached" });
    await page.getByRole("tab", { name: "Result", exact: true }).click();
  }

  test("the history survives a restart on another port; a call is run again, and two are compared", async () => {
    const child = start();
    const before = await addressOf(child);
    const first = await pages.open(routeOf(before, "/tools/order"));
    await order(first, "7", "true");
    const folder = project().path(".proffer/inspector");
    const history = () => readdirSync(folder).find((name) => /^history-tools\.ts-\w{8}\.jsonl$/.test(name)) ?? "";
    await expect.poll(() => project().read(join(".proffer/inspector", history()))).toContain('"ordered 7"');
    await first.close();
    child.kill("SIGINT");
    await once(child, "exit");

    const address = await addressOf(start());
    expect(new URL(address).port).not.toBe(new URL(before).port);
    const page = await pages.open(routeOf(address, "/history"));
    const rows = page.getByRole("table").filter({ hasText: "Actions" }).getByRole("row");
    await rows.getByRole("link", { name: "order" }).click();
    await page.getByText('"id": "7"').waitFor();
    await page.getByText("ordered 7").first().waitFor();
    await page.getByRole("button", { name: "Run again" }).click();
    await answer(page, "false");
    await page.getByRole("region", { name: "Answer" }).getByText("left alone").first().waitFor();
    await page.getByRole("link", { name: "History", exact: true }).click();
    await expect.poll(() => rows.count()).toBe(3);
    await rows
      .nth(2)
      .getByRole("button", { name: /^Compare/ })
      .click();
    await rows.nth(1).getByRole("link", { name: "order" }).click();
    const differences = page.getByRole("region", { name: "Differences" });
    await differences.locator("del").getByText("ordered 7").first().waitFor();
    await differences.locator("ins").getByText("left alone").first().waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  test("the page copies the test and the commands of the call, with its answers", async () => {
    const { address, url } = await addressesOf(start());
    const permissions = ["clipboard-read", "clipboard-write"];
    const page = await pages.open(routeOf(address, "/tools/order"), { permissions });
    await order(page, "it's 7", "true");
    const client = await openPage(address);
    const { offer } = await client.until("offer");
    const { call } = await client.until("call", (event) => event.call.status === "done");
    client.close();
    const { revision, method, params, result } = call;
    const answers = [{ action: "accept", content: { sure: true } }] as const;
    const draft: Draft = { revision, method, params, answers, ...(result && { result }) };
    const tools = offer.items.map(({ description }) => description);
    const target = { kind: "module", file: "tools.ts" } as const;
    const source = { ...createCopying(target, () => url), url, serverName: offer.server.name, newest: revision, tools };

    await page.getByRole("tab", { name: "Copy as" }).click();
    for (const format of ["test", "sh", "curl"] satisfies CopyFormat[]) {
      await page.getByLabel("Format").selectOption(format);
      const { text } = copyAs(format, draft, source);
      await expect.poll(() => page.locator(".copied").textContent()).toBe(text);
      await page.getByRole("button", { name: "Copy", exact: true }).click();
      await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(text);
    }
    expect(copyAs("test", draft, source).text).toContain("ordered it's 7");
  });

  test("a saved call is a file of the project with a star in the page, and the command runs it", async () => {
    const address = await addressOf(start());
    const page = await pages.open(routeOf(address, "/tools/order"));
    await order(page, "7", "true");
    const history = page.getByRole("region", { name: "History" });
    await history.getByRole("link", { name: /^order/ }).click();
    await page.getByRole("button", { name: "☆ Save" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("happy-path");
    await page.keyboard.press("Enter");
    await page.getByText("Saved as inspect/happy-path.json").first().waitFor();
    await history.getByRole("link", { name: /^★ happy-path/ }).waitFor();
    expect(JSON.parse(project().read("inspect/happy-path.json"))).toMatchObject({
      proffer: "call",
      method: "tools/call",
      params: { name: "order", arguments: { id: "7" } },
      answers: [{ action: "accept", content: { sure: true } }],
    });
    const { status, stderr } = project().profferProcess({}, "call", "tools.ts", "--saved", "happy-path");
    expect([status, stderr]).toEqual([0, expect.stringContaining("The result is the saved one.")]);
    expect(await accessibilityViolations(page)).toEqual([]);
  });
});
