import { expect, test } from "vitest";
import { accessibilityViolations, describeInBrowser, usePages } from "./browser.ts";
import { startFakeServer } from "./fake-server.ts";

describeInBrowser("the browser of the tests", () => {
  const pages = usePages();

  test("I5 an injected inline script does not run, and the violation is seen", async () => {
    const server = await startFakeServer([]);
    const page = await pages.open(server.url);
    pages.expectProblem(/TrustedScript|trusted-types|script-src|Content Security Policy/);
    const reported = page.waitForEvent("console");
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.append("document.title = 'injected'");
      document.body.append(script);
    });
    await reported;
    expect(await page.title()).not.toBe("injected");
    await server.close();
  });

  test("an element without a name is found by axe", async () => {
    const server = await startFakeServer([]);
    const page = await pages.open(server.url);
    await page.evaluate(() => document.body.append(document.createElement("button")));
    expect((await accessibilityViolations(page)).join()).toContain("button-name");
    await server.close();
  });
});
