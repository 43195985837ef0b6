import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { waitForStderr } from "../../cli/test/project.ts";
import { distFile } from "../../proffer/test/dist.ts";
import { addressOf, routeOf } from "./address.ts";
import { describeInBrowser } from "./browser.ts";
import { useProjectPages } from "./project-pages.ts";

const MODULE = [
  "/** Adds. @param a - one @param b - two */",
  "export const add = (a: number, b: number): number => a + b;",
  "/** A note. @resource notes://{id} @mimeType text/plain @param id - which */",
  'export const note = (id: string) => "note " + id;',
  "/** Greets. @prompt @param name - whom */",
  'export const greet = (name: string) => "Greet " + name;',
];

describeInBrowser("the page of proffer inspect", () => {
  const { project, pages } = useProjectPages(...MODULE);

  /** Everything that the page shows of the offer. */
  async function shownOf(page: Page): Promise<string[]> {
    const lists = page.getByRole("region", { name: /^(?:Tools|Prompts|Resources|Templates)$/ });
    const revisions = page.getByRole("group", { name: "Revision" }).getByRole("button");
    await expect.poll(() => revisions.count()).toBe(5);
    await page.getByRole("tab", { name: "Schema", exact: true }).click();
    const schema = page.getByRole("tree", { name: "Input schema" });
    await schema.waitFor();
    return [
      (await page.getByRole("heading", { level: 1 }).textContent()) ?? "",
      ...(await lists.allTextContents()),
      ...(await revisions.allTextContents()),
      (await schema.textContent()) ?? "",
    ];
  }

  test("a module, a URL and a command show the same lists, and answer the same", async () => {
    const serving = project().start("serve", "tools.ts", "--http", "0");
    const [url = ""] = /http:\S+/.exec(await waitForStderr(serving, /http:\S+/)) ?? [];
    const command = ["--", process.execPath, distFile("bin.js"), "serve", "tools.ts"];
    const shown: string[][] = [];
    for (const words of [["tools.ts"], [url], command]) {
      const child = project().start("inspect", "--port", "0", ...words);
      const page = await pages.open(routeOf(await addressOf(child), "/tools/add"));
      const fields = page.getByRole("form", { name: "Arguments" });
      await fields.getByRole("textbox", { name: "a", exact: true }).fill("19");
      await fields.getByRole("textbox", { name: "b", exact: true }).fill("23");
      await page.getByRole("button", { name: /^Call/ }).click();
      await page.getByRole("region", { name: "Answer" }).getByText("42").first().waitFor();
      shown.push(await shownOf(page));
      await page.close();
      child.kill("SIGINT");
      expect(await once(child, "exit")).toEqual([0, null]);
    }
    expect(shown[0]?.slice(0, 4)).toEqual([
      "sample",
      "Tools 1add≈ 57",
      "Prompts 1greet1 argument",
      "Templates 1notes://{id}",
    ]);
    expect(shown[1]).toEqual(shown[0]);
    expect(shown[2]).toEqual(shown[0]);
  });

  test("a taken port is said, and the page is at the next one", async () => {
    const taken = createServer((_, response) => response.end("somebody else")).listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const child = project().start("inspect", "tools.ts", "--port", String(port));
    const said = await waitForStderr(child, /Inspector at \S+#k=\S+\s/);
    const [, address = "", used] = /Inspector at (http:\/\/127\.0\.0\.1:(\d+)\/#k=[\w-]{22})\s/.exec(said) ?? [];
    expect(said).toContain(`Port ${port} is taken; the inspector uses ${used}.`);
    const page = await pages.open(address);
    await page.getByRole("region", { name: "Tools" }).getByRole("link", { name: "add" }).waitFor();
    await page.goto(`http://127.0.0.1:${port}/`);
    expect(await page.textContent("body")).toBe("somebody else");
    pages.expectProblem(new RegExp(`^foreign request: http://127\\.0\\.0\\.1:${port}/(?:favicon\\.ico)?$`));
    taken.close();
    taken.closeAllConnections();
  });
});
