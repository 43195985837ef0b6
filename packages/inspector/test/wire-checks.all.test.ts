import { afterAll, expect, test } from "vitest";
import { type Inspector, startInspector } from "../src/inspector.ts";
import { accessibilityViolations, describeInBrowser, usePages } from "./browser.ts";
import { openForeignLinks } from "./foreign-link.ts";
import { createTestHost } from "./test-host.ts";

const SCHEMA = '{"type":"object","properties":{"total":{"type":"number"}},"required":["total"]}';
const TOOLS = ["sell", "give", "break", "lose"].map(
  (name) => `{"name":"${name}","description":"Sells goods.","inputSchema":{"type":"object"},"outputSchema":${SCHEMA}}`,
);
const TEXT = '"content":[{"type":"text","text":"7"}]';
const RESULTS: { readonly [tool: string]: string } = {
  sell: `{"resultType":"complete",${TEXT},"structuredContent":{"total":"seven"}}`,
  give: '{"resultType":"complete","content":[],"structuredContent":{"total":7}}',
  break: '{"jsonrpc":"2.0","id":ID,"error":{"code":-32500,"message":"broken"}}',
  lose: `{"resultType":"complete",${TEXT},"structuredContent":{"total":7,"total":8}}`,
};

function openFaulty() {
  return openForeignLinks({
    "server/discover": () =>
      '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"faulty","version":"1"}}',
    "tools/list": () => `{"tools":[${TOOLS}]}`,
    "tools/call": ({ name = "" }) => RESULTS[name] ?? "{}",
  });
}

describeInBrowser("findings about a server of others", () => {
  const started: Inspector[] = [];
  const pages = usePages();
  afterAll(() => Promise.all(started.map((inspector) => inspector.close())));

  for (const colorScheme of ["light", "dark"] as const) {
    test(`are at the items and lead to the messages, ${colorScheme}`, async () => {
      const host = createTestHost({ target: { kind: "command", name: "faulty" }, links: openFaulty() });
      const inspector = await startInspector(host, 0);
      started.push(inspector);
      await inspector.started;
      const { origin, hash } = new URL(inspector.url);
      const page = await pages.open(`${origin}/tools/sell?side=doctor${hash}`, { colorScheme });
      const side = page.getByRole("complementary", { name: "More" });
      await side.getByText("The result of tools/list has no resultType.").waitFor();
      for (const tool of ["sell", "give", "break", "lose"]) {
        await page.getByRole("region", { name: "Tools" }).getByRole("link", { name: tool }).click();
        await page.getByRole("heading", { name: tool, exact: true, level: 2 }).waitFor();
        await page.getByRole("button", { name: /^Call/ }).click();
        await page
          .getByText(tool === "break" ? "Error -32500" : "complete", { exact: tool !== "break" })
          .first()
          .waitFor();
      }
      await side.getByText("has the code -32500, which nobody defines").waitFor();
      await side.getByText("has the key total twice in one object").waitFor();
      const entry = page.getByRole("region", { name: "Tools" }).getByRole("link", { name: /^sell/ });
      expect(await entry.textContent()).toMatch(/\d findings/);
      await entry.click();
      const request = page.getByRole("region", { name: "Request" });
      const findings = request.locator("details.findings");
      const finding = findings
        .getByRole("listitem")
        .filter({ hasText: "A result breaks the output schema: /structuredContent/total" });
      expect(await findings.getAttribute("open")).toBe(null);
      await findings.locator("summary").click();
      await finding.getByText("Clients may refuse such results").waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      const link = finding.getByRole("link", { name: /^message \d+$/ });
      const n = Number((await link.textContent())?.split(" ")[1]);
      expect(host.record.get(n)?.text).toContain('"seven"');
      await link.click();
      await expect.poll(() => new URL(page.url()).pathname).toBe(`/wire/${n}`);
      await side
        .getByRole("region", { name: "give" })
        .getByText("A result has structuredContent and no text.")
        .waitFor();
      await entry.click();
      await page.getByRole("region", { name: "Wire" }).getByRole("button", { name: "Clear" }).click();
      await side.getByText("has no resultType").waitFor({ state: "detached" });
    });
  }
});
