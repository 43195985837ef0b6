import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createProject, type Project } from "../../cli/test/project.ts";
import { distFile } from "../../proffer/test/dist.ts";
import { addressesOf } from "./address.ts";
import { accessibilityViolations, describeInBrowser, usePages } from "./browser.ts";

const ADDRESS = /Inspector at (http:\S+#k=\S+)\s/;
const PATIENT = { timeout: 600_000 };
type Transport = Parameters<Client["connect"]>[0];

describeInBrowser("the page while a real client is connected", () => {
  let project: Project;
  let client: Client;

  beforeEach(() => {
    project = createProject();
    project.write("tools.ts", "/** Adds. */", "export const add = (a: number, b: number): number => a + b;");
    client = new Client({ name: "official", version: "1.32.2" });
  });
  afterEach(async () => {
    await client.close();
    project.remove();
  });
  const pages = usePages();

  /** The lanes by their names, except those of the page. */
  async function watched(page: Page): Promise<string[]> {
    const lanes = await page.getByRole("combobox", { name: "Connection" }).locator("option").allTextContents();
    return lanes.filter((lane) => lane.includes("watched"));
  }

  async function call(): Promise<void> {
    const { structuredContent } = await client.callTool(
      { name: "add", arguments: { a: 19, b: 23 } },
      undefined,
      PATIENT,
    );
    expect(structuredContent).toEqual({ result: 42 });
  }

  /** The messages of the client alone are shown, and nothing can be sent as the client. */
  async function expectReadOnly(page: Page, lane: string): Promise<void> {
    await page.getByRole("combobox", { name: "Connection" }).selectOption(lane);
    const labels = page.getByRole("table", { name: "Messages" }).locator("[data-roving]");
    await expect
      .poll(() => labels.allTextContents())
      .toEqual(["initialize", "notifications/initialized", "tools/call add"]);
    await page.getByRole("link", { name: "tools/call add" }).click();
    const message = page.getByRole("region", { name: "Message" });
    await message.getByRole("button", { name: "Repeat as me" }).waitFor();
    // The only button of a watched message leads to a call of the page.
    expect(await message.getByRole("button").allTextContents()).toEqual(["Repeat as me"]);
    await message.getByRole("button").click();
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByRole("region", { name: "Answer" }).getByText("42").first().waitFor();
    expect(await labels.count()).toBe(3);
    expect(await accessibilityViolations(page)).toEqual([]);
  }

  test("the official client over HTTP is a lane with its name and revision, read only", async () => {
    const child = project.start("dev", "tools.ts", "--http", "--port", "0", "--inspect=0");
    const { address, url } = await addressesOf(child);
    const page = await pages.open(address);
    await page.getByRole("region", { name: "Tools" }).getByRole("link", { name: "add" }).waitFor();
    await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport, PATIENT);
    await expect.poll(() => watched(page)).toEqual(["official 1.32.2 · http · 2025-11-25 · watched"]);
    await call();
    await expectReadOnly(page, "official 1.32.2 · http · 2025-11-25 · watched");
  });

  test("the official client over stdio is a lane with its name and revision, read only", async () => {
    const args = [distFile("bin.js"), "dev", "tools.ts", "--inspect=0"];
    const transport = new StdioClientTransport({
      command: process.execPath,
      args,
      cwd: project.folder,
      stderr: "pipe",
    });
    let said = "";
    transport.stderr?.on("data", (chunk) => {
      said += chunk;
    });
    await client.connect(transport as Transport, PATIENT);
    await expect.poll(() => said).toMatch(ADDRESS);
    const page = await pages.open(ADDRESS.exec(said)?.[1] ?? "");
    await expect.poll(() => watched(page)).toEqual(["official 1.32.2 · stdio · 2025-11-25 · watched"]);
    await call();
    await expectReadOnly(page, "official 1.32.2 · stdio · 2025-11-25 · watched");
  });
});
