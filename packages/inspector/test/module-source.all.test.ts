import { afterAll, beforeAll, expect, test } from "vitest";
import { createProject, type Project } from "../../cli/test/project.ts";
import { addressOf, routeOf } from "./address.ts";
import { accessibilityViolations, describeInBrowser, usePages } from "./browser.ts";
import { openPage } from "./page-client.ts";

describeInBrowser("the source of a module that is inspected", () => {
  let project: Project;

  beforeAll(() => {
    project = createProject();
    project.write(
      "tools.ts",
      "interface Address {",
      "  /** Five digits. */",
      "  zip: string;",
      "}",
      "/** Ships goods. */",
      "export const ship = (to: Address): string => to.zip;",
    );
    project.write(
      "server.ts",
      'import { defineServer, defineTool } from "proffer";',
      'const ship = defineTool({ name: "ship", handle: () => "x" });',
      'export default defineServer({ name: "own", version: "1", tools: [ship] });',
    );
  });
  afterAll(() => project.remove());
  const pages = usePages();

  for (const colorScheme of ["light", "dark"] as const) {
    test(`is beside the schema, and each marks the lines of the other, ${colorScheme}`, async () => {
      const url = await addressOf(project.start("inspect", "tools.ts", "--port", "0"));
      const page = await pages.open(routeOf(url, "/tools/ship?request=source"), { colorScheme });
      const source = page.getByRole("region", { name: "Source", exact: true });
      const zip = source.getByRole("button", { name: /zip: string;/ });
      await zip.waitFor();
      await page
        .getByRole("region", { name: "Schema", exact: true })
        .getByRole("button", { name: /"zip": \{/ })
        .hover();
      await expect.poll(() => zip.getAttribute("aria-current")).toBe("true");
      await page.getByRole("button", { name: "tools.ts:6" }).first().waitFor();
      // Edits are only seen by dev.
      expect(await page.getByRole("tab", { name: "Changed" }).count()).toBe(0);
      expect(await accessibilityViolations(page)).toEqual([]);
    });
  }

  test("is not offered for a server that is written out", async () => {
    const page = await openPage(await addressOf(project.start("inspect", "server.ts", "--port", "0")));
    const { abilities } = await page.until("hello");
    expect(abilities).toMatchObject({ source: false, calls: true, saves: true });
    await expect(page.post("source", { kind: "tool", key: "ship" })).rejects.toThrow(/not possible/);
    await expect(page.post("open", { file: 0, line: 1 })).rejects.toThrow(/not possible/);
    page.close();
  });
});
