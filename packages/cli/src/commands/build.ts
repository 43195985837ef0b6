import { openBuildSource, type SourceFlags } from "../build/build-source.ts";
import { checkTarget, writeBuild, writeDocker } from "../build/built-folder.ts";
import type { Derivation } from "../derive/index.ts";
import { BUNDLE, findModule } from "../modules/module-file.ts";
import { quoteForShell } from "../terminal/shell.ts";
import { say } from "../terminal/terminal.ts";
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
