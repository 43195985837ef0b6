import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { accessibilityViolations, describeInBrowser, usePages } from "./browser.ts";
import { demoEvents, demoHandlers, lineEvents, request, response } from "./demo-events.ts";
import { type FakeServer, startFakeServer } from "./fake-server.ts";

/** The rows that are shown, the color of their status, and whether their revision is cut. */
const ROWS = `[...document.querySelectorAll(".wire-rows tr")].map((row) => {
  const revision = row.querySelector(".c3");
  const { color } = getComputedStyle(row.querySelector(".status"));
  return { text: row.textContent, color, isCut: revision.scrollWidth > revision.clientWidth };
})`;

describeInBrowser("the wire", () => {
  let server: FakeServer;

  beforeEach(async () => {
    server = await startFakeServer(demoEvents(), demoHandlers());
  });
  afterEach(() => server.close());
  const pages = usePages();

  async function open(path = "/"): Promise<Page> {
    const page = await pages.open(server.at(path));
    await page.getByRole("table", { name: "Messages" }).waitFor();
    return page;
  }

  /** The messages that are shown, without the head. */
  async function messages(page: Page): Promise<string[]> {
    const rows = page.getByRole("table", { name: "Messages" }).locator("tbody tr");
    const texts = await rows.locator("td:nth-child(3)").allTextContents();
    return texts.map((text) => text.replace(/[▸▾]/, "").trim());
  }

  test("shows exchanges with status, sizes and times, and new messages", async () => {
    const page = await open();
    expect(await messages(page)).toEqual([
      "server/discover",
      "tools/list",
      "tools/call order",
      "tools/call count",
      "notifications/resources/updated",
    ]);
    const row = page.getByRole("row").filter({ hasText: "tools/call order" });
    expect(await row.textContent()).toContain("complete · 2 rounds · progress ×2");
    expect(await row.textContent()).toContain("8 ms + you");
    server.emit(...lineEvents([request(14, 7000, "ping")]));
    await expect.poll(() => messages(page)).toHaveLength(6);
  });

  test("an exchange that waits has another color than a complete one, and the revision is whole", async () => {
    const page = await open();
    const asked = response(15, 7100, 14, "tools/call", { about: "cancel", status: "input_required" });
    server.emit(...lineEvents([request(14, 7000, "tools/call", { about: "cancel" }), asked]));
    await page.getByRole("row").filter({ hasText: "tools/call cancel" }).getByText("input_required").waitFor();
    const rows = (await page.evaluate(ROWS)) as { text: string; color: string; isCut: boolean }[];
    const colorOf = (name: string) => rows.find(({ text }) => text.includes(name))?.color;
    const colors = ["tools/call cancel", "tools/list", "tools/call count"].map(colorOf);
    expect(colors).not.toContain(undefined);
    expect(new Set(colors).size).toBe(3);
    expect(rows.filter(({ isCut }) => isCut)).toEqual([]);
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  test("unfolds rounds and progress", async () => {
    const page = await open();
    await page.getByRole("button", { name: "What belongs to tools/call order" }).click();
    await expect.poll(() => messages(page)).toHaveLength(8);
    expect((await messages(page)).slice(3, 6)).toEqual(["round 1", "round 2", "progress ×2"]);
    await page.getByRole("button", { name: "What belongs to progress ×2" }).click();
    await expect.poll(() => messages(page)).toHaveLength(10);
  });

  test("a filter leaves the exchanges that match, and the address keeps it", async () => {
    const page = await open();
    await page.getByRole("searchbox", { name: "Filter the wire" }).fill("status:error method:tools/call");
    await expect.poll(() => messages(page)).toEqual(["tools/call count"]);
    const address = new URL(page.url());
    expect(address.searchParams.get("filter")).toBe("status:error method:tools/call");
    await page.reload();
    await expect.poll(() => messages(page)).toEqual(["tools/call count"]);
    await page.getByRole("link", { name: "order" }).first().click();
    expect(await messages(page)).toEqual(["tools/call count"]);
    await page.getByRole("searchbox", { name: "Filter the wire" }).fill("duration:soon");
    await page.getByText('"duration:soon" is not a limit such as duration:>500ms.').waitFor();
    await page.getByRole("searchbox", { name: "Filter the wire" }).fill("name:nothing");
    await page.getByText("No message passes the filter; 13 do not.").waitFor();
  });

  test("of 10,000 messages few are in the document, and the last can be scrolled to", async () => {
    const lines = Array.from({ length: 10_000 }, (_, index) =>
      index % 2 === 0
        ? request(index + 1, index, `tools/call`, { about: `tool-${index}` })
        : response(index + 1, index, index, "tools/call", { about: `tool-${index - 1}` }),
    );
    server.known = demoEvents(lines);
    const page = await open();
    await page.getByText("10000 messages").waitFor();
    const rows = page.getByRole("table", { name: "Messages" }).locator("tbody tr");
    await expect.poll(() => messages(page).then((all) => all.at(-1))).toBe("tools/call tool-9998");
    expect(await rows.count()).toBeLessThan(200);
    const box = page.locator(".wire-box");
    await box.evaluate((element) => element.scrollTo(0, 0));
    await expect.poll(() => messages(page).then((all) => all[0])).toBe("tools/call tool-0");
    // A new message does not scroll away from old ones that somebody reads.
    server.emit(...lineEvents([request(10_001, 10_001, "ping")]));
    await expect.poll(() => page.getByRole("table", { name: "Messages" }).getAttribute("aria-rowcount")).toBe("5002");
    expect((await messages(page))[0]).toBe("tools/call tool-0");
    await box.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await expect.poll(() => messages(page).then((all) => all.at(-1))).toBe("ping");
    expect(await rows.count()).toBeLessThan(200);
  });

  test("new messages stay in view after the list has become smaller", async () => {
    server.known = demoEvents(Array.from({ length: 100 }, (_, index) => request(index + 1, index, "ping")));
    const page = await open("/wire");
    await page.getByText("100 messages").waitFor();
    const box = page.locator(".wire-box");
    const before = await box.evaluate(({ clientHeight }) => clientHeight);
    await page.setViewportSize({ width: 1440, height: 600 });
    await expect.poll(() => box.evaluate(({ clientHeight }) => clientHeight)).toBeLessThan(before);
    // The browser reports an earlier scroll before it reports the new size.
    await box.evaluate((element) => {
      element.style.maxHeight = `${element.clientHeight - 100}px`;
      element.dispatchEvent(new Event("scroll"));
    });
    const later = Array.from({ length: 100 }, (_, index) => request(101 + index, 200 + index, "ping"));
    server.emit(...lineEvents([...later, request(201, 400, "tools/call", { about: "again" })]));
    await page.getByRole("link", { name: "tools/call again" }).click();
  });

  test("a message has an address, and is shown pretty, raw and with its HTTP head", async () => {
    const page = await open();
    await page.getByRole("link", { name: "tools/call count" }).click();
    expect(new URL(page.url()).pathname).toBe("/wire/11");
    const message = page.getByRole("region", { name: "Message" });
    await message.getByRole("button", { name: "{…} show _meta" }).click();
    await message.getByText('"a": 1').waitFor();
    await message.getByRole("tab", { name: "Raw" }).click();
    expect(await message.locator("pre").textContent()).toBe('{"jsonrpc":"2.0", "id":11,"params":{"_meta":{"a":1}}}');
    await message.getByRole("tab", { name: "HTTP" }).click();
    await message.getByText("(hidden)").waitFor();
    await page.getByRole("region", { name: "Response" }).getByText('"id": 12').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  test("a pause holds the list, and says how much is new", async () => {
    const page = await open();
    await page.getByRole("button", { name: "Pause" }).click();
    server.emit(...lineEvents([request(14, 7000, "ping")]));
    await page.getByRole("button", { name: "Paused · 1 new" }).click();
    await expect.poll(() => messages(page)).toHaveLength(6);
  });

  test("clears, exports and sends raw text", async () => {
    const page = await open();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export .jsonl" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe("session.jsonl");
    expect(readFileSync(await file.path(), "utf8")).toBe('{"n":1}\n');
    await page.getByRole("button", { name: "Send raw" }).click();
    await page.getByRole("textbox", { name: "Raw message" }).fill('{"jsonrpc":');
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await expect
      .poll(() => server.requests.find(({ name }) => name === "raw")?.body)
      .toMatchObject({ text: '{"jsonrpc":' });
    await page.getByRole("button", { name: "Clear" }).click();
    await expect.poll(() => server.requests.some(({ name }) => name === "clear")).toBe(true);
    server.emit({ kind: "cleared" });
    await page.getByText("Nothing has crossed the wire yet.").waitFor();
  });

  test("a client that is watched has a lane", async () => {
    const page = await open();
    const lane = {
      conn: "c2",
      role: "client",
      name: "claude-code",
      version: "3.1",
      revision: "2025-11-25",
      transport: "stdio",
      open: true,
    } as const;
    server.emit({ kind: "lane", lane }, ...lineEvents([{ ...request(14, 7000, "initialize"), conn: "c2" }]));
    await page.getByLabel("Connection").selectOption({ label: "claude-code 3.1 · stdio · 2025-11-25 · watched" });
    await expect.poll(() => messages(page)).toEqual(["initialize"]);
  });

  test("folds to one line with the last message", async () => {
    const page = await open();
    await page.getByRole("button", { name: "Wire", exact: true }).click();
    await page.getByText("← notifications/resources/updated").waitFor();
    await page.reload();
    await page.getByText("← notifications/resources/updated").waitFor();
    expect(await page.getByRole("table", { name: "Messages" }).count()).toBe(0);
  });
});
