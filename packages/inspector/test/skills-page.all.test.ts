import { expect, test } from "vitest";
import { addressesOf } from "./address.ts";
import { accessibilityViolations, describeInBrowser } from "./browser.ts";
import { useProjectPages } from "./project-pages.ts";

describeInBrowser("the skills of a server in the page", () => {
  const { project, pages } = useProjectPages(
    'import { defineResource, defineServer, defineTool } from "proffer";',
    'import { defineSkill } from "proffer/skills";',
    'const tool = defineTool({ name: "find_order", description: "Finds an order.", handle: () => "" });',
    'const stock = defineResource({ uri: "shop://stock", name: "stock", read: () => "" });',
    "const skills = [",
    '  defineSkill({ name: "refunds", description: "Use it to refund.", text: "Call `find_ordr`.\\n" }),',
    '  defineSkill({ name: "returns", description: "Use it to return.", text: "Call `find_order`.\\n" }),',
    "];",
    'export default defineServer({ name: "shop", version: "1.0.0", tools: [tool], resources: [stock], skills });',
  );

  test("have a list of their own, with the findings of doctor", async () => {
    const { address } = await addressesOf(project().start("dev", "tools.ts", "--http", "--port", "0", "--inspect=0"));
    const page = await pages.open(address);
    const skills = page.getByRole("region", { name: "Skills" });
    await expect.poll(() => skills.locator(".name").allTextContents()).toEqual(["refunds", "returns"]);
    const resources = page.getByRole("region", { name: "Resources" });
    expect(await resources.locator(".name").allTextContents()).toEqual(["shop://stock"]);
    const [wrong, right] = [
      skills.getByRole("link", { name: "refunds" }),
      skills.getByRole("link", { name: "returns" }),
    ];
    await wrong.getByText("1 finding").waitFor({ state: "attached" });
    expect(await right.locator(".finding-mark").count()).toBe(0);
    await wrong.click();
    await page
      .getByText("refunds/SKILL.md names the tool find_ordr, which does not exist.")
      .first()
      .waitFor({ state: "attached" });
    expect(new URL(page.url()).searchParams.get("uri")).toBe("skill://refunds/SKILL.md");
    expect(await accessibilityViolations(page)).toEqual([]);
  });
});
