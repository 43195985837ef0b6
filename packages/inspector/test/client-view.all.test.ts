import {
  Client as StatelessClient,
  StreamableHTTPClientTransport as StatelessHttp,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createProject, type Project } from "../../cli/test/project.ts";
import { addressesOf, routeOf } from "./address.ts";
import { accessibilityViolations, describeInBrowser, PHONE, usePages } from "./browser.ts";

const PATIENT = { timeout: 600_000 };
const CAPABILITIES = { roots: { listChanged: true } };
/** Longer than the 64 characters that the profile of this client allows. */
const LONG = `orderEvery${"Single".repeat(10)}Thing`;
const MODULE = [
  "let orders = 0;",
  "/** Orders things. */",
  "export function order(sku: string, amount: number): string {",
  "  orders += 1;",
  "  return ['order', orders, amount, sku].join(' ');",
  "}",
  "/** Orders everything. */",
  `export function ${LONG}(): string { return "no"; }`,
  "/**",
  " * The terms.",
  " * @resource shop://terms",
  " */",
  'export function terms(): string { return "Pay first."; }',
  "/**",
  " * Reviews an order.",
  " * @prompt",
  " */",
  'export function review(): string { return "Review it."; }',
];

describeInBrowser("the view of a real client", () => {
  let project: Project;
  let closing: (() => Promise<unknown>)[];

  beforeEach(() => {
    project = createProject();
    project.write("tools.ts", ...MODULE);
    closing = [];
  });
  afterEach(async () => {
    for (const close of closing) await close();
    project.remove();
  });
  const pages = usePages();

  function start(): Promise<{ readonly address: string; readonly url: string }> {
    return addressesOf(project.start("dev", "tools.ts", "--http", "--port", "0", "--inspect=0"));
  }

  /** The official client, under the name of a client with a profile. */
  async function connect(url: string): Promise<Client> {
    const client = new Client({ name: "claude-ai", version: "0.1.0" }, { capabilities: CAPABILITIES });
    closing.push(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Parameters<Client["connect"]>[0], PATIENT);
    return client;
  }

  const seenBy = (page: Page) => page.getByRole("list", { name: "What it sees" });
  const summaries = (page: Page) => seenBy(page).locator("summary").allTextContents();
  const LANE = "claude-ai 0.1.0 · http · 2025-11-25 · watched";

  for (const colorScheme of ["light", "dark"] as const) {
    test(`its lane leads to its offer, after the cuts of its profile, ${colorScheme}`, async () => {
      const { address, url } = await start();
      const client = await connect(url);
      const listed = (await client.listTools(undefined, PATIENT)).tools.map(({ name }) => name);
      const page = await pages.open(address, { colorScheme });
      const lanes = page.getByRole("combobox", { name: "Connection" });
      await lanes.selectOption(LANE);
      await page.getByRole("link", { name: "What claude-ai sees" }).click();
      await page.getByRole("heading", { name: "What claude-ai sees" }).waitFor();
      expect(new URL(page.url()).pathname).toBe("/clients/client-1");
      await page.getByText("On 2025-11-25, after the cuts of claude.ai and Claude Desktop.").waitFor();
      // The server lists tools that read resources for this client, and not for the page.
      expect(listed.length).toBeGreaterThan(2);
      const shown = await summaries(page);
      expect(shown).toHaveLength(listed.length + 2);
      for (const name of listed) {
        expect(shown).toContain(name === LONG ? `tool ${name} is not seen` : `tool ${name}`);
      }
      expect(shown).toContain("prompt review");
      expect(shown).toContain("resource shop://terms with losses");
      const own = page.getByRole("region", { name: "Tools" });
      expect(await own.locator("[data-item]").count()).toBe(2);

      await seenBy(page).getByText(`tool ${LONG}`).click();
      await seenBy(page).getByText("The model does not see this tool.").waitFor();
      await seenBy(page).getByText("tool order", { exact: true }).click();
      await page.getByRole("tree", { name: "order for claude.ai and Claude Desktop" }).waitFor();
      await page.getByRole("tree", { name: "Capabilities of the client" }).getByText("listChanged").waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);

      // The address shows the same after a reload, and the view follows an edit.
      await page.goto(routeOf(address, "/clients/client-1"));
      await expect.poll(() => summaries(page)).toEqual(shown);
      project.write("tools.ts", ...MODULE, "/** Pays. */", "export function pay(): string { return String(orders); }");
      await expect.poll(() => summaries(page)).toContain("tool pay");
    });
  }

  test("a call of it is repeated in the form, and nothing is sent by that", async () => {
    const { address, url } = await start();
    const client = await connect(url);
    await client.callTool({ name: "order", arguments: { sku: "pen", amount: 2 } }, undefined, PATIENT);
    const page = await pages.open(address);
    await page.getByRole("combobox", { name: "Connection" }).selectOption(LANE);
    await page.getByRole("link", { name: "tools/call order" }).click();
    const message = page.getByRole("region", { name: "Message" });
    await message.getByRole("link", { name: "What claude-ai sees" }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await message.getByRole("button", { name: "Repeat as me" }).click();
    await expect.poll(() => page.getByRole("textbox", { name: "sku" }).inputValue()).toBe("pen");
    // On the revision of the client, which is not the newest one.
    expect(new URL(page.url()).searchParams.get("rev")).toBe("2025-11-25");
    await page.getByRole("button", { name: /^Call/ }).click();
    // The second order: the click before has not made one.
    await page.getByRole("region", { name: "Answer" }).getByText("order 2 2 pen").first().waitFor();
  });

  test("the palette finds it, and a phone shows it", async () => {
    const { address, url } = await start();
    await connect(url);
    const page = await pages.open(address);
    await page.getByRole("combobox", { name: "Connection" }).getByText(LANE).waitFor({ state: "attached" });
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find an item or an action" }).fill("What claude");
    await page.keyboard.press("Enter");
    await seenBy(page).waitFor();
    const phone = await pages.open(routeOf(address, "/clients/client-1"), { viewport: PHONE });
    await seenBy(phone).waitFor();
    for (const part of ["html", "main", ".overview"]) {
      const overflow = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector("${part}"))`;
      expect([part, await phone.evaluate(overflow)]).toEqual([part, 0]);
    }
    expect(await accessibilityViolations(phone)).toEqual([]);
  });

  test("a client without a profile or a session gets everything, on its revision", async () => {
    const { address, url } = await start();
    const client = new StatelessClient(
      { name: "official", version: "2" },
      { capabilities: {}, versionNegotiation: { mode: "auto" } },
    );
    closing.push(() => client.close());
    await client.connect(new StatelessHttp(new URL(url)), PATIENT);
    const { tools } = await client.listTools(undefined, PATIENT);
    const page = await pages.open(address);
    await page.getByRole("combobox", { name: "Connection" }).selectOption({ label: await laneOf(page) });
    await page.getByRole("link", { name: "What official sees" }).click();
    await page.getByText(/^On 2026-07-28, without a profile: nothing is cut/).waitFor();
    const shown = (await summaries(page)).filter((text) => text.startsWith("tool "));
    expect(shown).toEqual(tools.map(({ name }) => `tool ${name}`));
  });

  /** The label of the lane of the client on the newest revision. */
  async function laneOf(page: Page): Promise<string> {
    const options = page.getByRole("combobox", { name: "Connection" }).locator("option");
    const find = async () => (await options.allTextContents()).find((text) => /^official 2 .*2026/.test(text));
    await expect.poll(find).toBeDefined();
    return (await find()) ?? "";
  }

  test("a client that is not known any more has a calm answer", async () => {
    const { address } = await start();
    pages.expectProblem(/status of 404/);
    const page = await pages.open(routeOf(address, "/clients/client-99"));
    await page.getByText("The inspector does not know this client, or not any more.").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });
});
