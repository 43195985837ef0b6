import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "../../scripts/build.mjs";
import { ensureInstalled, ensureInstalledIn } from "../../scripts/npm.mjs";

const folder = fileURLToPath(new URL("..", import.meta.url));

/** Installs and builds missing parts: the tools and packages of the workspace, and the peers of this folder. */
export async function ensureReady() {
  ensureInstalled();
  ensureInstalledIn("bench");
  await ensureBuilt();
}

/** The versions of everything that is measured. */
export function versions() {
  const { dependencies } = JSON.parse(readFileSync(`${folder}package.json`, "utf8"));
  const proffer = JSON.parse(readFileSync(`${folder}../packages/proffer/package.json`, "utf8")).version;
  return { node: process.versions.node, proffer, ...dependencies };
}
