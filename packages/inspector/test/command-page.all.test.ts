import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createProject, type Project } from "../../cli/test/project.ts";
import { addressOf, routeOf } from "./address.ts";
import { accessibilityViolations, describeInBrowser, usePages } from "./browser.ts";

const SERVER = fileURLToPath(new URL("stdio-server.mjs", import.meta.url));
const BROKEN = '{"jsonrpc":"2.0", "id":7,, "method":';

describeInBrowser("the page of proffer inspect -- command", () => {
  let project: Project;
  let url: string;

  beforeEach(async () => {
    project = createProject();
    const command = [process.execPath, SERVER, project.path("server.log")];
    url = await addressOf(project.start("inspect", "--port", "0", "--", ...command));
  });
  afterEach(() => project.remove());
  const pages = usePages();

  const state = (page: Page) => page.locator(".chip.loop");
  const sent = () => project.read("server.log").split("\n");

  async function open(): Promise<Page> {
    const page = await pages.open(routeOf(url, "/wire"));
    await state(page).getByText("connected").waitFor();
    return page;
  }

  async function sendRaw(page: Page, text: string): Promise<void> {
    const box = page.getByRole("textbox", { name: "Raw message" });
    if (!(await box.isVisible())) await page.getByRole("button", { name: "Send raw" }).click();
    await box.fill(text);
    await page.getByRole("button", { name: "Send", exact: true }).click();
  }

  test("malformed JSON from the raw box reaches the server as it is, and its answer is on the wire", async () => {
    const page = await open();
    const wire = page.getByRole("table", { name: "Messages" });
    await sendRaw(page, BROKEN);
    await expect.poll(sent).toContain(`out ${BROKEN}`);
    await wire.getByRole("link", { name: "malformed" }).click();
    await page.getByRole("region", { name: "Message" }).getByText("This is not JSON.").waitFor();
    expect(await page.getByRole("region", { name: "Message" }).locator("pre.raw").textContent()).toBe(BROKEN);
    await wire
      .getByRole("row", { name: /from the server.*error.*-32700/ })
      .getByRole("link")
      .click();
    await page.getByRole("region", { name: "Response" }).getByText('"not JSON"').waitFor();
    expect(await page.getByRole("textbox", { name: "Raw message" }).inputValue()).toBe(BROKEN);
    await sendRaw(page, '{"jsonrpc":"2.0","id":"mine","method":"ping"}');
    await wire.getByRole("link", { name: "ping" }).last().click();
    await page.getByRole("region", { name: "Message" }).getByText('"mine"').waitFor();
    await page.getByRole("region", { name: "Response" }).getByText('"result"').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  test("a server that dies is said with its stderr, and comes back by the button", async () => {
    const page = await open();
    await sendRaw(page, '{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"die later"}}');
    const alert = page.getByRole("alert").filter({ has: page.getByRole("button", { name: "Connect again" }) });
    await alert.getByText("The server is gone.").waitFor();
    await alert.getByText("exit code 4").waitFor();
    await alert.getByText("⟨U+001B⟩[31mout of memory").waitFor();
    await expect.poll(() => state(page).textContent()).toMatch(/lost$/);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Connect again" }).click();
    await expect.poll(() => state(page).textContent()).toMatch(/connected$/);
    await alert.waitFor({ state: "detached" });
    await sendRaw(page, '{"jsonrpc":"2.0","id":"next","method":"tools/call","params":{"name":"again"}}');
    await page.getByRole("link", { name: "tools/call again" }).click();
    await page.getByRole("region", { name: "Response" }).getByText('"called again"').waitFor();
  });
});
