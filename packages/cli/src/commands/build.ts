import { openBuildSource, type SourceFlags } from "../build/build-source.ts";
import { checkTarget, writeBuild } from "../build/built-folder.ts";
import type { Derivation } from "../derive/index.ts";
import { BUNDLE, findModule } from "../modules/module-file.ts";
import { quoteForShell } from "../terminal/shell-quote.ts";
import { say } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";

export interface BuildFlags extends SourceFlags {
  readonly out: string;
  /** Write one file that contains all packages. */
  readonly bundle?: boolean;
}

/**
 * Writes a folder that runs with only the packages that the module imports, or one file that contains them.
 * @throws {CommandError} for a module with an error, or a folder with other content; then nothing is written.
 */
export async function build(file: string, flags: BuildFlags): Promise<void> {
  const { out, bundle = false } = flags;
  checkTarget(findModule(file), out);
  const bundling = bundle ? await import("../build/bundle.ts") : undefined;
  const bundler = await bundling?.loadBundler();
  const source = await openBuildSource(file, out, flags);
  const written = bundling && bundler ? await bundling.writeBundle(source, out, bundler) : writeBuild(source, out);
  const index = quoteForShell(`${out}/${bundle ? BUNDLE : "index.js"}`);
  const files = written === 1 ? "1 file" : `${written} files`;
  say(text`Wrote ${describe(source.derivation)} to ${out}: ${files}. Run it with: node ${index} [--http [port]]`);
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
