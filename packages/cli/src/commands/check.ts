import type { Server } from "proffer";
import { showAllToolsets } from "proffer/derived";
import type { Derivation } from "../derive/index.ts";
import { sizeOfTool } from "../derive/model/tool-size.ts";
import { describedServer } from "../modules/described-server.ts";
import { findModule } from "../modules/module-file.ts";
import { CommandError } from "../terminal/command-error.ts";
import { formatDiagnostics, reportDiagnostics } from "../terminal/diagnostic-report.ts";
import { explainUsage } from "../terminal/explain-usage.ts";
import { withDetails } from "../terminal/item-details.ts";
import { type Listing, listServer } from "../terminal/listing.ts";
import { formatListing } from "../terminal/listing-text.ts";
import { formatSettings } from "../terminal/settings-text.ts";
import { currentShell } from "../terminal/shell.ts";
import { formatSizes } from "../terminal/size-text.ts";
import { print, printJson, stylesFor } from "../terminal/terminal.ts";
import { Text } from "../terminal/text.ts";
import { whileDeriving } from "../terminal/while-deriving.ts";

/**
 * Prints the tools, prompts and resources of a module as clients see them, the sizes of the tools, and the diagnostics.
 * @throws {CommandError} after printing, if there is an error.
 */
export async function check(file: string, { json = false }: { json?: boolean }): Promise<void> {
  const module = findModule(file);
  const derivation = await whileDeriving(file, async () => {
    const { derive } = await import("../derive/index.ts");
    return derive(module);
  });
  const { diagnostics, settings } = derivation;
  const { listing, server } = await listModule(file, derivation);
  const sizes = listing.tools.map(sizeOfTool);
  if (json) printJson({ ...withDetails(listing, server), sizes, ...(settings && { settings }), diagnostics });
  else {
    const styles = stylesFor(currentShell().stdout);
    const parts = [
      formatListing(listing, styles, server),
      formatSettings(settings, styles),
      formatSizes(sizes, styles),
      formatDiagnostics(diagnostics, styles),
    ];
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

/** Lists a module. If that fails, the diagnostics are printed before the error, because they may have the reason. */
async function listModule(file: string, derivation: Derivation): Promise<{ listing: Listing; server: Server }> {
  try {
    const server = await explainUsage(describedServer(file, derivation));
    await explainUsage(showAllToolsets(server));
    return { listing: await explainUsage(listServer(server)), server };
  } catch (error) {
    if (error instanceof CommandError) reportDiagnostics(derivation.diagnostics);
    throw error;
  }
}
