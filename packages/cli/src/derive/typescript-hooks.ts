/** Module hooks that compile TypeScript, for Node versions that cannot run it. */
import { readFileSync } from "node:fs";
import type { LoadHook } from "node:module";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const TYPESCRIPT = /^file:.*\.m?ts$/;

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
