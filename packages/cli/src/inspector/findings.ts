import { basename } from "node:path";
import type { Server } from "proffer";
import { findMissingTools } from "proffer/derived";
import { examineClients, lossesOf } from "../doctor/examine-clients.ts";
import { examineListing } from "../doctor/examine-listing.ts";
import type { Finding } from "../doctor/finding.ts";
import { asWritten } from "../doctor/offer.ts";
import type { ReadCode } from "../doctor/read-code.ts";
import { review } from "../doctor/review.ts";
import type { Listing } from "../terminal/listing.ts";
import type { Places } from "./connections/offer.ts";
import type { InspectorFinding } from "./protocol/api.ts";
import type { ItemKind, Offer } from "./protocol/offer.ts";

/** The module of a server, and how to read its code. */
export interface InspectedModule {
  /** An absolute path. */
  readonly file: string;
  readonly server: Server;
  readCode(): Promise<ReadCode>;
}

/** Finds what `doctor` would find in what a server offers. Nothing is started or called. */
export async function findProblems(
  offer: Offer,
  module: InspectedModule | undefined,
  places: Places | undefined,
): Promise<InspectorFinding[]> {
  const listing = toListing(offer);
  const { diagnostics, sources } = (await module?.readCode()) ?? { diagnostics: [], sources: [] };
  const own = module && {
    written: asWritten(listing, module.server),
    missingTools: await findMissingTools(module.server),
    module: module.file,
  };
  const findings: Finding[] = [
    ...diagnostics.map(({ severity, code, file, line, message }): Finding => {
      return { level: severity === "error" ? "error" : "warning", code, file, line, message };
    }),
    ...examineListing(listing),
    ...examineClients(lossesOf(offer.server.name, listing), false),
    ...review({ listing, written: listing, sources, ...own }),
  ];
  return findings.map((finding) => toPage(finding, places));
}

/** The lists of an offer, as the commands have them. */
export function toListing({ items }: Offer): Listing {
  const all = (kind: ItemKind) => items.filter((item) => item.kind === kind).map((item) => item.description) as never;
  return {
    tools: all("tool"),
    prompts: all("prompt"),
    resources: all("resource"),
    resourceTemplates: all("template"),
  };
}

/** Without the absolute path of a file: the page knows files by their index. */
function toPage({ level, message, remedy, code, item, file, line }: Finding, places?: Places): InspectorFinding {
  const index = file === undefined ? undefined : places?.indexOf(file);
  return {
    level,
    message: file === undefined ? message : message.replaceAll(file, basename(file)),
    ...(remedy !== undefined && { remedy }),
    ...(code !== undefined && { code }),
    ...(item !== undefined && { item }),
    ...(index !== undefined && line !== undefined && { place: { file: index, line } }),
  };
}
