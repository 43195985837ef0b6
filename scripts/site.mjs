// npm run site: builds the README and the docs into a static site, site/dist.
//   --serve   also serves it on this machine
// SITE_BASE is the path below which the site is published, by default /.
import "./node-version.mjs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writePages } from "../site/pages.mjs";
import { ensureInstalledIn, root } from "./npm.mjs";
import { Failure, main, progress } from "./terminal.mjs";

await main(() => {
  const { serve } = readOptions();
  ensureInstalledIn("site");
  progress(`building ${writePages().length} pages into site/dist`);
  vitepress("build");
  if (serve) vitepress("preview");
});

function readOptions() {
  try {
    return parseArgs({ options: { serve: { type: "boolean", default: false } } }).values;
  } catch (error) {
    throw new Failure(`${error.message}\nUsage: npm run site -- [--serve]`);
  }
}

function vitepress(command) {
  const program = join(root, "site/node_modules/vitepress/bin/vitepress.js");
  const { status, signal } = spawnSync(process.execPath, [program, command, join(root, "site")], { stdio: "inherit" });
  if (status !== 0 && signal !== "SIGINT") throw new Failure(`vitepress ${command} failed; its output is above.`);
}
