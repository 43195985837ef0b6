/** Module hooks that compile TypeScript, for Node versions that cannot run it. */
import { readFileSync } from "node:fs";
import type { LoadHook, ResolveHook } from "node:module";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const TYPESCRIPT = /^file:.*\.m?ts$/;

/** `./x.js` may be written for `./x.ts`. */
export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  try {
    return await nextResolve(specifier, context);
  } catch (error) {
    const isLocal = /^\.{1,2}\/.*\.m?js$/.test(specifier) && TYPESCRIPT.test(context.parentURL ?? "");
    if (!isLocal || (error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    return nextResolve(specifier.replace(/js$/, "ts"), context);
  }
};

export const load: LoadHook = (url, context, nextLoad) => {
  if (!TYPESCRIPT.test(url)) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const { outputText } = ts.transpileModule(readFileSync(file, "utf8"), {
    fileName: file,
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: false,
      inlineSourceMap: true,
      inlineSources: true,
    },
  });
  return { format: "module", source: outputText, shortCircuit: true };
};
