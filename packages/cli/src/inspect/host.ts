import { basename } from "node:path";
import { setImmediate as pause } from "node:timers/promises";
import {
  ApiProblem,
  type ClientProfile,
  type ClientProfiles,
  type CommandTarget,
  type CopiedText,
  type CopyTarget,
  type InspectorFinding,
  type InspectorHost,
  type ItemKind,
  type JsonObject,
  type ModelView,
  type Offer,
} from "@proffer/inspector";
import type { Server } from "proffer";
import { HeaderParams, headersFor } from "proffer/client";
import { profileOf, tokensOf } from "proffer/derived";
import { bytesOf } from "../derive/model/tool-size.ts";
import { examineClients, examineListing } from "../doctor/examine-clients.ts";
import { costOf, costParts } from "../doctor/examine-cost.ts";
import { skillsOf } from "../doctor/examine-skills.ts";
import { type Finding, toFinding } from "../doctor/finding.ts";
import { asWritten, type ReadCode, reviewInSteps } from "../doctor/review.ts";
import { CLIENT_NAMES, CLIENTS, type ClientName } from "../install/clients.ts";
import { EDITS } from "../install/config-file.ts";
import { toLaunch } from "../install/launch.ts";
import { entryOf } from "../modules/copies.ts";
import { ownVersion, toServerName } from "../modules/packages.ts";
import { type Loss, viewEach } from "../profiles/losses.ts";
import type { Profile } from "../profiles/profile.ts";
import { findProfile, PROFILES } from "../profiles/table.ts";
import type { WireRecord } from "../recordings/record.ts";
import { warnOfSecrets, writeRecording } from "../recordings/recording.ts";
import { saveCall } from "../recordings/saved-call.ts";
import { CommandError } from "../terminal/command-error.ts";
import { defined } from "../terminal/json.ts";
import type { Listing } from "../terminal/listing.ts";
import { passOn } from "../terminal/terminal.ts";
import { Text } from "../terminal/text.ts";
import type { ModuleSource } from "./module-source.ts";

export interface HostOptions extends Pick<InspectorHost, "target" | "links" | "trace" | "history"> {
  readonly record: WireRecord;
  /** The target as commands name it; absent for a recording. */
  readonly command?: CommandTarget;
  /** The address of the server, once it is known. */
  readonly address?: () => string | undefined;
  /** The absolute path of the module of a server, and how to read its code. */
  readonly module?: { readonly file: string; readonly server: Server; readCode(): Promise<ReadCode> };
  /** The code of the module, if its items come from code that can be shown. */
  readonly source?: ModuleSource | undefined;
}

/** Hands the inspector everything that it needs of this command line. */
export function createHost(options: HostOptions): InspectorHost {
  const { target, record, command, module, source, address = () => undefined } = options;
  return {
    version: ownVersion(),
    target,
    record,
    links: options.links,
    trace: options.trace,
    history: options.history,
    code: source,
    profiles: PROFILES_OF_CLIENTS,
    copying: command && createCopying(command, address),
    ...(module && { saveCall: (name, draft) => refuse(() => saveCall(module.file, name, draft)) }),
    findProblems: (offer) => findProblems(offer, options),
    costOf(tool) {
      const listed = tool as unknown as Parameters<typeof costOf>[0];
      const { tokens, output } = costOf(listed);
      return { tokens: tokens - output, output, parts: costParts(listed) };
    },
    exportRecord: (server) => ({
      text: writeRecording({ target, ...server, lanes: [...record.lanes()] }, record.messages()),
      warnings: warnOfSecrets(record.messages()),
    }),
    showOutput: (text) => passOn(Text.block(text)),
  };
}

/** The page shows the message of a command that fails. */
function refuse<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw error instanceof CommandError ? new ApiProblem(400, "refused", error.message) : error;
  }
}

/** A server of others may list thousands of items, with schemas of megabytes: of each kind, the first are examined. */
const MAX_EXAMINED = 500;
const MAX_EXAMINED_BYTES = 1024 * 1024;
/** More help nobody, and the page keeps them all. */
const MAX_FINDINGS = 5000;

/**
 * Finds the problems that `doctor` would find in the lists of a server. Nothing is started or called. Other requests of
 * the page are served meanwhile.
 */
async function findProblems(offer: Offer, { module, source }: HostOptions): Promise<InspectorFinding[]> {
  const items = takeFirst(offer.items);
  const listing = toListing({ items });
  const { diagnostics, sources } = (await module?.readCode()) ?? { diagnostics: [], sources: [] };
  const own = module && {
    written: asWritten(listing, module.server),
    missingTools: await (await entryOf(module.server, "proffer/process")).findMissingTools(module.server),
    skilled: await skillsOf(module.server),
    module: module.file,
  };
  const losses: Loss[][] = [];
  for (const profile of PROFILES) {
    for (const view of viewEach(profile, offer.server.name, listing.tools)) {
      losses.push([...view.losses]);
      await pause();
    }
  }
  const steps: (readonly Finding[])[] = [diagnostics.map(toFinding), examineListing(listing)];
  steps.push(examineClients(losses.flat(), false));
  for (const step of reviewInSteps({ listing, written: listing, sources, ...own })) {
    steps.push(step);
    await pause();
  }
  const findings = steps.flat();
  const shown = findings.slice(0, MAX_FINDINGS).map((finding) => toPage(finding, source));
  const warn = (message: string) => void shown.unshift({ level: "warning", message });
  if (findings.length > shown.length) warn(`Only the first ${MAX_FINDINGS} of ${findings.length} findings are shown.`);
  if (items.length < offer.items.length)
    warn(`Only ${items.length} of ${offer.items.length} items were examined, because the lists are so large.`);
  return shown;
}

