import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(new URL("../../packages/proffer/dist/bin.js", import.meta.url));
const source = fileURLToPath(new URL("../servers/derived.ts", import.meta.url));
/** In an ignored folder from which `proffer` can be resolved. */
const built = fileURLToPath(new URL("../node_modules/.bench/derived", import.meta.url));

/** The same server from a plain module: derived at start, and built in advance. */
export const DERIVED = [
  { name: "Proffer derived", era: "legacy", short: true, command: () => [command, "serve", source] },
  { name: "Proffer built", era: "legacy", short: true, command: () => [`${built}/index.js`] },
];

/** Builds the plain module for its cold start; a failure shows at its start. */
export function buildDerived(progress) {
  const { status, stderr } = spawnSync(process.execPath, [command, "build", source, "--out", built], {
    encoding: "utf8",
  });
  if (status !== 0) progress(`proffer build failed: ${stderr.slice(0, 400)}`);
}
