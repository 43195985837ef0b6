// Module hooks that let Node load the sources: TypeScript is compiled, and `proffer` is the source, not the build.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";

const source = new URL("../packages/proffer/src/", import.meta.url);

export function resolve(specifier, context, next) {
  const [, subpath = "index"] = /^proffer(?:\/(.+))?$/.exec(specifier) ?? [];
  if (specifier !== "proffer" && !specifier.startsWith("proffer/")) return next(specifier, context);
  return { url: new URL(`${subpath}.ts`, source).href, format: "module", shortCircuit: true };
}

export async function load(url, context, next) {
  if (!url.startsWith("file:") || !url.endsWith(".ts")) return next(url, context);
  const { code } = await transform(readFileSync(fileURLToPath(url), "utf8"), {
    loader: "ts",
    format: "esm",
    target: "node20",
    sourcemap: "inline",
    sourcefile: fileURLToPath(url),
  });
  return { format: "module", source: code, shortCircuit: true };
}
