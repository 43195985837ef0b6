import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createProject, type Project } from "../../cli/test/project.ts";
import { addressesOf, addressOf, routeOf } from "./address.ts";
import { describeInBrowser, usePages } from "./browser.ts";

const MODULE = [
  'import type { Context } from "proffer";',
  "/** Adds. */",
  "export function add(a: number, b: number) {",
  "  return a + b;",
  "}",
  "/** Pays. */",
  "export async function pay(ctx: Context): Promise<string> {",
  '  const answer = await ctx.ask<{ sure: boolean }>("Pay 14?");',
  '  return answer.action === "accept" && answer.content.sure ? "paid" : "left alone";',
  "}",
];
const SERVER = fileURLToPath(new URL("stdio-server.mjs", import.meta.url));

// One walk through each part of the page. The other tests in a browser are for `npm run test:all`.
describeInBrowser("a walk through the page", () => {
  let project: Project;
  let url: string;

  beforeAll(async () => {
    project = createProject();
    project.write("tools.ts", ...MODULE);
    ({ address: url } = await addressesOf(project.start("dev", "tools.ts", "--http", "--port", "0", "--inspect=0")));
  });
  afterAll(() => project.remove());
  const pages = usePages();

  const tools = (page: Page) => page.getByRole("region", { name: "Tools", exact: true }).locator(".name");
  const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });

  test("shows the list", async () => {
    const page = await pages.open(url);
    await expect.poll(() => tools(page).allTextContents()).toEqual(["add", "pay"]);
    await page.getByRole("link", { name: "add" }).first().click();
    await page.getByText("Adds.").waitFor();
  });

  test("calls", async () => {
    const page = await pages.open(routeOf(url, "/tools/add"));
    await field(page, "a").fill("19");
    await field(page, "b").fill("23");
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByRole("region", { name: "Answer" }).getByText("42").first().waitFor();
    await page.getByRole("row", { name: /tools\/call add/ }).waitFor();
  });

  test("answers a question", async () => {
    const page = await pages.open(routeOf(url, "/tools/pay"));
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByRole("heading", { name: "The server asks: Pay 14?" }).waitFor();
    await page.getByRole("combobox", { name: "sure", exact: true }).selectOption("true");
    await page.getByRole("button", { name: /^Answer/ }).click();
    await page.getByRole("tab", { name: "Result" }).click();
    await page.getByText("paid").first().waitFor();
  });

  test("takes over an edit, and shows a broken one until it is mended", async () => {
    const page = await pages.open(routeOf(url, "/tools/add"));
    await field(page, "a").fill("19");
    const edited = MODULE.map((line) => line.replace("b: number", 'b: number, unit: "cm" | "m" = "m"'));
    project.write("tools.ts", ...edited);
    await page.getByRole("combobox", { name: "unit", exact: true }).waitFor();
    expect(await field(page, "a").inputValue()).toBe("19");
    const frame = page.getByRole("alert", { name: "Broken edit" });
    project.write("tools.ts", ...edited, "export function");
    await frame.waitFor();
    project.write("tools.ts", ...edited);
    await frame.waitFor({ state: "detached" });
  });

  test("shows a server that dies, and connects again", async () => {
    const command = [process.execPath, SERVER, project.path("server.log")];
    const page = await pages.open(
      routeOf(await addressOf(project.start("inspect", "--port", "0", "--", ...command)), "/wire"),
    );
    const state = page.locator(".chip.loop");
    // A message is refused until the server is connected.
    await expect.poll(() => state.textContent()).toMatch(/connected$/);
    await page.getByRole("button", { name: "Send raw" }).click();
    await page
      .getByRole("textbox", { name: "Raw message" })
      .fill('{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"die later"}}');
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("The server is gone.").waitFor();
    await page.getByRole("button", { name: "Connect again" }).click();
    await expect.poll(() => state.textContent()).toMatch(/connected$/);
  });
});