/** Returns the items that are examined. */
function takeFirst(items: Offer["items"]): Offer["items"] {
  const counts = new Map<ItemKind, number>();
  let bytes = 0;
  return items.filter(({ kind, description }) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (count > MAX_EXAMINED || bytes > MAX_EXAMINED_BYTES) return false;
    bytes += bytesOf(description);
    return bytes <= MAX_EXAMINED_BYTES;
  });
}

/** The lists of an offer, as the commands have them. */
function toListing({ items }: Pick<Offer, "items">): Listing {
  const all = (kind: ItemKind) => items.filter((item) => item.kind === kind).map((item) => item.description) as never;
  return {
    tools: all("tool"),
    prompts: all("prompt"),
    resources: all("resource"),
    resourceTemplates: all("template"),
  };
}

/** Without the absolute path of a file: the page knows files by their index. */
function toPage({ level, message, remedy, code, item, file, line }: Finding, source?: ModuleSource): InspectorFinding {
  const index = file === undefined ? undefined : source?.indexOf(file);
  return {
    level,
    message: file === undefined ? message : message.replaceAll(file, basename(file)),
    ...defined({ remedy, code, item }),
    ...(index !== undefined && line !== undefined && { place: { file: index, line } }),
  };
}

const PROFILES_OF_CLIENTS: ClientProfiles = {
  ids: PROFILES.map(({ id }) => id),
  find(client) {
    const id = typeof client === "string" ? client : profileOf(client)?.id;
    return PROFILES.some((profile) => profile.id === id) ? toClientProfile(findProfile(id as string)) : undefined;
  },
};

function toClientProfile(profile: Profile): ClientProfile {
  return {
    title: profile.title,
    revision: profile.revision?.value,
    readsResources: profile.resources?.value !== false,
    viewTools: (offer, only) => viewTools(profile, offer, only),
  };
}

/** Returns the views that the model of a client gets of the tools, by their names. */
async function viewTools(profile: Profile, offer: Offer, only?: string): Promise<ReadonlyMap<string, ModelView>> {
  const { title: client } = profile;
  const views = new Map<string, ModelView>();
  for (const { tool, losses, seen } of viewEach(profile, offer.server.name, toListing(offer).tools, only)) {
    const lost = losses.map(({ effect, what }) => `${client} ${effect} ${what}`);
    const { original: _, ...declaration } = seen ?? {};
    views.set(tool, {
      client,
      losses: lost,
      ...(seen && { declaration: declaration as unknown as JsonObject, tokens: tokensOf(bytesOf(declaration)) }),
    });
    await pause();
  }
  return views;
}

/** Writes configurations and headers for a target. */
export function createCopying(target: CommandTarget, address: () => string | undefined): CopyTarget {
  return {
    target,
    address,
    toConfiguration: (client, serverName) => refuse(() => toConfiguration(target, client, serverName)),
    toHeaders(message, tools) {
      const params = new HeaderParams();
      params.learn({ result: { tools } });
      return headersFor(message as never, params);
    },
  };
}

/** The entries of clients that connect to an address. */
const BY_ADDRESS: { readonly [Name in ClientName]?: (url: string) => object } = {
  "claude-code": (url) => ({ type: "http", url }),
  vscode: (url) => ({ type: "http", url }),
  cursor: (url) => ({ url }),
};

/** Writes the configuration of a client that uses the server. @throws {CommandError} if the client cannot. */
function toConfiguration(target: CommandTarget, client: string, serverName: string): CopiedText {
  const known = CLIENT_NAMES.find((each) => each === client);
  if (known === undefined) {
    throw new CommandError(`Unknown client ${JSON.stringify(client)}. Use one of ${CLIENT_NAMES.join(", ")}.`);
  }
  const { title, format, section, toEntry } = CLIENTS[known];
  const name = toServerName(serverName) || "server";
  if (target.kind === "url") {
    const entry = BY_ADDRESS[known]?.(target.url);
    if (entry === undefined) throw new CommandError(`${title} is configured with a command here, not with an address.`);
    return { text: EDITS[format].write("", section, name, entry), language: format };
  }
  const [command = "", ...args] = target.kind === "command" ? target.command : [];
  const launch = target.kind === "module" ? toLaunch(target.file, false, {}) : { command, args, env: {} };
  return { text: EDITS[format].write("", section, name, toEntry(launch, name)), language: format };
}
