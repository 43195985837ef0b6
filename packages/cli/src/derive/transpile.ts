/**
 * Module hooks that let Node import TypeScript: types are erased, nothing is checked. `module.register` runs them in a
 * thread of their own, which is the only one that ever loads the compiler.
 */
import { readFile } from "node:fs/promises";
import type { LoadHook, ResolveHook } from "node:module";
import { relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  inlineSourceMap: true,
  inlineSources: true,
};

/** Resolves `./x.js` to `x.ts` where only that exists, as TypeScript itself does. */
export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  try {
    return await nextResolve(specifier, context);
  } catch (error) {
    const source = toSourceSpecifier(specifier);
    if (source === undefined || !isNotFound(error)) throw error;
    try {
      return await nextResolve(source, context);
    } catch {
      // The message should carry the name that the author wrote.
      throw error;
    }
  }
};

/** Loads `.ts` and `.mts` files as ES modules; leaves everything else to Node. */
export const load: LoadHook = async (url, context, nextLoad) => {
  if (!url.startsWith("file:") || !/\.m?ts$/.test(new URL(url).pathname)) return nextLoad(url, context);
  const path = fileURLToPath(url);
  return { format: "module", shortCircuit: true, source: transpile(await readFile(path, "utf8"), path) };
};

function toSourceSpecifier(specifier: string): string | undefined {
  if (!/^(\.{0,2}\/|file:).*\.m?js$/.test(specifier)) return undefined;
  return specifier.replace(/js$/, "ts");
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
}

function transpile(source: string, path: string): string {
  const { outputText, diagnostics = [] } = ts.transpileModule(source, {
    fileName: path,
    compilerOptions,
    reportDiagnostics: true,
  });
  const first = diagnostics[0];
  if (first !== undefined) throw toSyntaxError(first, path);
  return outputText;
}

function toSyntaxError({ file, start = 0, messageText }: ts.Diagnostic, path: string): SyntaxError {
  const { line, character } = file?.getLineAndCharacterOfPosition(start) ?? { line: 0, character: 0 };
  const place = `${relative(process.cwd(), path)}:${line + 1}:${character + 1}`;
  const error = new SyntaxError(`${place} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
  // The frames would be those of this file, which is not where the mistake is.
  error.stack = String(error);
  return error;
}
