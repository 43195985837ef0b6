import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";
import { toBase64url } from "../src/page/state/route.ts";
import type { InspectorEvent } from "../src/protocol/api.ts";
import { accessibilityViolations, describeInBrowser, usePages } from "./browser.ts";
import { DEMO_ITEMS, demoCall, demoEvents, demoHandlers, demoOffer } from "./demo-events.ts";
import { type FakeServer, startFakeServer } from "./fake-server.ts";

describeInBrowser("the shell of the page", () => {
  let server: FakeServer;

  beforeEach(async () => {
    server = await startFakeServer(demoEvents(), demoHandlers());
  });
  afterEach(() => server.close());
  // After the server: vitest undoes in reverse order, so the pages are closed first.
  const pages = usePages();

  async function open(path = "/"): Promise<Page> {
    const page = await pages.open(server.at(path));
    await page.getByRole("region", { name: "Tools" }).waitFor();
    return page;
  }

  function items(page: Page, group = "Tools"): Promise<string[]> {
    return page.getByRole("region", { name: group, exact: true }).locator(".name").allTextContents();
  }

  test("opening the address shows the tools without a click", async () => {
    const page = await open();
    expect(await items(page)).toEqual(["order", "count"]);
    expect(await items(page, "Templates")).toEqual(["orders://{id}{?limit}"]);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("demo");
    expect(await page.title()).toBe("demo · Proffer inspector");
  });

  test("page.js and page.css have at most 60 kB, compressed with gzip", () => {
    const sizes = ["page.js", "page.css"].map((name) => {
      const compressed = readFileSync(distFile(`page/${name}.gz`, "inspector"));
      expect(compressed.length).toBeLessThanOrEqual(
        gzipSync(readFileSync(distFile(`page/${name}`, "inspector"))).length + 100,
      );
      return compressed.length;
    });
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(60_000);
  });

  test("a tour of the page makes no foreign request and no console error", async () => {
    const page = await open("/tools/order");
    for (const path of [
      "/prompts/review",
      "/resources?uri=orders%3A%2F%2Fall",
      "/wire/5",
      "/history",
      "/history/ab12",
    ]) {
      await page.goto(server.at(path));
      await page.getByRole("region", { name: "Tools" }).waitFor();
    }
  });

  test("an injected script does not run", async () => {
    const page = await open();
    pages.expectProblem(/TrustedScript|trusted-types|script-src|Content Security Policy/);
    const reported = page.waitForEvent("console");
    await page.evaluate(`{
      const script = document.createElement("script");
      script.append("document.title = 'injected'");
      document.body.append(script);
    }`);
    await reported;
    expect(await page.title()).not.toBe("injected");
  });

  test("the secret leaves the address and is in no request line", async () => {
    const lines: string[] = [];
    const page = await open();
    page.on("request", (request) => lines.push(request.url(), request.headers().referer ?? ""));
    await page.getByRole("link", { name: "order" }).first().click();
    await page.reload();
    await page.getByRole("region", { name: "Tools" }).waitFor();
    const secret = new URL(server.url).hash.slice("#k=".length);
    expect(page.url()).toBe(`${server.origin}/tools/order`);
    expect(await page.evaluate("document.referrer")).toBe("");
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.filter((line) => line.includes(secret))).toEqual([]);
    await page.goBack();
    expect(page.url()).not.toContain(secret);
  });

  test("markup in names and descriptions is text, and hidden characters are visible", async () => {
    const key = '<img src=x onerror="document.title=1">';
    const description = { name: key, description: "[a](javascript:alert(1)) \u202e<b>bold</b> javascript:alert(1)" };
    const offer = demoOffer({ items: [{ kind: "tool", key, description }] });
    server.known = [...demoEvents(), { kind: "offer", offer }];
    const page = await open();
    await page.getByRole("link", { name: key }).click();
    await page.getByRole("heading", { name: key }).waitFor();
    await page.getByText("⟨U+202E⟩<b>bold</b>").waitFor();
    const links = await page.evaluate<string[]>("Array.from(document.links, (link) => link.protocol)");
    expect(new Set(links)).toEqual(new Set(["http:"]));
    expect(await page.locator("img, b:has-text('bold')").count()).toBe(0);
  });

  test("added and removed tools appear and vanish, the selection and the arguments stay", async () => {
    const page = await open(`/tools/order?a=${toBase64url({ sku: "pen" })}`);
    server.emit(...edited("added", "refund", [...DEMO_ITEMS, { kind: "tool", key: "refund", description: {} }], 2));
    await expect.poll(() => items(page)).toEqual(["order", "count", "refund"]);
    await page.getByRole("link", { name: "refund new" }).waitFor();
    server.emit(...edited("removed", "order", DEMO_ITEMS.slice(1), 3));
    await expect.poll(() => items(page)).toEqual(["count"]);
    await page.getByText("Your edit removed this tool.").waitFor();
    server.emit(...edited("added", "order", DEMO_ITEMS, 4));
    await page.getByText("Orders goods and asks before it charges.").waitFor();
    await page.keyboard.press("Control+Enter");
    await expect
      .poll(() => server.requests.findLast(({ name }) => name === "call")?.body)
      .toMatchObject({
        params: { name: "order", arguments: { sku: "pen" } },
      });
    expect(new URL(page.url()).pathname).toBe("/tools/order");
  });

  test("a broken edit shows its frame until it is mended", async () => {
    const page = await open("/tools/order");
    const frame = { first: 12, lines: ["/** Orders. */", "export function order(sku: bigint) {}"] };
    const problem = {
      file: 0,
      line: 13,
      column: 23,
      code: "PF1100",
      message: "bigint has no JSON.",
      remedy: "Use string.",
      frame,
    };
    server.emit({ kind: "edit", at: 1, edit: { how: "broken", problems: [problem], files: ["demo.ts"] } });
    const shown = page.getByRole("alert", { name: "Broken edit" });
    await shown.getByText("bigint has no JSON.").waitFor();
    await shown.getByText("export function order(sku: bigint) {}").waitFor();
    await shown.getByRole("button", { name: "demo.ts:13:23" }).click();
    await expect
      .poll(() => server.requests.find(({ name }) => name === "open")?.body)
      .toEqual({ file: 0, line: 13, column: 23 });
    expect(await accessibilityViolations(page)).toEqual([]);
    server.emit(...edited("changed", "order", DEMO_ITEMS, 2));
    await shown.waitFor({ state: "detached" });
  });

  test("the changes of an edit are shown by pointer, and marked until they are looked at", async () => {
    const page = await open();
    const parts = [{ pointer: "/inputSchema/properties/zip/pattern", after: "^\\d{5}$" }];
    const change = { kind: "tool", key: "order", how: "changed", parts, place: { file: 0, line: 4 } } as const;
    server.emit({ kind: "edit", at: 1, edit: { how: "applied", ms: 38, changes: [change], problems: [] } });
    await page.getByText("taken over in 38 ms").waitFor();
    await page.getByText("/inputSchema/properties/zip/pattern").waitFor();
    await page.getByRole("button", { name: "demo.ts:4" }).waitFor();
    await page.getByRole("link", { name: "order changed" }).click();
    await page.getByRole("link", { name: "order changed" }).waitFor({ state: "detached" });
  });

  test("a lost server is said with its stderr, and can be connected again", async () => {
    const page = await open();
    server.emit(
      { kind: "stderr", text: "Error: no database\n" },
      { kind: "connection", connection: { state: "lost", message: "The process ended with 1." }, revisions: [] },
    );
    const banner = page.getByRole("alert").filter({ hasText: "The server is gone." });
    await banner.getByText("Error: no database").waitFor();
    await banner.getByRole("button", { name: "Connect again" }).click();
    await expect.poll(() => server.requests.some(({ name }) => name === "reconnect")).toBe(true);
    expect(await items(page)).toEqual(["order", "count"]);
  });

  test("an interrupted stream is announced, and later changes appear after it", async () => {
    const page = await open();
    pages.expectProblem(/ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION|Failed to load resource/);
    server.known = demoEvents([]);
    server.interrupt();
    await page.getByText("0 messages").waitFor();
    await page.getByText("The inspector does not answer.").waitFor({ state: "detached" });
  });

  test("a page of an earlier start says so, with the command", async () => {
    pages.expectProblem(/401/);
    const page = await pages.open(`${server.origin}/tools/order#k=an-earlier-secret`);
    await page.getByRole("heading", { name: "This page is of an earlier start" }).waitFor();
    await page.getByText("npx proffer dev <module> --inspect").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  test("the history survives a reload; run again, compare, delete", async () => {
    const page = await open("/history");
    await page.getByRole("link", { name: "★ happy-path · order" }).waitFor();
    await page.reload();
    await page.getByRole("cell", { name: "★ happy-path · order" }).getByRole("link").click();
    await page.getByLabel("Compare with").selectOption({ index: 1 });
    await page.getByText("result/structuredContent/total").waitFor();
    await page.getByRole("button", { name: "Run again" }).click();
    await expect
      .poll(() => server.requests.findLast(({ name }) => name === "call")?.body)
      .toMatchObject({
        params: { name: "order", arguments: { sku: "pen" } },
      });
    await expect.poll(() => new URL(page.url()).pathname).toBe("/tools/order");
    await page.goBack();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByLabel("Name").fill("again");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved as inspect/again.json").first().waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Delete order" }).first().click();
    await expect.poll(() => server.requests.findLast(({ name }) => name === "forget")?.body).toEqual({ id: "ab12" });
  });

  test("a call is announced, and a question at once", async () => {
    const page = await open("/tools/order");
    server.emit({ kind: "call", call: demoCall() });
    await expect.poll(() => page.locator("[aria-live=polite]").textContent()).toBe("Answer after 12 ms");
    const ask = {
      id: "a",
      run: 1,
      method: "elicitation/create",
      params: { message: "Pay 14 €?" },
      state: "open",
    } as const;
    server.emit({ kind: "call", call: demoCall({ id: "call-2", status: "asks", asks: [ask] }) });
    await expect.poll(() => page.locator("[aria-live=assertive]").textContent()).toBe("The server asks: Pay 14 €?");
  });

  test("a refused request is shown in place", async () => {
    const page = await open("/tools/order");
    pages.expectProblem(/400/);
    server.handlers.call = () => {
      throw new Error("The server has left.");
    };
    await page.keyboard.press("Control+Enter");
    await page.getByRole("alert").getByText("The server has left.").waitFor();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByText("The server has left.").waitFor({ state: "detached" });
  });

  test("another revision is read when it is chosen, and stays in the address", async () => {
    server.handlers.offer = ({ revision }) => demoOffer({ revision, items: DEMO_ITEMS.slice(0, 1) });
    const page = await open("/tools/order");
    await page.getByRole("button", { name: "2025-06-18" }).click();
    await expect.poll(() => items(page)).toEqual(["order"]);
    expect(new URL(page.url()).search).toBe("?rev=2025-06-18");
    await page.keyboard.press("Control+Enter");
    await expect
      .poll(() => server.requests.findLast(({ name }) => name === "call")?.body)
      .toMatchObject({
        revision: "2025-06-18",
      });
  });

  function edited(
    how: "added" | "removed" | "changed",
    key: string,
    items: typeof DEMO_ITEMS,
    version: number,
  ): InspectorEvent[] {
    const changes = [{ kind: "tool", key, how, parts: [] } as const];
    return [
      { kind: "edit", at: version, edit: { how: "applied", ms: 30, changes, problems: [] } },
      { kind: "offer", offer: demoOffer({ items, version }) },
    ];
  }
});
