// Module hooks that let Node load the sources: TypeScript is compiled, and the packages are their sources, not
// their builds.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";

const source = new URL("../packages/proffer/src/", import.meta.url);
const inspector = new URL("../packages/inspector/src/index.ts", import.meta.url);

export function resolve(specifier, context, next) {
  if (specifier === "@proffer/inspector") return { url: inspector.href, format: "module", shortCircuit: true };
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
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
    sourcefile: fileURLToPath(url),
  });
  return { format: "module", source: code, shortCircuit: true };
}
