import { fileURLToPath } from "node:url";
import { openPage } from "../../../packages/inspector/test/page-client.ts";
import { timeToPaint } from "../../lib/browser.mjs";
import { startPage, withShop } from "./start.mjs";

const SCRIPT = fileURLToPath(new URL("../../../packages/inspector/test/stdio-server.mjs", import.meta.url));

/** From saving the module to the drawn difference. */
export const measureEdits = (page, rounds) =>
  withShop(async (project, module) => {
    const { address } = await startPage(project, "dev", "shop.ts", "--http", "--port", "0", "--inspect=0");
    await page.goto(address.replace("/#", "/prompts/review#"));
    await page.getByRole("tab", { name: "Changed" }).click();
    const values = [];
    for (let round = 0; round < rounds; round++) {
      const text = `Asks for review ${round}.`;
      const save = () => project.write("shop.ts", module.replace("Asks for a review.", text));
      values.push(await timeToPaint(page, "section.change ins", text, save));
    }
    await page.goto("about:blank");
    return [{ name: "I48 from saving to the drawn difference", unit: "ms", values, budget: 1000 }];
  });

/** From the message that makes the server exit to the drawn sentence that it is gone. */
export const measureDeaths = (page, rounds) =>
  withShop(async (project) => {
    const command = [process.execPath, SCRIPT, project.path("server.log")];
    const { address } = await startPage(project, "inspect", "--port", "0", "--", ...command);
    const client = await openPage(address);
    const text = '{"jsonrpc":"2.0","method":"die"}';
    await page.goto(address);
    const values = [];
    for (let round = 0; round < rounds; round++) {
      await page.locator(".chip.loop").getByText("connected").waitFor();
      const die = async () => void (await client.post("raw", { revision: "2025-06-18", text }));
      values.push(await timeToPaint(page, ".banner", "The server is gone.", die));
      await page.getByRole("button", { name: "Connect again" }).click();
      await page.locator(".banner").waitFor({ state: "detached" });
    }
    client.close();
    await page.goto("about:blank");
    return [{ name: "I64 from the death of the server to its message", unit: "ms", values, budget: 1000 }];
  });
