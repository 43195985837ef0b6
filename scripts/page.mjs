// Bundles the page of the inspector. For work on the page itself: node scripts/page.mjs --watch
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { root } from "./npm.mjs";
import { main, progress } from "./terminal.mjs";

const source = join(root, "packages/cli/src/inspector/page");
const output = join(root, "packages/cli/dist/inspector");

const options = {
  entryPoints: [
    { in: join(source, "main.tsx"), out: "page" },
    { in: join(source, "style/page.css"), out: "page" },
  ],
  outdir: output,
  bundle: true,
  minify: true,
  format: "esm",
  platform: "browser",
  // The first versions with light-dark().
  target: ["chrome123", "firefox120", "safari17.5"],
  tsconfig: join(source, "tsconfig.json"),
  legalComments: "none",
  logLevel: "warning",
};

/** Writes page.js, page.css and index.html, and compressed copies that the server of the inspector sends as they are. */
export async function bundlePage() {
  const { build } = await import("esbuild");
  await build(options);
  finish();
}

function finish() {
  mkdirSync(output, { recursive: true });
  cpSync(join(source, "index.html"), join(output, "index.html"));
  for (const name of ["page.js", "page.css"]) {
    const bytes = readFileSync(join(output, name));
    writeFileSync(join(output, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    const size = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(join(output, `${name}.br`), brotliCompressSync(bytes, { params: size }));
  }
}

async function watchPage() {
  const { context } = await import("esbuild");
  const report = {
    name: "report",
    setup: ({ onEnd }) =>
      onEnd(({ errors }) => {
        if (errors.length > 0) return;
        finish();
        progress("built the page of the inspector");
      }),
  };
  const watching = await context({ ...options, minify: false, sourcemap: "inline", plugins: [report] });
  await watching.watch();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(() => (process.argv.includes("--watch") ? watchPage() : bundlePage()));
}
