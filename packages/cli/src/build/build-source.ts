import { join, relative } from "node:path";
import type { Module } from "proffer/derived";
import type { Diagnostic } from "../derive/index.ts";
import { deriveModule } from "../modules/derive-module.ts";
import { ownServer } from "../modules/load.ts";
import { findModule } from "../modules/module-file.ts";
import { prepareModule } from "../modules/prepare-module.ts";
import { CommandError, explainUsage } from "../terminal/command-error.ts";
import { reportDiagnostics } from "../terminal/diagnostic-report.ts";
import { currentShell, fromHere, quoteForShell } from "../terminal/shell.ts";
import { say } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";
import { findAssets, findForgotten } from "./assets.ts";
import { type BuildSource, MODULES } from "./built-folder.ts";

/** The options that decide what a build contains. */
export interface SourceFlags {
  readonly allowUndocumented?: boolean;
  /** Files and folders that the module reads at run time. */
  readonly asset?: readonly string[];
}

const UNDOCUMENTED = "PF2001";

/**
 * Derives a module for a build and reports its diagnostics.
 * @param out - the folder that the build is written to
 * @throws {CommandError} for a module with an error.
 */
export async function openBuildSource(
  file: string,
  out: string,
  { allowUndocumented = false, asset: names = [] }: SourceFlags,
): Promise<BuildSource> {
  const module = findModule(file);
  const assets = findAssets(names, module, out);
  const { derivation, deriver } = await deriveModule(file);
  const diagnostics = allowUndocumented ? derivation.diagnostics : derivation.diagnostics.map(requireComment);
  reportDiagnostics(diagnostics);
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  if (errors > 0) {
    throw new CommandError(`${file} has ${errors === 1 ? "an error" : `${errors} errors`}. Nothing was written.`);
  }
  if (derivation.form === "combined") await explainUsage(checkNames(file));
  const emission = deriver.emit(join(fromHere(out), MODULES), assets);
  for (const forgotten of findForgotten(emission, assets)) {
    const path = relative(currentShell().cwd, forgotten);
    say(text`warning: The module reads ${path}, which the build does not contain. Add --asset ${quoteForShell(path)}.`);
  }
  const { importedPackages } = await import("../derive/index.ts");
  return { module, derivation, emission, imports: importedPackages(emission), assets };
}

/**
 * Adds the functions to the module's server, to find names that both define: the names of the server are code. A module
 * that needs its production environment to be imported is built without this check.
 * @throws {UsageError} for a duplicate name.
 */
async function checkNames(file: string): Promise<void> {
  const { manifest, load } = await prepareModule(file);
  let module: Module;
  try {
    module = await explainUsage(load());
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    say(text`warning: Duplicate names in the server and the functions were not looked for, because ${error.text}`);
    return;
  }
  ownServer(file, "combined", manifest, module);
}

/** Makes a missing comment an error: a model knows a function only by its comment. */
function requireComment(diagnostic: Diagnostic): Diagnostic {
  return diagnostic.code === UNDOCUMENTED ? { ...diagnostic, severity: "error" } : diagnostic;
}
