// Measures the inspector in Chromium: node bench/inspector.mjs [--rounds 7]
import "../scripts/node-version.mjs";
import { register } from "node:module";
import os from "node:os";
import { parseArgs } from "node:util";
import { ensureBuilt } from "../scripts/build.mjs";
import { Failure, main, progress } from "../scripts/terminal.mjs";
import { openBrowser } from "./lib/browser.mjs";
import { median } from "./lib/statistics.mjs";
import { figure, table } from "./report/table.mjs";

const OPTIONS = { rounds: { type: "string", default: "7" } };

await main(async () => {
  const { values } = parseArgs({ options: OPTIONS });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Failure(`Invalid --rounds ${values.rounds}: use 1 or more.`);
  await ensureBuilt();
  register("../scripts/typescript-hooks.mjs", import.meta.url);
  const before = os.loadavg()[0];
  const figures = await measure(rounds);
  const rows = figures.map(({ name, unit, values, budget }) => [
    name,
    `${figure(median(values))} ${unit}`,
    `${figure(Math.min(...values))}–${figure(Math.max(...values))}`,
    budget === undefined ? "–" : `${budget} ${unit}`,
  ]);
  for (const line of table([`median of ${rounds}`, "figure", "least–most", "budget"], rows)) console.log(line);
  console.log(
    `\nLoad average ${figure(before)} before, ${figure(os.loadavg()[0])} after, on ${os.cpus().length} cores.`,
  );
});

async function measure(rounds) {
  const { measureStart } = await import("./scenarios/inspector/start.mjs");
  const page = await import("./scenarios/inspector/page.mjs");
  const { measureDeaths, measureEdits } = await import("./scenarios/inspector/loop.mjs");
  const { measureDurations, measureLargeText, measureOpening, measureScrolling, measureUpdates } = page;
  const browser = await openBrowser();
  const figures = [];
  try {
    for (const [about, scenario] of [
      ["starts", measureStart],
      ["opening the page", measureOpening],
      ["a large text", measureLargeText],
      ["durations", measureDurations],
      ["scrolling", measureScrolling],
      ["updates", measureUpdates],
      ["edits", measureEdits],
      ["deaths", measureDeaths],
    ]) {
      progress(about);
      figures.push(...(await scenario(browser.page, rounds)));
    }
  } finally {
    await browser.close();
  }
  return figures;
}
