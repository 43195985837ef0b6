import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createProject, type Project, waitForStderr } from "../project.ts";
import { describeInBrowser, usePages } from "./browser.ts";

const ADD = ["/** Adds. */", "export function add(a: number, b: number) {", "  return a + b;", "}"];
const TRIPLE = ["/** Triples. */", "export function triple(a: number) {", "  return 3 * a;", "}"];

describeInBrowser("the page of proffer dev --inspect", () => {
  let project: Project;
  let url: string;

  beforeEach(async () => {
    project = createProject();
    project.write("tools.ts", ...ADD);
    const child = project.start("dev", "tools.ts", "--http", "--port", "0", "--inspect=0");
    const output = await waitForStderr(child, /Inspector at \S+#k=\S+\s/);
    url = /Inspector at (\S+)/.exec(output)?.[1] ?? "";
  });
  afterEach(() => project.remove());
  const pages = usePages();

  function tools(page: Page): Promise<string[]> {
    return page.getByRole("region", { name: "Tools", exact: true }).locator(".name").allTextContents();
  }

  test("I1 I50 shows the tools without a click; they appear and vanish with edits, the selection survives", async () => {
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
});
