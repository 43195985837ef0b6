import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { toBase64url } from "../src/page/state/route.ts";
import { accessibilityViolations, describeInBrowser, PHONE, usePages } from "./browser.ts";
import { demoCall, demoEvents, demoHandlers, lineEvents, request } from "./demo-events.ts";
import { type FakeServer, startFakeServer } from "./fake-server.ts";

const ROUTES = [
  "/",
  "/tools/order",
  "/prompts/review",
  "/resources?uri=orders%3A%2F%2Fall",
  "/templates/orders%3A%2F%2F%7Bid%7D%7B%3Flimit%7D",
  "/wire",
  "/wire/5",
  "/history",
  "/history/ab12",
  "/tools/missing",
  "/wire/no-number",
];

describeInBrowser("the page and people", () => {
  let server: FakeServer;

  beforeEach(async () => {
    server = await startFakeServer([...demoEvents(), { kind: "call", call: demoCall() }], demoHandlers());
  });
  afterEach(() => server.close());
  const pages = usePages();

  async function open(path: string, options = {}): Promise<Page> {
    const page = await pages.open(server.at(path), options);
    await page.getByRole("heading", { level: 1, name: "demo" }).waitFor();
    return page;
  }

  for (const colorScheme of ["light", "dark"] as const) {
    test(`axe finds nothing in any route, ${colorScheme}`, async () => {
      const page = await open("/", { colorScheme });
      for (const route of ROUTES) {
        await page.goto(server.at(route));
        await page.getByText("13 messages").waitFor();
        await page.getByRole("tab", { name: "Doctor" }).click();
        expect([route, await accessibilityViolations(page)]).toEqual([route, []]);
      }
      await page.getByRole("tab", { name: "Copy as" }).click();
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keys" }).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog", { name: "Palette" }).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
    });
  }

  test("Tab reaches every part of the page, and the focus is always visible", async () => {
    const page = await open("/tools/order");
    const seen = new Set<string>();
    for (let steps = 0; steps < 80; steps++) {
      await page.keyboard.press("Tab");
      const part = await focusedPart(page);
      if (part === undefined) break;
      seen.add(part);
      await expectVisibleFocus(page);
    }
    expect([...seen]).toEqual(expect.arrayContaining(["header", "nav", "main", "aside", "section"]));
  });

  test("single keys can be switched off, and no key acts while a field has the focus", async () => {
    const page = await open("/tools/order");
    await page.getByRole("searchbox", { name: "Find" }).focus();
    await page.keyboard.type("?jk");
    expect(await page.getByRole("searchbox", { name: "Find" }).inputValue()).toBe("?jk");
    await page.locator("#main").focus();
    await page.keyboard.press("?");
    await page.getByRole("checkbox", { name: /single letter/ }).uncheck();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Palette" }).waitFor();
    expect(await page.getByRole("dialog", { name: "Keys" }).count()).toBe(0);
  });

  test("a phone shows one pane at a time and never scrolls sideways", async () => {
    const page = await open("/", { viewport: PHONE });
    await page.getByRole("region", { name: "Tools" }).getByRole("link", { name: "order" }).click();
    await page.getByRole("heading", { name: "order", exact: true }).waitFor();
    const panes = page.getByRole("navigation", { name: "Panes" });
    for (const name of ["List", "Request", "Answer", "More", "Wire"]) {
      await panes.getByRole("button", { name }).click();
      expect([name, await sidewaysOverflow(page)]).toEqual([name, 0]);
      expect([name, await accessibilityViolations(page)]).toEqual([name, []]);
    }
    for (const route of ROUTES) {
      await page.goto(server.at(route));
      await page.getByRole("heading", { level: 1, name: "demo" }).waitFor();
      expect([route, await sidewaysOverflow(page)]).toEqual([route, 0]);
    }
  });

  test("at 200 % zoom everything can be reached", async () => {
    // A page of 1440×900 that is zoomed to 200 % has half of the pixels.
    const page = await open("/tools/order", { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 });
    const panes = page.getByRole("navigation", { name: "Panes" });
    for (const [name, shown] of [
      ["List", page.getByRole("searchbox", { name: "Find" })],
      ["Request", page.getByRole("heading", { name: "order", exact: true })],
      ["Answer", page.getByRole("region", { name: "Answer" })],
      ["More", page.getByRole("tab", { name: "Copy as" })],
      ["Wire", page.getByRole("table", { name: "Messages" })],
    ] as const) {
      await panes.getByRole("button", { name }).click();
      await shown.waitFor();
      expect([name, await sidewaysOverflow(page)]).toEqual([name, 0]);
    }
  });

  test("a link opens the same state in another tab with the secret, and says how to go on without it", async () => {
    const first = await open(`/tools/order?rev=2025-06-18&a=${toBase64url({ sku: "pen" })}`);
    await first.getByRole("tab", { name: "Copy as" }).click();
    await first.getByLabel("Format").selectOption("Link");
    await expect.poll(() => first.locator(".copied").textContent()).toMatch(/^http/);
    const address = new URL((await first.locator(".copied").textContent()) ?? "");
    expect(address.hash).toBe("");
    const second = await pages.open(server.at(address.pathname + address.search));
    await second.getByRole("heading", { name: "order", exact: true }).waitFor();
    await second.keyboard.press("Control+Enter");
    await expect
      .poll(() => server.requests.findLast(({ name }) => name === "call")?.body)
      .toEqual({
        revision: "2025-06-18",
        method: "tools/call",
        params: { name: "order", arguments: { sku: "pen" } },
      });
    const third = await pages.open(address.href);
    await third.getByRole("heading", { name: "This address lacks its secret" }).waitFor();
    expect(await accessibilityViolations(third)).toEqual([]);
  });

  test("arguments that are too long for a link are left out whole, and it says so", async () => {
    const params = { name: "order", arguments: { sku: "x".repeat(9000) } };
    server.handlers.remembered = ({ id }) => ({ call: demoCall({ id, params }) });
    const page = await open("/history/ab12");
    await page.getByRole("button", { name: "Open in the form" }).click();
    await page.getByRole("tab", { name: "Copy as" }).click();
    await page.getByLabel("Format").selectOption("Link");
    await page.getByText("The arguments have more than 8 kB and are left out.").waitFor();
    await expect.poll(() => page.locator(".copied").textContent()).toBe(`${server.origin}/tools/order?side=copy`);
  });

  test("two tabs show the same wire and the same call", async () => {
    const first = await open("/tools/order");
    const second = await open("/tools/order", { beside: first });
    const ask = { id: "a", run: 1, method: "elicitation/create", params: { message: "Pay?" }, state: "open" } as const;
    server.emit(...lineEvents([request(14, 7000, "ping")]), {
      kind: "call",
      call: demoCall({ id: "call-2", status: "asks", asks: [ask] }),
    });
    for (const page of [first, second]) {
      await page.getByText("14 messages").waitFor();
      await expect.poll(() => page.locator("[aria-live=assertive]").textContent()).toBe("The server asks: Pay?");
    }
    server.emit({ kind: "call", call: demoCall({ id: "call-2", asks: [{ ...ask, state: "answered" }] }) });
    for (const page of [first, second]) {
      await expect.poll(() => page.locator("[aria-live=polite]").textContent()).toBe("Answer after 12 ms");
    }
  });

  test("colors follow the system, or the choice", async () => {
    const page = await open("/", { colorScheme: "dark" });
    const ground = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    expect(await ground()).toBe("rgb(22, 24, 29)");
    await page.getByRole("button", { name: "Colors: system" }).click();
    await expect.poll(ground).toBe("rgb(255, 255, 255)");
    await page.reload();
    await page.getByRole("button", { name: "Colors: light" }).waitFor();
    await expect.poll(ground).toBe("rgb(255, 255, 255)");
  });

  test("with forced colors the chosen item is outlined", async () => {
    const page = await open("/tools/order", { forcedColors: "active" });
    const chosen = "document.querySelector('[aria-label=Tools] [aria-current=page]')";
    const style = await page.evaluate(`getComputedStyle(${chosen}).outlineStyle`);
    expect(style).toBe("solid");
  });
});

/** The landmark that has the focus; undefined if it has left the page. */
function focusedPart(page: Page): Promise<string | undefined> {
  return page.evaluate(`document.activeElement === document.body ? undefined :
    document.activeElement.closest("header, nav, main, aside, section.wire")?.tagName.toLowerCase() ?? "other"`);
}

/** The focused element is on the screen and has an outline. */
async function expectVisibleFocus(page: Page): Promise<void> {
  const seen = await page.evaluate<{ name: string; outline: string; visibility: string; drawn: boolean }>(`(() => {
    const active = document.activeElement;
    const { width, height } = active.getBoundingClientRect();
    const { outlineStyle: outline, visibility } = getComputedStyle(active);
    return { name: active.outerHTML.slice(0, 80), outline, visibility, drawn: width > 0 && height > 0 };
  })()`);
  expect(seen).toMatchObject({ visibility: "visible", drawn: true });
  expect([seen.name, seen.outline]).not.toEqual([seen.name, "none"]);
}

function sidewaysOverflow(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}
