import type { JsonSchema, JsonSchemaObject, Server } from "proffer";
import type { MissingTool } from "proffer/derived";
import type { Diagnostic, ItemPositions, ItemSource, Place } from "../derive/index.ts";
import { deriveModule } from "../modules/derive-module.ts";
import { findBuiltFolder } from "../modules/module-file.ts";
import type { Listing } from "../terminal/listing.ts";
import type { CheckCode, Finding, FoundItem } from "./finding.ts";

export type ListedTool = Listing["tools"][number];

/** A server as a model sees it, and its code. */
export interface Offer {
  readonly listing: Listing;
  /** The same with the schemas of the author: constraints in words, which lists add, are no description. */
  readonly written: Listing;
  readonly sources: readonly ItemSource[];
  /** The resources without a free name for their tool; absent for a server of others. */
  readonly missingTools?: readonly MissingTool[];
  /** The place of items whose code was not found; absent for a server of others. */
  readonly module?: string;
}

/** Returns the code of an item. */
export function sourceOf({ sources }: Offer, kind: ItemSource["kind"], key: string): ItemSource | undefined {
  return sources.find((source) => source.kind === kind && source.key === key);
}

/** Creates the finding of a check at the code of an item. */
export function findingAt(
  offer: Offer,
  [kind, key]: readonly [ItemSource["kind"], string],
  code: CheckCode,
  message: string,
  remedy: string,
): Finding {
  const { file, line }: Pick<Partial<Place>, "file" | "line"> = sourceOf(offer, kind, key) ?? moduleOf(offer);
  const place = file === undefined || line === undefined ? {} : { file, line };
  return { level: "warning", code, ...place, item: itemOf(offer, kind, key), message, remedy };
}

function moduleOf({ module }: Offer): Partial<Place> {
  return module === undefined ? {} : { file: module, line: 1 };
}

/** Names an item as its list does: code has resources only, and lists have templates too. */
export function itemOf({ listing }: Pick<Offer, "listing">, kind: ItemSource["kind"], key: string): FoundItem {
  const isTemplate = kind === "resource" && listing.resourceTemplates.some(({ uriTemplate }) => uriTemplate === key);
  return { kind: isTemplate ? "template" : kind, key };
}

/** The parameters of a tool by name. */
export function parametersOf({ inputSchema }: ListedTool): [string, JsonSchemaObject][] {
  const { properties = {} } = inputSchema as JsonSchemaObject;
  return Object.entries(properties).map(([name, schema]) => [name, toObject(schema)]);
}

function toObject(schema: JsonSchema): JsonSchemaObject {
  return typeof schema === "object" ? schema : {};
}

/** The listing with the schemas of the author: constraints in words are no description. */
export function asWritten(listing: Listing, server: Server): Listing {
  const tools = listing.tools.map((tool) => ({ ...tool, ...server.tools.get(tool.name)?.description }));
  return { ...listing, tools };
}

/** What the code of a module adds to its lists. */
export interface ReadCode {
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: readonly ItemSource[];
}

/** The code of a module, with what the inspector shows of it. */
interface SourceCode extends ReadCode {
  /** The files of the author, absolute. */
  readonly files: readonly string[];
  /** Where the parts of the items come from. */
  positions(): readonly ItemPositions[];
}

/** A note of derivation is a finding of its own, and so is a missing comment. */
const REVIEWED = new Set(["PF2001"]);

/** Reads the code of a module. A built folder has none. */
export async function readCode(file: string): Promise<SourceCode> {
  if (findBuiltFolder(file) !== undefined) return { diagnostics: [], sources: [], files: [], positions: () => [] };
  const { derivation, deriver } = await deriveModule(file);
  const { diagnostics, files } = derivation;
  const shown = diagnostics.filter(({ severity, code }) => severity !== "note" && !REVIEWED.has(code));
  return { diagnostics: shown, sources: deriver.sources(), files, positions: () => deriver.positions() };
}
