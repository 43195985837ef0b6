import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import type { CallState } from "../src/protocol/data.ts";
import { accessibilityViolations, describeInBrowser, usePages } from "./browser.ts";
import { demoCall, demoEvents } from "./demo-events.ts";
import { type FakeServer, startFakeServer } from "./fake-server.ts";
import { useShopPages } from "./shop-page.ts";

describeInBrowser("answers", () => {
  const pages = usePages();
  const open = useShopPages(pages);
  const fakes: FakeServer[] = [];
  afterAll(() => Promise.all(fakes.map((fake) => fake.close())));

  /** Opens a tool with calls that no server of Proffer would answer so. */
  async function openCalls(...calls: readonly CallState[]): Promise<Page> {
    const events = calls.map((call) => ({ kind: "call", call }) as const);
    const server = await startFakeServer([...demoEvents().slice(0, -1), ...events, { kind: "ready" }], {
      check: () => ({ problems: [] }),
      history: () => ({ entries: [] }),
      doctor: () => ({ findings: [] }),
      copy: () => ({ text: "", language: "text" }),
    });
    fakes.push(server);
    return pages.open(server.at("/tools/order"));
  }

  test("the result is beside the arguments, and both are visible", async () => {
    const { page } = await open("/tools/find");
    await page.getByRole("textbox", { name: "id", exact: true }).fill("7");
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByText("complete", { exact: true }).first().waitFor();
    const [input, result] = await Promise.all([
      page.getByRole("textbox", { name: "id", exact: true }).boundingBox(),
      page
        .getByRole("tree", { name: "Structured content" })
        .or(page.getByRole("tree", { name: "Content" }))
        .first()
        .boundingBox(),
    ]);
    expect(input && result && input.x + input.width <= result.x && result.y + result.height < 900).toBe(true);
  });

  test("progress is a bar on its call, with message and number", async () => {
    const { page } = await open("/tools/count");
    await page.getByRole("button", { name: /^Call/ }).click();
    const bar = page.getByRole("progressbar", { name: "Progress" });
    await expect.poll(() => bar.getAttribute("value")).toBe("5");
    expect(await bar.getAttribute("max")).toBe("5");
    expect(await page.locator(".progress").textContent()).toMatch(/5 of 5 · step 5.*5 notifications/);
  });

  test("each kind of content is drawn, and base64 never is text", async () => {
    const { page } = await open("/tools/media");
    await page.getByRole("button", { name: /^Call/ }).click();
    const answer = page.getByRole("region", { name: "Answer" });
    const picture = answer.getByRole("img", { name: "image/gif, 35 B" });
    await expect.poll(() => picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth)).toBe(1);
    await answer.getByText("seen <img src=x onerror=alert(1)> ⟨U+202E⟩today").waitFor();
    // The sound is not one: its bytes are shown instead.
    await answer.getByText("audio/wav, 64 B").waitFor();
    await answer.getByRole("treeitem", { name: /embedded/ }).waitFor();
    await answer.getByText("raw byte").waitFor();
    expect(await answer.textContent()).not.toMatch(/R0lGOD|cmF3IGJ5dGVz|AAAAAAAA/);
    expect(await accessibilityViolations(page)).toEqual([]);
    await answer.getByRole("link", { name: "stock" }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get("uri")).toBe("shop://stock");
  });

  test("a failure of a tool is shown as an error of the tool", async () => {
    const { page } = await open("/tools/fail");
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByText("The tool reports an error.").waitFor();
    await page.getByText("It is sold out.").waitFor();
    await page.getByText("tool error").waitFor();
  });

  test("a result that breaks its output schema is marked with the pointer", async () => {
    const problems = [{ pointer: "/structuredContent/total", message: "must be number" }];
    const page = await openCalls(demoCall({ result: { content: [], structuredContent: { total: "14" } }, problems }));
    const list = page.getByRole("region", { name: "The result breaks its output schema" });
    await expect.poll(() => list.textContent()).toContain("/structuredContent/total must be number");
  });

  test("a text of 5 MB is cut, and all of it can be shown", async () => {
    const { page } = await open("/tools/large");
    await page.getByRole("button", { name: /^Call/ }).click();
    const content = page.getByRole("figure", { name: "Content" });
    await content.getByRole("button", { name: "show all 5.3 MB" }).click();
    await content.getByText("the end").waitFor({ state: "attached" });
    const length = () => content.evaluate((element) => element.textContent?.length ?? 0);
    expect(await length()).toBeGreaterThan(5_000_000);
    await content.getByRole("button", { name: "show less" }).click();
    await expect.poll(length).toBeLessThan(20_000);
  });

  test("a large tree is windowed, opens with the keyboard and changes to text", async () => {
    const many = Array.from({ length: 5000 }, (_, index) => ({ index, text: "x".repeat(1000) }));
    const page = await openCalls(demoCall({ result: { content: [], structuredContent: { many } } }));
    const tree = page.getByRole("tree", { name: "Structured content" });
    const rows = tree.getByRole("treeitem");
    await rows.first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => tree.evaluate((element) => element.scrollHeight)).toBeGreaterThan(100_000);
    expect(await rows.count()).toBeLessThan(200);
    await page.keyboard.press("End");
    await rows.filter({ hasText: "4999" }).first().waitFor();
    await page.getByRole("button", { name: "as text" }).click();
    await page.getByRole("button", { name: /^show all/ }).waitFor();
  });

  test("a result is compared with the one before", async () => {
    const result = (text: string) => ({ content: [{ type: "text", text }] });
    const calls = ["a\nb\nc", "a\nB\nc"].map((text, index) => demoCall({ id: `call-${index}`, result: result(text) }));
    const page = await openCalls(...calls);
    const differences = page.getByRole("list", { name: "Differences" });
    await expect.poll(() => differences.textContent()).toBe("/content/0/text  a\n- b\n+ B\n  c\n");
  });

  test("the raw messages are those of the wire", async () => {
    const { page, record } = await open("/tools/fail");
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByText("It is sold out.").waitFor();
    await page.getByRole("tab", { name: "Raw" }).click();
    const lines = [...record.lines()].filter(({ method }) => method === "tools/call");
    expect(lines.length).toBe(2);
    for (const { n } of lines) {
      const shown = page.getByRole("figure", { name: `Message ${n}` });
      await expect.poll(() => shown.textContent()).toBe(record.get(n)?.text);
    }
  });
});
