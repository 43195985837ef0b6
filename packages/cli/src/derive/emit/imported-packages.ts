import { isBuiltin } from "node:module";
import ts from "typescript";
import type { Emission } from "../model/description.ts";

/** Returns the specifiers of packages that emitted files import or require, sorted: `proffer`, `zod/v4`. */
export function importedPackages({ files }: Emission): string[] {
  const specifiers = files
    .filter(({ path }) => !path.endsWith(".json"))
    .flatMap(({ text }) => ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName));
  // `#x` is resolved by the package.json of the project; what is left of them cannot be resolved.
  const packages = specifiers.filter((specifier) => /^[^./#]/.test(specifier) && !isBuiltin(specifier));
  return [...new Set(packages)].filter((specifier) => !URL.canParse(specifier)).sort();
}
