import type { Server } from "proffer";
import type { Diagnostic, ItemSource, Place } from "../derive/index.ts";
import { deriveModule } from "../modules/derive-module.ts";
import { findBuiltFolder } from "../modules/module-file.ts";
import type { Listing } from "../terminal/listing.ts";
import { examineCost, readBudget } from "./examine-cost.ts";
import { examineParameters, examineSchemas } from "./examine-schemas.ts";
import { examineSkills } from "./examine-skills.ts";
import { examineTexts, stemOf, wordsOf } from "./examine-texts.ts";
import { type CheckCode, type Finding, findingAt, type ListedTool, type Offer } from "./finding.ts";

/** Reads a server as an editor would: its cost, its texts, its schemas and its code. Nothing is called. */
export function review(offer: Offer): Finding[] {
  return [...reviewInSteps(offer)].flat();
}

/** The same in steps, so that a caller may pause between them. */
export function* reviewInSteps(offer: Offer): Iterable<readonly Finding[]> {
  const budget = offer.module === undefined ? {} : readBudget(offer.module);
  const isInvalid = "level" in budget;
  if (isInvalid) yield [budget];
  yield examineCost(offer, isInvalid ? {} : budget);
  let isGood = true;
  for (const examine of [
    examineTexts,
    examineParameters,
    examineSchemas,
    examineCode,
    examineResources,
    examineSkills,
  ]) {
    const advice = examine(offer);
    isGood &&= advice.length === 0;
    yield advice;
  }
  // A built folder has no sources.
  const read = offer.sources.length === 0 ? "Texts, parameters and schemas" : "Texts, parameters, schemas and code";
  if (isGood) yield [{ level: "good", message: `${read} need no change for a model.` }];
}

/** Finds resources that a model never sees if its client can neither read resources nor be given a tool for them. */
function examineResources(offer: Offer): Finding[] {
  return (offer.missingTools ?? []).map(({ resource: { uri }, reason }) =>
    findingAt(offer, ["resource", uri], "PF4090", `${reason} Clients that cannot read resources do not see it.`),
  );
}

/** The listing with the schemas of the author: constraints in words are no description. */
export function asWritten(listing: Listing, server: Server): Listing {
  const tools = listing.tools.map((tool) => ({ ...tool, ...server.tools.get(tool.name)?.description }));
  return { ...listing, tools };
}

/** The facts that the code of a module adds to its lists. */
export interface ReadCode {
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: readonly ItemSource[];
}

/** The review has other findings for the notes of derivation, and for a missing comment. */
const REVIEWED = new Set(["PF2001"]);

/** Reads the code of a module, with its files and the places of its parts. A built folder has none. */
export async function readCode(file: string) {
  if (findBuiltFolder(file) !== undefined) return { diagnostics: [], sources: [], files: [], positions: () => [] };
  const { derivation, deriver } = await deriveModule(file);
  const { diagnostics, files } = derivation;
  const shown = diagnostics.filter(({ severity, code }) => severity !== "note" && !REVIEWED.has(code));
  return { diagnostics: shown, sources: deriver.sources(), files, positions: () => deriver.positions() };
}

/** Stems of verbs that change something outside. */
const CHANGES = new Set(
  "delete remove drop purge erase destroy wipe truncate overwrite send pay charge refund transfer publish deploy cancel kill"
    .split(" ")
    .map(stemOf),
);
/** Stems of verbs that only read. */
const READS = new Set("get list find search read show count describe fetch view look".split(" ").map(stemOf));
/** The places of one item that are named. */
const MAX_PLACES = 5;

/** Looks at annotations, and at code that a client notices. */
function examineCode(offer: Offer): Finding[] {
  return [
    ...offer.listing.tools.flatMap((tool) => examineAnnotations(offer, tool)),
    ...offer.sources.flatMap((source) => [...examineThrows(offer, source), ...examineRepeats(offer, source)]),
  ];
}

function examineAnnotations(offer: Offer, { name, annotations = {} }: ListedTool): Finding[] {
  const { readOnlyHint, destructiveHint } = annotations as { readOnlyHint?: boolean; destructiveHint?: boolean };
  // The verb is the first word, or the second after a group: orders_delete.
  const verbs = wordsOf(name).slice(0, 2).map(stemOf);
  const verb = verbs.find((word) => CHANGES.has(word));
  const report = (code: CheckCode, message: string) => [findingAt(offer, ["tool", name], code, message)];
  if (verb !== undefined && readOnlyHint === true)
    return report("PF4070", `${name} has readOnlyHint, and its name says that it changes something.`);
  if (verb !== undefined && readOnlyHint === undefined && destructiveHint === undefined)
    return report("PF4071", `${name} says by its name that it changes something, and has no annotation.`);
  const isReading = verb === undefined && READS.has(verbs[0] ?? "");
  if (isReading && destructiveHint === true && readOnlyHint !== true)
    return report("PF4072", `${name} has destructiveHint, and its name says that it only reads.`);
  return [];
}

function examineThrows(offer: Offer, source: ItemSource): Finding[] {
  const { kind, key, throws } = source;
  const reader = kind === "tool" ? "model" : "client";
  return at(offer, source, throws, "PF4060", `${key} throws an error whose message no ${reader} will read.`);
}

function examineRepeats(offer: Offer, source: ItemSource): Finding[] {
  const { kind, key, repeats } = source;
  const tool = kind === "tool" ? offer.listing.tools.find(({ name }) => name === key) : undefined;
  if ((tool?.annotations as { readOnlyHint?: boolean } | undefined)?.readOnlyHint === true || kind === "resource")
    return [];
  return at(
    offer,
    source,
    repeats,
    "PF4080",
    `${key} awaits something before a question, and does it again in each round.`,
  );
}

function at(
  offer: Offer,
  { kind, key }: ItemSource,
  places: readonly Place[],
  code: CheckCode,
  message: string,
): Finding[] {
  const finding = findingAt(offer, [kind, key], code, message);
  return places.slice(0, MAX_PLACES).map(({ file, line }) => ({ ...finding, file, line }));
}
