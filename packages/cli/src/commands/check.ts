import type { Server } from "proffer";
import { createDerivedServer } from "proffer/derived";
import type { Derivation } from "../derive/index.ts";
import { load } from "../modules/load.ts";
import { findModule } from "../modules/module-file.ts";
import { toManifest } from "../modules/to-manifest.ts";
import { CommandError } from "../terminal/command-error.ts";
import { formatDiagnostics } from "../terminal/diagnostic-report.ts";
import { explainUsage } from "../terminal/explain-usage.ts";
import { describeServer, type Offer } from "../terminal/offer.ts";
import { formatOffer } from "../terminal/offer-text.ts";
import { print, printJson, stylesFor } from "../terminal/terminal.ts";

/**
 * Prints what clients would see of a module, and what is wrong with it.
 * @throws {CommandError} after that, if there is an error.
 */
export async function check(file: string, { json = false }: { json?: boolean }): Promise<void> {
  const module = findModule(file);
  const { derive } = await import("../derive/index.ts");
  const derivation = derive(module);
  const { diagnostics } = derivation;
  const offer = await explainUsage(describeModule(file, derivation));
  if (json) printJson({ ...offer, diagnostics });
  else {
    const styles = stylesFor(process.stdout);
    print([formatOffer(offer, styles), formatDiagnostics(diagnostics, styles)].filter(Boolean).join("\n\n"));
  }
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  if (errors > 0) throw new CommandError(`${file} has ${errors === 1 ? "an error" : `${errors} errors`}.`);
}

async function describeModule(file: string, derivation: Derivation): Promise<Offer> {
  return describeServer(await serverFor(file, derivation));
}

/** Functions need not be there to be described; a server that the module makes itself does. */
async function serverFor(file: string, derivation: Derivation): Promise<Server> {
  if (derivation.form === "server") return load(file);
  return createDerivedServer(toManifest(derivation), () =>
    Promise.reject(new Error("Nothing is called while it is checked.")),
  );
}
