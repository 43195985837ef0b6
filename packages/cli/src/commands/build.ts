import { cpSync } from "node:fs";
import { join, relative } from "node:path";
import { findAssets, findForgotten } from "../build/assets.ts";
import {
  type BuildSource,
  checkTarget,
  ignoredFiles,
  MODULES,
  writeBuild,
  writeDocker,
} from "../build/built-folder.ts";
import { WITHOUT_BUNDLE } from "../build/package-files.ts";
import type { Derivation, Diagnostic } from "../derive/index.ts";
import { whileDescribing } from "../describe/describing.ts";
import { type StartFlags, startArtifact } from "../describe/start.ts";
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
  /** Start the folder with packages that npm installs into a copy, instead of those of the project. */
  readonly install?: boolean;
}

/**
 * Writes a folder that runs with only the packages that the module imports, or one file that contains them, and starts it
 * once.
 * @throws {CommandError} for a module with an error, a folder with other content, or a result that does not start; then
 * nothing is written.
 */
export async function build(file: string, flags: BuildFlags): Promise<void> {
  const { out, bundle = false, docker = false, start = true } = flags;
  const module = findModule(file);
  checkTarget(module, out);
  const bundling = bundle ? await import("../build/bundle.ts") : undefined;
  const bundler = await bundling?.loadBundler();
  const source = await openBuildSource(file, out, flags);
  const entry = bundle ? BUNDLE : "index.js";
  const { settings } = source.derivation;
  const finish = async (folder: string) => {
    if (docker) writeDocker(folder, { index: entry, installs: !bundle, settings });
    if (!start) return;
    const ignored = docker ? ignoredFiles({ installs: !bundle }) : [];
    const isCopied = (from: string) => !ignored.includes(relative(folder, from));
    const copyTo = (copy: string) => cpSync(folder, copy, { recursive: true, filter: isCopied });
    const shared = { copyTo, entry, settings };
    const packages = flags.install ? ("npm" as const) : { of: module };
    const remedy = "Add the files that it reads with --asset, and its packages to package.json.";
    const artifact = bundle
      ? { ...shared, name: "The bundle", remedy: WITHOUT_BUNDLE }
      : { ...shared, name: "The build", remedy, packages };
    await startArtifact(artifact, flags);
  };
  const written =
    bundling && bundler
      ? await bundling.writeBundle(source, out, bundler, finish)
      : await writeBuild(source, out, docker, finish);
  const files = written === 1 ? "1 file" : `${written} files`;
  const run = docker
    ? `docker build ${quoteForShell(out)}`
    : `node ${quoteForShell(`${out}/${entry}`)} [--http [port]]`;
  const started = start ? " It was started once to check it." : "";
  say(
    text`Wrote ${describe(source.derivation)} to ${out}: ${files}.${started} ${docker ? "Make an image with" : "Run it with"}: ${run}`,
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
export interface SourceFlags extends StartFlags {
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
  { allowUndocumented = false, asset: names = [], env = [], start = true }: SourceFlags,
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
  if (derivation.form === "combined" && start) await explainUsage(whileDescribing(env, () => checkNames(file)));
  const emission = deriver.emit(join(fromHere(out), MODULES), assets);
  for (const forgotten of findForgotten(emission, assets)) {
    const path = relative(currentShell().cwd, forgotten);
    warn(`The module reads ${path}, which the build does not contain. Add --asset ${quoteForShell(path)}.`);
  }
  const { importedPackages } = await import("../derive/index.ts");
  return { module, derivation, emission, imports: importedPackages(emission), assets };
}

/**
 * Adds the functions to the module's server, to find names that both define: the names of the server are code.
 * @throws {UsageError} for a duplicate name.
 */
async function checkNames(file: string): Promise<void> {
  const { manifest, load } = await prepareModule(file);
  await ownServer(file, "combined", manifest, await explainUsage(load()));
}
