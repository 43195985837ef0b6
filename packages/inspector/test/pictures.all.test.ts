import { mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createProject, type Project, waitForStderr } from "../../cli/test/project.ts";
import { toBase64url } from "../src/page/state/route.ts";
import { describeInBrowser, usePages } from "./browser.ts";

/** The module of the pictures in docs/inspector.md, which shows its code. */
const page = readFileSync(fileURLToPath(new URL("../../../docs/inspector.md", import.meta.url)), "utf8");
const [, MODULE = ""] = /```ts\n\/\/ shop\.ts\n([\s\S]*?)```/.exec(page) ?? [];
const folder = fileURLToPath(new URL("../../../docs/img/", import.meta.url));
const ADDRESS = /Inspector at (http:\S+)/;
const ORDER = { items: [{ sku: "pen", count: 2 }], to: { street: "Hauptstr. 1", zip: "12345" } };

/** `UPDATE=1 npx vitest run inspector/pictures` takes the pictures again. */
describeInBrowser("the pictures of docs/inspector.md", () => {
  const pages = usePages();
  let project: Project;
  let address = "";

  beforeAll(async () => {
    project = createProject();
    project.write("shop.ts", MODULE);
    const child = project.start("dev", "shop.ts", "--http", "0", "--inspect=0");
    address = ADDRESS.exec(await waitForStderr(child, ADDRESS))?.[1] ?? "";
  });

  afterAll(() => project.remove());

  test.each(["light", "dark"] as const)("show a question in the middle of a call, %s", async (colorScheme) => {
    const { origin, hash } = new URL(address);
    const shown = await pages.open(`${origin}/tools/order?a=${toBase64url(ORDER)}${hash}`, {
      colorScheme,
    });
    await shown.getByRole("button", { name: /^Call/ }).waitFor();
    await shown.keyboard.press("Control+Enter");
    const question = shown.getByText("Pay 14 €?").first();
    await question.waitFor();
    expect(await shown.getByText("price").first().isVisible()).toBe(true);
    if (process.env.UPDATE !== "1") return;
    mkdirSync(folder, { recursive: true });
    await shown.screenshot({ path: `${folder}inspector-${colorScheme}.png` });
  });
});
