import { join, relative } from "node:path";
import type { Module } from "proffer/derived";
import { findAssets, findForgotten } from "../build/assets.ts";
import { type BuildSource, checkTarget, MODULES, writeBuild, writeDocker } from "../build/built-folder.ts";
import type { Derivation, Diagnostic } from "../derive/index.ts";
import { deriveModule } from "../modules/derive-module.ts";
import { ownServer } from "../modules/load.ts";
import { BUNDLE, findModule } from "../modules/module-file.ts";
import { prepareModule } from "../modules/prepare-module.ts";
import { CommandError, explainUsage } from "../terminal/command-error.ts";
import { reportDiagnostics } from "../terminal/diagnostic-report.ts";
import { currentShell, fromHere, quoteForShell } from "../terminal/shell.ts";
import { say, warn } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";

export interface BuildFlags extends SourceFlags {
  readonly out: string;
  /** Write one file that contains all packages. */
  readonly bundle?: boolean;
  /** Also write a Dockerfile. */
  readonly docker?: boolean;
}

/**
 * Writes a folder that runs with only the packages that the module imports, or one file that contains them.
 * @throws {CommandError} for a module with an error, or a folder with other content; then nothing is written.
 */
export async function build(file: string, flags: BuildFlags): Promise<void> {
  const { out, bundle = false, docker = false } = flags;
  checkTarget(findModule(file), out);
  const bundling = bundle ? await import("../build/bundle.ts") : undefined;
  const bundler = await bundling?.loadBundler();
  const source = await openBuildSource(file, out, flags);
  const index = bundle ? BUNDLE : "index.js";
  const built = bundling && bundler ? await bundling.writeBundle(source, out, bundler) : writeBuild(source, out);
  const { settings } = source.derivation;
  const written = built + (docker ? writeDocker(out, { index, installs: !bundle, settings }) : 0);
  const files = written === 1 ? "1 file" : `${written} files`;
  const run = docker
    ? `docker build ${quoteForShell(out)}`
    : `node ${quoteForShell(`${out}/${index}`)} [--http [port]]`;
  say(
    text`Wrote ${describe(source.derivation)} to ${out}: ${files}. ${docker ? "Make an image with" : "Run it with"}: ${run}`,
  );
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

/** The options that decide about the content of a build. */
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
  // A model knows a function only by its comment.
  const isRequired = ({ code }: Diagnostic) => code === UNDOCUMENTED && !allowUndocumented;
  const diagnostics = derivation.diagnostics.map((each) =>
    isRequired(each) ? { ...each, severity: "error" as const } : each,
  );
  reportDiagnostics(diagnostics);
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  if (errors > 0) {
    throw new CommandError(`${file} has ${errors === 1 ? "an error" : `${errors} errors`}. Nothing was written.`);
  }
  if (derivation.form === "combined") await explainUsage(checkNames(file));
  const emission = deriver.emit(join(fromHere(out), MODULES), assets);
  for (const forgotten of findForgotten(emission, assets)) {
    const path = relative(currentShell().cwd, forgotten);
    warn(`The module reads ${path}, which the build does not contain. Add --asset ${quoteForShell(path)}.`);
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
