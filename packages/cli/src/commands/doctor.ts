import type { ManifestSettings } from "proffer/derived";
import type { Choice } from "proffer/process";
import { isRequired } from "proffer/settings";
import { nameOfTarget, type Target, type TargetArguments } from "../client/arguments.ts";
import { profilesOf, showChosen, toChoice } from "../client/choice-flags.ts";
import { type TalkFlags, withServer } from "../client/connect-target.ts";
import { toHeaders } from "../client/headers.ts";
import {
  describingArguments,
  hideSecrets,
  parseVariables,
  whileDescribing,
  withVariables,
} from "../describe/describing.ts";
import { refusePlaceholders } from "../describe/placeholders.ts";
import { examineClients, examineListing, formatClients, lossesOf } from "../doctor/examine-clients.ts";
import { skillsOf } from "../doctor/examine-skills.ts";
import { examineLoad, examineStart } from "../doctor/examine-start.ts";
import { type Finding, formatFinding, toFinding } from "../doctor/finding.ts";
import { asWritten, readCode, review } from "../doctor/review.ts";
import { toLaunch } from "../install/launch.ts";
import { entryOf } from "../modules/copies.ts";
import { describeModule, listServer, openServer } from "../modules/load.ts";
import type { Loss } from "../profiles/losses.ts";
import type { Profile } from "../profiles/profile.ts";
import { CommandError, explainUsage, WrongUsage } from "../terminal/command-error.ts";
import { type Listing, listAll } from "../terminal/listing.ts";
import { redact } from "../terminal/redact.ts";
import { currentShell, fromHere } from "../terminal/shell.ts";
import { print, printJson, stylesFor } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";

/** The oldest supported version of Node. */
const NODE = [20, 19] as const;

interface DoctorFlags extends TalkFlags {
  /** The ids of client profiles, separated by commas. */
  readonly client?: string;
  /** `name=value`: variables for the server. */
  readonly env?: readonly string[];
}

/**
 * Looks for common problems of servers and prints a fix for each.
 * @throws {CommandError} after printing, if a check fails.
 */
export async function doctor({ target }: TargetArguments, { json = false, ...flags }: DoctorFlags): Promise<void> {
  const profiles = flags.client === undefined ? undefined : profilesOf("--client", flags.client);
  const { findings: found, losses } = await examine(target, profiles, flags);
  // A finding may quote the output of the server.
  const hidden = found.map((finding) => ({ ...finding, message: redact(finding.message) }));
  const findings = [examineNode(process.versions.node), ...hidden];
  const styles = stylesFor(currentShell().stdout);
  if (json) printJson(findings);
  else {
    const table = profiles === undefined && losses.length > 0 ? [text``, formatClients(losses, styles)] : [];
    print(Text.join([...findings.map((finding) => formatFinding(finding, styles)), ...table], "\n"));
  }
  const errors = findings.filter(({ level }) => level === "error").length;
  const name = nameOfTarget(target);
  if (errors > 0) throw new CommandError(`${name} has ${errors === 1 ? "a problem" : `${errors} problems`}.`);
}

interface Examined {
  readonly findings: readonly Finding[];
  readonly losses: readonly Loss[];
}

async function examine(
  target: Target,
  profiles: readonly Profile[] | undefined,
  { env = [], ...flags }: DoctorFlags,
): Promise<Examined> {
  const choice = toChoice(flags, target);
  // Refuses headers for a module.
  toHeaders(flags, target);
  if (target.kind !== "module" && env.length > 0)
    throw new WrongUsage("--env applies to a module. Set the variables of a command in front of proffer.");
  try {
    return await (target.kind === "module"
      ? examineModule(target.file, profiles, choice, env)
      : examineOther(target, profiles, flags));
  } catch (error) {
    if (!(error instanceof CommandError) || error instanceof WrongUsage) throw error;
    return { findings: [{ level: "error", message: error.message }], losses: [] };
  }
}

/** A server of others may list anything. */
const MAX_EXAMINED = 500;
const MAX_EXAMINED_BYTES = 1024 * 1024;

