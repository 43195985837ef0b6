import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The files that an entry of the run-time imports statically, with those that they import. */
function filesOf(file, found = new Set()) {
  for (const [, name] of readFileSync(file, "utf8").matchAll(/(?:from|import) ?"(\.[^"]+)"/g)) {
    const imported = join(dirname(file), name);
    if (!found.has(imported)) filesOf(imported, found.add(imported));
  }
  return found;
}

/** One entry without the parts that it loads when they are needed, and without those of entries that a user loads anyway. */
function entry(name, limit, beside = [], ignore = []) {
  const folder = resolve("packages/proffer/dist");
  const loaded = new Set(beside.flatMap((each) => [...filesOf(join(folder, each))]));
  const apart = {
    name: "apart",
    setup(build) {
      build.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
        kind === "dynamic-import" || loaded.has(join(resolveDir, path)) ? { path, external: true } : undefined,
      );
    },
  };
  return {
    name: `${[name, ...beside].join(" beside ")}, minified and compressed`,
    path: `packages/proffer/dist/${name}`,
    ignore,
    limit,
    // As a script, which is the default, it would contain 250 bytes of esbuild's own to load the parts.
    modifyEsbuildConfig: (config) => ({ ...config, format: "esm", plugins: [...(config.plugins ?? []), apart] }),
  };
}

export default [
  entry("index.js", "53.5 kB"),
  entry("oauth.js", "6.5 kB", ["http.js"], ["jose"]),
  entry("client.js", "14 kB"),
  entry("client/oauth.js", "7 kB"),
  entry("redis.js", "6.5 kB", ["index.js"]),
  entry("bullmq.js", "2.5 kB", ["index.js"]),
  {
    name: "the page of the inspector, compressed with gzip as it is sent",
    path: ["packages/inspector/dist/page/page.js.gz", "packages/inspector/dist/page/page.css.gz"],
    brotli: false,
    disablePlugins: ["@size-limit/esbuild"],
    limit: "60 kB",
  },
];
