import { findMissingTools } from "proffer/derived";
import type { Choice } from "proffer/flags";
import type { Loss, Profile } from "proffer/profiles";
import { type ChoiceFlags, profilesOf, showChosen, toChoice } from "../client/choice-flags.ts";
import type { Diagnostic } from "../derive/index.ts";
import { examineClients, examineListing, formatClients, lossesOf } from "../doctor/examine-clients.ts";
import { examineLoad, examineStart } from "../doctor/examine-start.ts";
import { type Finding, formatFinding } from "../doctor/finding.ts";
import { asWritten, readCode } from "../doctor/offer.ts";
import { review } from "../doctor/review.ts";
import { toLaunch } from "../install/launch.ts";
import { openServer } from "../modules/load.ts";
import { CommandError, explainUsage } from "../terminal/command-error.ts";
import { listServer } from "../terminal/listing.ts";
import { redact } from "../terminal/redact.ts";
import { currentShell, fromHere } from "../terminal/shell.ts";
import { print, printJson, stylesFor } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";

/** The oldest supported version of Node. */
const NODE = [20, 19] as const;

interface DoctorFlags extends ChoiceFlags {
  readonly json?: boolean;
  /** The ids of client profiles, separated by commas. */
  readonly client?: string;
}

interface Examined {
  readonly findings: readonly Finding[];
  readonly losses: readonly Loss[];
}

/**
 * Looks for common problems of servers and prints a fix for each.
 * @throws {CommandError} after printing, if a check fails.
 */
export async function doctor(file: string, { json = false, client, ...flags }: DoctorFlags): Promise<void> {
  const choice = toChoice(flags);
  const profiles = client === undefined ? undefined : profilesOf("--client", client);
  const { findings: found, losses } = await examineModule(file, profiles, choice);
  const findings = [examineNode(process.versions.node), ...found.map(withoutSecrets)];
  const styles = stylesFor(currentShell().stdout);
  if (json) printJson(findings);
  else {
    const table = profiles === undefined && losses.length > 0 ? [text``, formatClients(losses, styles)] : [];
    print(Text.join([...findings.map((finding) => formatFinding(finding, styles)), ...table], "\n"));
  }
  const errors = findings.filter(({ level }) => level === "error").length;
  if (errors > 0) throw new CommandError(`${file} has ${errors === 1 ? "a problem" : `${errors} problems`}.`);
}

/** A finding may quote the output of the server. */
function withoutSecrets(finding: Finding): Finding {
  return { ...finding, message: redact(finding.message) };
}

async function examineModule(
  file: string,
  profiles: readonly Profile[] | undefined,
  choice: Choice | undefined,
): Promise<Examined> {
  try {
    const { server, prepared } = await openServer(file);
    if (choice !== undefined) await explainUsage(showChosen(server, choice));
    const loaded = prepared?.url === undefined ? [] : await examineLoad(prepared.url);
    const started = await examineStart(toLaunch(file, false, {}));
    const listing = await listServer(server);
    const { diagnostics, sources } = await readCode(file);
    const losses = lossesOf(server.info.name, listing, profiles);
    const listed = [...examineListing(listing), ...examineClients(losses, profiles !== undefined)];
    const findings = [
      ...diagnostics.map(toFinding),
      ...loaded,
      ...started,
      ...(listed.length > 0 ? listed : [ACCEPTED]),
      ...review({
        listing,
        written: asWritten(listing, server),
        sources,
        missingTools: await findMissingTools(server),
        module: fromHere(file),
      }),
    ];
    return { findings, losses };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { findings: [{ level: "error", message: error.message }], losses: [] };
  }
}

const ACCEPTED: Finding = {
  level: "good",
  message: "Names, schemas and descriptions are accepted by all known clients.",
};

function toFinding({ severity, code, file, line, message }: Diagnostic): Finding {
  return { level: severity === "error" ? "error" : "warning", code, file, line, message };
}

function examineNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < NODE[0] || (major === NODE[0] && minor < NODE[1]);
  if (!isOld) return { level: "good", message: `Node ${version}.` };
  return { level: "error", message: `Node ${version} is too old.`, remedy: `Install Node ${NODE.join(".")} or newer.` };
}