/** Examines the lists of a server at a URL, or of a command, which is started twice: as a process, and for its lists. */
async function examineOther(
  target: Exclude<Target, { kind: "module" }>,
  profiles: readonly Profile[] | undefined,
  flags: TalkFlags,
): Promise<Examined> {
  const [command = "", ...args] = target.kind === "command" ? target.command : [];
  const started = target.kind === "command" ? await examineStart({ command, args, env: {} }) : [];
  // A server that does not start has no other finding.
  if (started.length === 1) return { findings: started, losses: [] };
  const { name, all } = await withServer(target, flags, async (server) => ({
    name: server.serverInfo.name,
    all: await listAll(server, server.capabilities),
  }));
  let bytes = 0;
  let left = 0;
  const first = <Item extends object>(items: readonly Item[]) =>
    items.filter((item, index) => {
      bytes += JSON.stringify(item).length;
      const isFirst = index < MAX_EXAMINED && bytes < MAX_EXAMINED_BYTES;
      if (!isFirst) left += 1;
      return isFirst;
    });
  const listing: Listing = {
    tools: first(all.tools),
    prompts: first(all.prompts),
    resources: first(all.resources),
    resourceTemplates: first(all.resourceTemplates),
  };
  const losses = lossesOf(name, listing, profiles);
  const cut = `${left} items were not examined, because the lists are so large.`;
  const findings = [
    ...started,
    ...examineLists(listing, losses, profiles),
    ...(left > 0 ? [{ level: "warning" as const, message: cut }] : []),
    ...review({ listing, written: listing, sources: [] }),
  ];
  return { findings, losses };
}

function examineLists(listing: Listing, losses: readonly Loss[], profiles: readonly Profile[] | undefined): Finding[] {
  const found = [...examineListing(listing), ...examineClients(losses, profiles !== undefined)];
  return found.length > 0 ? found : [ACCEPTED];
}

async function examineModule(
  file: string,
  profiles: readonly Profile[] | undefined,
  choice: Choice | undefined,
  env: readonly string[],
): Promise<Examined> {
  const given = parseVariables(env);
  const { settings } = await describeModule(file);
  const variables = { ...currentShell().env, ...given };
  hideSecrets(settings, variables);
  const missing = missingSettings(settings, variables);
  const open = () => openServer(file);
  const { server, prepared } = await (missing.length > 0 ? whileDescribing : withVariables)(env, open);
  if (choice !== undefined) await explainUsage(showChosen(server, choice));
  const nodeArguments = missing.length > 0 ? describingArguments() : [];
  const loaded = prepared?.url === undefined ? [] : await examineLoad(prepared.url, nodeArguments, given);
  const { command, args } = toLaunch(file, false, {});
  const started = await examineStart({ command, args: [...nodeArguments, ...args], env: given });
  const listing = await listServer(server);
  if (missing.length > 0) refusePlaceholders(listing, settings);
  const { diagnostics, sources } = await readCode(file);
  const losses = lossesOf(server.info.name, listing, profiles);
  const findings = [
    ...diagnostics.map(toFinding),
    ...loaded,
    ...started,
    ...(missing.length > 0 ? [{ level: "good" as const, message: describedOnly(missing) }] : []),
    ...examineLists(listing, losses, profiles),
    ...review({
      listing,
      written: asWritten(listing, server),
      sources,
      missingTools: await (await entryOf(server, "proffer/process")).findMissingTools(server),
      skilled: await skillsOf(server),
      module: fromHere(file),
    }),
  ];
  return { findings, losses };
}

/** Returns the names of the required settings that have no value. */
function missingSettings(settings: ManifestSettings | undefined, env: NodeJS.ProcessEnv): string[] {
  if (settings === undefined) return [];
  return Object.keys(settings.properties).filter((name) => isRequired(settings, name) && !env[name]?.trim());
}

const describedOnly = (missing: readonly string[]): string =>
  `Without a value of ${missing.join(", ")}, the server was only described: with placeholders, and without onStart.`;

const ACCEPTED: Finding = {
  level: "good",
  message: "Names, schemas and descriptions are accepted by all known clients.",
};

function examineNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < NODE[0] || (major === NODE[0] && minor < NODE[1]);
  if (!isOld) return { level: "good", message: `Node ${version}.` };
  return { level: "error", message: `Node ${version} is too old.`, remedy: `Install Node ${NODE.join(".")} or newer.` };
}
