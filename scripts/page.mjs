// Bundles the page of the inspector. For work on the page itself: node scripts/page.mjs --watch
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { root } from "./npm.mjs";
import { main, progress } from "./terminal.mjs";

const source = join(root, "packages/inspector/src/page");
const output = join(root, "packages/inspector/dist/page");

/** The first versions with light-dark(). */
const target = ["chrome123", "firefox120", "safari17.5"];

/** Rolldown, because its output is 2 kB smaller than esbuild's, compressed. */
const script = {
  input: join(source, "main.tsx"),
  platform: "browser",
  tsconfig: join(source, "tsconfig.json"),
  transform: { target },
  output: { file: join(output, "page.js"), format: "esm", minify: true, comments: false },
  onLog(level, log, log_) {
    if (level === "warn") throw new Error(log.message);
    log_(level, log);
  },
};

const style = {
  entryPoints: [join(source, "style/page.css")],
  outdir: output,
  bundle: true,
  minify: true,
  target,
  logLevel: "warning",
};

/** Writes page.js, page.css and index.html, and compressed copies that the server of the inspector sends as they are. */
export async function bundlePage() {
  const [{ Rolldown }, esbuild] = await Promise.all([import("tsdown"), import("esbuild")]);
  await Promise.all([Rolldown.build(script), esbuild.build(style)]);
  finish();
}

function finish() {
  cpSync(join(source, "index.html"), join(output, "index.html"));
  for (const file of ["page.js", "page.css"].map((name) => join(output, name)).filter(existsSync)) {
    const bytes = readFileSync(file);
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
    const size = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: size }));
  }
}

async function watchPage() {
  const [{ Rolldown }, esbuild] = await Promise.all([import("tsdown"), import("esbuild")]);
  const done = () => {
    finish();
    progress("built the page of the inspector");
  };
  const scripts = Rolldown.watch({ ...script, output: { ...script.output, minify: false, sourcemap: "inline" } });
  scripts.on("event", ({ code, error }) => {
    if (code === "ERROR") progress(error.message);
    if (code === "END") done();
  });
  const report = { name: "report", setup: ({ onEnd }) => onEnd(({ errors }) => errors.length > 0 || done()) };
  const styles = await esbuild.context({ ...style, plugins: [report] });
  await styles.watch();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(() => (process.argv.includes("--watch") ? watchPage() : bundlePage()));
}
