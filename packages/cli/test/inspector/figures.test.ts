import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, test } from "vitest";
import { distFile } from "../../../proffer/test/dist.ts";
import { createProject, type Project, waitForStderr } from "../project.ts";
import { describeInBrowser, usePages } from "./browser.ts";

const page = readFileSync(fileURLToPath(new URL("../../../../docs/inspector.md", import.meta.url)), "utf8");
const [, MODULE = ""] = /```ts\n\/\/ shop\.ts\n([\s\S]*?)```/.exec(page) ?? [];
const ADDRESS = /Inspector at (http:\S+)/;
const ROUNDS = 7;

const measures = process.env.FIGURES === undefined ? describe.skip : describeInBrowser;

/** The figures of docs/inspector.md: `FIGURES=1 npx vitest run inspector/figures`, on a quiet machine. */
measures("figures of the inspector", () => {
  const pages = usePages();
  let project: Project;

  beforeAll(() => {
    project = createProject();
    project.write("shop.ts", MODULE);
    project.proffer("list", "shop.ts");
  });

  afterAll(() => project.remove());

  async function start(pattern: RegExp, ...words: string[]) {
    const begin = performance.now();
    const child = project.start("dev", "shop.ts", "--http", "0", ...words);
    const [, match = ""] = pattern.exec(await waitForStderr(child, pattern)) ?? [];
    return { child, match, ms: performance.now() - begin };
  }

  test("I2 what --inspect adds to the start of dev", async () => {
    const plain: number[] = [];
    const inspected: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (const [list, words] of [[plain, []] as const, [inspected, ["--inspect=0"]] as const]) {
        const { child, ms } = await start(/(Listening)/, ...words);
        list.push(ms);
        child.kill("SIGKILL");
        await once(child, "exit");
      }
    }
    say(`start of dev ${median(plain)} ms, with --inspect ${median(inspected)} ms`);
  });

  test("the page", async () => {
    const bytes = ["page.js", "page.css"].map(
      (file) => gzipSync(readFileSync(distFile(`inspector/${file}`, "cli"))).length,
    );
    say(`page.js ${bytes[0]} bytes, page.css ${bytes[1]} bytes, gzip`);
    const { match: url } = await start(ADDRESS, "--inspect=0");
    const opened: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const begin = performance.now();
      const shown = await pages.open(url);
      await shown.getByRole("link", { name: /order/ }).first().waitFor();
      opened.push(performance.now() - begin);
    }
    say(`from the address to the list of tools ${median(opened)} ms`);
    const { origin, hash } = new URL(url);
    const shown = await pages.open(`${origin}/prompts/review${hash}`);
    const called: number[] = [];
    await shown.getByRole("textbox", { name: /code/ }).fill("x");
    for (let round = 0; round < ROUNDS; round++) {
      const begin = performance.now();
      await shown.keyboard.press("Control+Enter");
      await shown.getByText("Review x").first().waitFor();
      called.push(performance.now() - begin);
    }
    say(`from the key to the answer on the screen, first ${Math.round(called[0] ?? 0)} ms`);
    const edited: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const begin = performance.now();
      project.write("shop.ts", MODULE.replace("Asks for a review.", `Asks for review ${round}.`));
      await shown.getByText(`Asks for review ${round}.`).first().waitFor();
      edited.push(performance.now() - begin);
    }
    say(`from saving to the difference on the screen ${median(edited)} ms`);
  });
});

function median(values: readonly number[]): number {
  return Math.round([...values].sort((a, b) => a - b)[values.length >> 1] ?? 0);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
