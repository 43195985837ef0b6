import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "../../scripts/build.mjs";
import { ensureInstalled, npm } from "../../scripts/npm.mjs";
import { Failure, progress } from "../../scripts/terminal.mjs";

const folder = fileURLToPath(new URL("..", import.meta.url));
const stamp = `${folder}node_modules/.bench-stamp`;

/** Installs and builds what is missing: the tools and packages of the workspace, and the peers of this folder. */
export async function ensureReady() {
  ensureInstalled();
  ensurePeers();
  await ensureBuilt();
}

function ensurePeers() {
  const digest = createHash("sha256")
    .update(readFileSync(`${folder}package-lock.json`))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return;
  progress("installing the peers of bench/package-lock.json");
  const flags = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const status = npm(["install", "--prefix", folder, ...flags]);
  if (status !== 0) throw new Failure(`npm install failed in bench/ with exit code ${status}; its output is above.`);
  writeFileSync(stamp, digest);
}

/** The versions of everything that is measured. */
export function versions() {
  const { dependencies } = JSON.parse(readFileSync(`${folder}package.json`, "utf8"));
  const proffer = JSON.parse(readFileSync(`${folder}../packages/proffer/package.json`, "utf8")).version;
  return { node: process.versions.node, proffer, ...dependencies };
}
