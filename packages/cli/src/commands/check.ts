import type { Server } from "proffer";
import type { ManifestSettings } from "proffer/derived";
import { isRequired, isSecret } from "proffer/settings";
import { showChosen } from "../client/choice-flags.ts";
import type { Derivation } from "../derive/index.ts";
import { sizeOfTool, type ToolSize } from "../derive/model/tool-size.ts";
import { whileDescribing } from "../describe/describing.ts";
import { refusePlaceholders } from "../describe/placeholders.ts";
import { examineSkills, skillsOf } from "../doctor/examine-skills.ts";
import { type Finding, formatFinding } from "../doctor/finding.ts";
import { deriveModule } from "../modules/derive-module.ts";
import { describedServer, listServer } from "../modules/load.ts";
import { CommandError, explainUsage } from "../terminal/command-error.ts";
import { formatDiagnostics, reportDiagnostics } from "../terminal/diagnostic-report.ts";
import { formatTable, type TableRow } from "../terminal/layout.ts";
import { formatListing, type Listing, withDetails } from "../terminal/listing.ts";
import { currentShell, fromHere } from "../terminal/shell.ts";
import { print, printJson, type Styles, stylesFor } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";

export interface CheckFlags {
  readonly json?: boolean;
  /** `name=value`: variables for a module that does not accept placeholders. */
  readonly env?: readonly string[];
}

/**
 * Prints the tools, prompts and resources of a module as clients see them, the sizes of the tools, and the diagnostics.
 * @throws {CommandError} after printing, if there is an error.
 */
export async function check(file: string, { json = false, env = [] }: CheckFlags): Promise<void> {
  const { derivation } = await deriveModule(file);
  const { diagnostics, settings } = derivation;
  const { listing, server, findings } = await whileDescribing(env, () => listModule(file, derivation));
  const sizes = listing.tools.map(sizeOfTool);
  if (json)
    printJson({
      ...withDetails(listing, server),
      sizes,
      ...(settings && { settings }),
      diagnostics,
      ...(findings.length > 0 && { findings }),
    });
  else {
    const styles = stylesFor(currentShell().stdout);
    const parts = [
      formatListing(listing, styles, server),
      formatSettings(settings, styles),
      formatSizes(sizes, styles),
      formatDiagnostics(diagnostics, styles),
      Text.join(
        findings.map((finding) => formatFinding(finding, styles)),
        "\n",
      ),
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

interface Listed {
  readonly listing: Listing;
  readonly server: Server;
  /** About its skills: their texts are no code, so derivation does not see them. */
  readonly findings: readonly Finding[];
}

/** Lists a module. If that fails, the diagnostics are printed before the error, because they may have the reason. */
async function listModule(file: string, derivation: Derivation): Promise<Listed> {
  try {
    const server = await explainUsage(describedServer(file, derivation));
    await explainUsage(showChosen(server, undefined));
    const listing = await explainUsage(listServer(server));
    refusePlaceholders(listing, derivation.settings);
    const offer = { listing, written: listing, sources: [], module: fromHere(file), skilled: await skillsOf(server) };
    return { listing, server, findings: examineSkills(offer) };
  } catch (error) {
    if (error instanceof CommandError) reportDiagnostics(derivation.diagnostics);
    throw error;
  }
}

/** Formats the settings of a module, a line for each. Empty without settings. */
function formatSettings(settings: ManifestSettings | undefined, { bold, dim, cyan }: Styles): Text {
  if (settings === undefined) return text``;
  const lines = Object.entries(settings.properties).map(([name, setting]) => {
    const facts = [
      isRequired(settings, name) ? "required" : "optional",
      ...(isSecret(setting) ? ["secret"] : []),
      ...(setting.default === undefined ? [] : [`default ${JSON.stringify(setting.default)}`]),
    ];
    const [description = ""] = setting.description?.split("\n") ?? [];
    return text`  ${cyan(name)}  ${dim(facts.join(", "))}${description === "" ? "" : `  ${description}`}`;
  });
  return Text.join([bold("Settings"), ...lines], "\n");
}

/** Formats the sizes of tools, an aligned line for each, the largest first. Empty without tools. */
export function formatSizes(sizes: readonly ToolSize[], styles: Styles): Text {
  const sorted = [...sizes].sort((a, b) => b.bytes - a.bytes);
  const rows = sorted.map(
    ({ name, bytes, tokens, depth, recursive }): TableRow => [
      name,
      bytes.toLocaleString("en-US"),
      `~${tokens.toLocaleString("en-US")}`,
      `${depth}${recursive ? "+" : ""}`,
    ],
  );
  return formatTable("Sizes", ["bytes", "tokens", "depth"], rows, styles);
}
