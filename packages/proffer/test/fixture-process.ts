import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Link } from "proffer/testing";
import { linkProcess } from "./process-link.ts";

const fixtures = fileURLToPath(new URL("./fixtures", import.meta.url));

/** A fixed key, so that the server does not warn that it has none. */
const env = { ...process.env, PROFFER_KEYS: Buffer.alloc(32, 1).toString("base64") };

export interface Bundle {
  /** A file that Node can run; it serves over stdio. */
  readonly path: string;
  /** Starts a process and connects to it. */
  readonly link: Link;
  remove(): Promise<void>;
}

/** Bundles a module of `fixtures/` that default-exports a server into one file that serves it over stdio. */
export async function bundleFixture(module: string): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), "proffer-fixture-"));
  const path = join(folder, "server.mjs");
  await build({
    stdin: {
      contents: `import server from "./${module}";
        import { serveStdio } from "proffer/stdio";
        await serveStdio(server);`,
      resolveDir: fixtures,
      loader: "ts",
    },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // Bundled CommonJS packages may require a built-in module.
    banner: {
      js: 'import { createRequire as toRequire } from "node:module"; const require = toRequire(import.meta.url);',
    },
    outfile: path,
    logLevel: "error",
  });
  const start = () => spawn(process.execPath, [path], { env, stdio: ["pipe", "pipe", "pipe"] });
  return { path, link: (receive) => linkProcess(start(), receive), remove: () => rm(folder, { recursive: true }) };
}
