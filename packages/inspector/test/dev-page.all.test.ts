import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createProject, type Project } from "../../cli/test/project.ts";
import { addressesOf, routeOf } from "./address.ts";
import { accessibilityViolations, describeInBrowser, usePages } from "./browser.ts";

const ADD = ["/** Adds. */", "export function add(a: number, b: number) {", "  return a + b;", "}"];
const TRIPLE = ["/** Triples. */", "export function triple(a: number) {", "  return 3 * a;", "}"];

/** Where the last semicolon and the caret of a syntax error begin, in pixels. */
const LEFT_EDGES = `[";", "^"].map((char) => {
  const nodes = [...document.querySelector(".frame-line.here").childNodes];
  const text = nodes.find((node) => node.nodeType === 3 && node.data.includes(char));
  const range = document.createRange();
  range.setStart(text, text.data.lastIndexOf(char));
  range.setEnd(text, text.data.lastIndexOf(char) + 1);
  return range.getBoundingClientRect().left;
})`;

describeInBrowser("the page of proffer dev --inspect", () => {
  let project: Project;
  let url: string;
  let serverUrl: string;

  beforeEach(async () => {
    project = createProject();
    project.write("tools.ts", ...ADD);
    ({ address: url, url: serverUrl } = await addressesOf(
      project.start("dev", "tools.ts", "--http", "--port", "0", "--inspect=0"),
    ));
  });
  afterEach(() => project.remove());
  const pages = usePages();

  function tools(page: Page): Promise<string[]> {
    return page.getByRole("region", { name: "Tools", exact: true }).locator(".name").allTextContents();
  }

  test("shows the tools without a click; they appear and vanish with edits, the selection survives", async () => {
    const page = await pages.open(url);
    await expect.poll(() => tools(page)).toEqual(["add"]);
    await page.getByRole("link", { name: "add" }).first().click();
    await page.getByText("Adds.").waitFor();
    project.write("tools.ts", ...ADD, ...TRIPLE);
    await expect.poll(() => tools(page)).toEqual(["add", "triple"]);
    await page.getByText("taken over in").waitFor();
    project.write("tools.ts", ...TRIPLE);
    await expect.poll(() => tools(page)).toEqual(["triple"]);
    await page.getByText("Your edit removed this tool.").waitFor();
    project.write("tools.ts", ...ADD, ...TRIPLE);
    await expect.poll(() => tools(page)).toEqual(["add", "triple"]);
    await page.getByText("Adds.").waitFor();
    expect(new URL(page.url()).pathname).toBe("/tools/add");
  });

  test("the server answers before a page is open, and the page shows that later", async () => {
    const message = { jsonrpc: "2.0", id: "early", method: "ping" };
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const response = await fetch(serverUrl, { method: "POST", headers, body: JSON.stringify(message) });
    const text = await response.text();
    const page = await pages.open(url);
    await expect.poll(() => tools(page)).toEqual(["add"]);
    await page.getByRole("link", { name: "ping" }).click();
    await page.getByRole("region", { name: "Response" }).getByRole("tab", { name: "Raw" }).click();
    expect(await page.getByRole("region", { name: "Response" }).locator("pre.raw").textContent()).toBe(text);
  });

  /** Opens the tool with two typed values, and marks the document: a page that is loaded again loses the mark. */
  async function openTyped(): Promise<Page> {
    const page = await pages.open(routeOf(url, "/tools/add"));
    await field(page, "a").fill("19");
    await field(page, "b").fill("23");
    await page.evaluate("document.documentElement.dataset.mark = 'first'");
    return page;
  }

  async function expectTyped(page: Page): Promise<void> {
    expect([await field(page, "a").inputValue(), await field(page, "b").inputValue()]).toEqual(["19", "23"]);
    expect(await page.evaluate("document.documentElement.dataset.mark")).toBe("first");
  }

  const field = (page: Page, name: string) =>
    page.getByRole("form", { name: "Arguments" }).getByRole("textbox", { name, exact: true });
  const frame = (page: Page) => page.getByRole("alert", { name: "Broken edit" });

  test("an edit of a type shows its difference with pointer and line, and keeps the arguments", async () => {
    const page = await openTyped();
    await page.getByRole("tab", { name: "Changed" }).click();
    project.write("tools.ts", "", ...ADD.map((line) => line.replace("b: number", 'b: number, unit: "cm" | "m" = "m"')));
    const change = page.getByRole("region", { name: "changed tool add" });
    await change.getByText("/inputSchema/properties/unit", { exact: true }).waitFor();
    expect(await change.locator("ins").first().textContent()).toContain('"cm"');
    await change.getByRole("button", { name: "tools.ts:3" }).first().waitFor();
    await page.getByRole("combobox", { name: "unit", exact: true }).waitFor();
    await expectTyped(page);
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByRole("region", { name: "Answer" }).getByText("42").first().waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  test("the side pane stays folded on the first visit, until an edit has something to show", async () => {
    const page = await pages.open(routeOf(url, "/tools/add"), { isFirstVisit: true });
    await page.getByRole("button", { name: "Unfold" }).waitFor();
    expect(await page.getByRole("tab", { name: "Changed" }).count()).toBe(0);
    project.write("tools.ts", ...ADD.map((line) => line.replace("Adds", "Sums")));
    await page.getByRole("region", { name: "changed tool add" }).waitFor();
  });

  test("a broken edit shows its frame, the last version stays callable, and a mended one takes it away", async () => {
    const page = await openTyped();
    project.write("tools.ts", ...ADD, "export const oops = (;");
    await frame(page).getByRole("button", { name: "tools.ts:5:22" }).waitFor();
    await frame(page).getByText("TS1109").waitFor();
    const here = frame(page).locator(".frame-line.here");
    expect(await here.textContent()).toContain(">    5 export const oops = (;");
    // The caret is below the character, not only at its column in the text: the number is a part of the line.
    const [semicolon = 0, caret = 0] = (await page.evaluate(LEFT_EDGES)) as number[];
    expect(semicolon).toBeGreaterThan(0);
    expect(Math.abs(semicolon - caret)).toBeLessThan(1);
    await page.getByText("broken edit, the last good version serves").waitFor();
    await expectTyped(page);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByRole("region", { name: "Answer" }).getByText("42").first().waitFor();
    project.write("tools.ts", ...ADD.map((line) => line.replace("a + b", "a - b")));
    await frame(page).waitFor({ state: "detached" });
    await expectTyped(page);
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByRole("region", { name: "Answer" }).getByText("-4").first().waitFor();
  });
});
