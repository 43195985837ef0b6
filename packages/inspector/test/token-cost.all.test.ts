import { expect, test } from "vitest";
import { costParts } from "../../cli/src/doctor/examine-cost.ts";
import { accessibilityViolations, describeInBrowser, usePages } from "./browser.ts";
import { openPage } from "./page-client.ts";
import { useShopPages } from "./shop-page.ts";

describeInBrowser("the token cost in the page", () => {
  const pages = usePages();
  const open = useShopPages(pages);

  for (const colorScheme of ["light", "dark"] as const) {
    test(`the parts of a tool are beside its schema, and lists in the overview, ${colorScheme}`, async () => {
      const { page, url } = await open("/tools/order?request=schema");
      await page.emulateMedia({ colorScheme });
      const cost = page.getByRole("region", { name: "Token cost" });
      const row = (name: string) =>
        cost
          .getByRole("row", { name: new RegExp(`^${name}`) })
          .getByRole("cell")
          .allTextContents();
      await cost.waitFor();
      const client = await openPage(url);
      const offer = await client.post("offer", { revision: "2026-07-28" });
      client.close();
      const tool = offer.items.find(({ key }) => key === "order")?.description as { name: string; inputSchema: object };
      const to = costParts(tool).find(({ name }) => name === "to");
      expect(await row("to")).toEqual([`≈ ${to?.tokens}`, `≈ ${to?.descriptions}`, `≈ ${to?.enums}`]);
      expect(await row("names and structure")).toEqual([expect.stringMatching(/^≈ \d+$/), "–", "–"]);
      await cost.getByText(/^≈ \d+ tokens, .* % of a context of 200k$/).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.getByRole("heading", { level: 1 }).getByRole("link").click();
      await cost.getByText(`Tools: ≈ ${offer.tokens} tokens`).waitFor();
      expect(await cost.getByRole("listitem").first().textContent()).toMatch(/^order ≈ \d+$/);
      expect(await accessibilityViolations(page)).toEqual([]);
    });
  }
});
