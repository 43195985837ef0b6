import type { Server } from "proffer";
import { createDerivedServer } from "proffer/derived";
import type { Derivation } from "../derive/index.ts";
import { load } from "../modules/load.ts";
import { findModule } from "../modules/module-file.ts";
import { toManifest } from "../modules/to-manifest.ts";
import { CommandError } from "../terminal/command-error.ts";
import { formatDiagnostics } from "../terminal/diagnostic-report.ts";
import { explainUsage } from "../terminal/explain-usage.ts";
import { type Listing, listServer } from "../terminal/listing.ts";
import { formatListing } from "../terminal/listing-text.ts";
import { print, printJson, stylesFor } from "../terminal/terminal.ts";
import { Text } from "../terminal/text.ts";

/**
 * Prints the tools, prompts and resources of a module as clients see them, and its diagnostics.
 * @throws {CommandError} after printing, if there is an error.
 */
export async function check(file: string, { json = false }: { json?: boolean }): Promise<void> {
  const module = findModule(file);
  const { derive } = await import("../derive/index.ts");
  const derivation = derive(module);
  const { diagnostics } = derivation;
  const listing = await explainUsage(listModule(file, derivation));
  if (json) printJson({ ...listing, diagnostics });
  else {
    const styles = stylesFor(process.stdout);
    const parts = [formatListing(listing, styles), formatDiagnostics(diagnostics, styles)];
    print(
      Text.join(
        parts.filter((part) => !part.isEmpty),
        "\n\n",
      ),
    );
  }
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  if (errors > 0) throw new CommandError(`${file} has ${errors === 1 ? "an error" : `${errors} errors`}.`);
}

async function listModule(file: string, derivation: Derivation): Promise<Listing> {
  return listServer(await serverFor(file, derivation));
}

/** Only a module that creates its own server must be imported to be listed. */
async function serverFor(file: string, derivation: Derivation): Promise<Server> {
  if (derivation.form === "server") return load(file);
  return createDerivedServer(toManifest(derivation), () =>
    Promise.reject(new Error("proffer check calls no functions.")),
  );
}
