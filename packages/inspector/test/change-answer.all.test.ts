import { defineServer, defineTool, field } from "proffer";
import { afterAll, expect, test } from "vitest";
import { linkServer } from "../../cli/src/inspect/server-links.ts";
import { traceServer } from "../../cli/src/inspect/trace.ts";
import { type Inspector, startInspector } from "../src/inspector.ts";
import { accessibilityViolations, describeInBrowser, usePages } from "./browser.ts";
import { createTestHost } from "./test-host.ts";

const started: Inspector[] = [];
afterAll(() => Promise.all(started.map((inspector) => inspector.close())));

/** A tool with two questions, one after the other, and a step before them. */
async function start(): Promise<{ readonly inspector: Inspector; readonly steps: string[] }> {
  const steps: string[] = [];
  const server = defineServer({
    name: "two",
    version: "1",
    log: () => {},
    tools: [
      defineTool({
        name: "book",
        async handle(_, ctx) {
          await ctx.step("price", () => steps.push("price"));
          const where = await ctx.ask("Where?", { city: field.text() });
          const city = where.action === "accept" ? where.content.city : where.action;
          const sure = await ctx.ask(`Book ${city}?`, { sure: field.boolean() });
          return `${city}: ${sure.action === "accept" ? sure.content.sure : sure.action}`;
        },
      }),
    ],
  });
  const host = createTestHost({
    target: { kind: "module", name: "two.ts" },
    links: linkServer(server),
    trace: traceServer(server),
  });
  const inspector = await startInspector(host, 0);
  started.push(inspector);
  await inspector.started;
  return { inspector, steps };
}

describeInBrowser("changing an answer in the page", () => {
  const pages = usePages();

  for (const colorScheme of ["light", "dark"] as const) {
    test(`the question opens again with the earlier answer, ${colorScheme}`, async () => {
      const { inspector } = await start();
      const { origin, hash } = new URL(inspector.url);
      const page = await pages.open(`${origin}/tools/book${hash}`, { colorScheme });
      const question = page.getByRole("form", { name: "Question" });
      await page.getByRole("button", { name: /^Call/ }).click();
      await question.getByRole("textbox", { name: "city" }).fill("Rome");
      await question.getByRole("button", { name: "Answer" }).click();
      await question.getByText("Book Rome?").waitFor();
      await question.getByRole("button", { name: "Decline" }).click();
      await page.getByRole("button", { name: "Change my answer to run 1" }).click();
      const city = question.getByRole("textbox", { name: "city" });
      await city.waitFor();
      expect(await city.inputValue()).toBe("Rome");
      await page.getByText("The answer to run 1 is changed here.").waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      await city.fill("Oslo");
      await question.getByRole("button", { name: "Answer" }).click();
      await question.getByText("Book Oslo?").waitFor();
      await question.getByRole("button", { name: "Decline" }).click();
      await page.getByRole("tab", { name: "Result" }).click();
      await page.getByRole("region", { name: "Answer" }).getByText("Oslo: decline").first().waitFor();
    });
  }
});
