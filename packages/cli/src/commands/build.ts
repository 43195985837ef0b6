import { join, relative } from "node:path";
import type { Module } from "proffer/derived";
import { findAssets, findForgotten } from "../build/assets.ts";
import { type BuildSource, checkTarget, MODULES, writeBuild } from "../build/built-folder.ts";
import type { Derivation, Diagnostic } from "../derive/index.ts";
import { ownServer } from "../modules/load.ts";
import { BUNDLE, findModule } from "../modules/module-file.ts";
import { prepareModule } from "../modules/prepare-module.ts";
import { CommandError } from "../terminal/command-error.ts";
import { reportDiagnostics } from "../terminal/diagnostic-report.ts";
import { explainUsage } from "../terminal/explain-usage.ts";
import { quoteForShell } from "../terminal/shell-quote.ts";
import { say } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";
import { whileDeriving } from "../terminal/while-deriving.ts";

export interface BuildFlags {
  readonly out: string;
  readonly allowUndocumented?: boolean;
  /** Write one file that contains all packages. */
  readonly bundle?: boolean;
  /** Files and folders that the module reads at run time. */
  readonly asset?: readonly string[];
}

const UNDOCUMENTED = "PF2001";

/**
 * Writes a folder that runs with only the packages that the module imports, or one file that contains them.
 * @throws {CommandError} for a module with an error, or a folder with other content; then nothing is written.
 */
export async function build(file: string, flags: BuildFlags): Promise<void> {
  const { out, allowUndocumented = false, bundle = false, asset: names = [] } = flags;
  const module = findModule(file);
  checkTarget(module, out);
  const assets = findAssets(names, module, out);
  const bundling = bundle ? await import("../build/bundle.ts") : undefined;
  const bundler = await bundling?.loadBundler();
  const { deriver, derivation, importedPackages } = await whileDeriving(file, async () => {
    const { createDeriver, importedPackages } = await import("../derive/index.ts");
    const deriver = createDeriver(module);
    return { deriver, derivation: deriver.derive(), importedPackages };
  });
  const diagnostics = allowUndocumented ? derivation.diagnostics : derivation.diagnostics.map(requireComment);
  reportDiagnostics(diagnostics);
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  if (errors > 0) {
    throw new CommandError(`${file} has ${errors === 1 ? "an error" : `${errors} errors`}. Nothing was written.`);
  }
  if (derivation.form === "combined") await explainUsage(checkNames(file));
  const emission = deriver.emit(join(out, MODULES), assets);
  for (const forgotten of findForgotten(emission, assets)) {
    const path = relative(process.cwd(), forgotten);
    say(text`warning: The module reads ${path}, which the build does not contain. Add --asset ${quoteForShell(path)}.`);
  }
  const source: BuildSource = { module, derivation, emission, imports: importedPackages(emission), assets };
  const written = bundling && bundler ? await bundling.writeBundle(source, out, bundler) : writeBuild(source, out);
  const index = quoteForShell(`${out}/${bundle ? BUNDLE : "index.js"}`);
  const files = written === 1 ? "1 file" : `${written} files`;
  say(text`Wrote ${describe(derivation)} to ${out}: ${files}. Run it with: node ${index} [--http [port]]`);
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
    module = await load();
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

function describe({ form, tools, prompts, resources }: Derivation): string {
  if (form === "server") return "a server";
  const parts = [
    [tools.length, "tool"],
    [prompts.length, "prompt"],
    [resources.length, "resource"],
  ] as const;
  const counted = parts
    .filter(([count]) => count > 0)
    .map(([count, noun]) => `${count} ${noun}${count > 1 ? "s" : ""}`);
  if (form === "combined") counted.unshift("a server");
  return counted.join(", ");
}
