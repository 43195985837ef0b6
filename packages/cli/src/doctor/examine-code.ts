import type { ItemSource, Place } from "../derive/index.ts";
import type { CheckCode, Finding } from "./finding.ts";
import { findingAt, itemOf, type ListedTool, type Offer } from "./offer.ts";
import { stemOf, wordsOf } from "./words.ts";

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
export function examineCode(offer: Offer): Finding[] {
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
  const report = (code: CheckCode, message: string, remedy: string) => [
    findingAt(offer, ["tool", name], code, message, remedy),
  ];
  if (verb !== undefined && readOnlyHint === true)
    return report(
      "PF4070",
      `${name} has readOnlyHint, and its name says that it changes something.`,
      "Remove @readOnly, or rename the tool.",
    );
  if (verb !== undefined && readOnlyHint === undefined && destructiveHint === undefined)
    return report(
      "PF4071",
      `${name} says by its name that it changes something, and has no annotation.`,
      "Add @destructive, or @destructive false if nothing is lost. Clients ask the user by it.",
    );
  if (
    verbs[0] !== undefined &&
    READS.has(verbs[0]) &&
    verb === undefined &&
    destructiveHint === true &&
    readOnlyHint !== true
  )
    return report(
      "PF4072",
      `${name} has destructiveHint, and its name says that it only reads.`,
      "Write @readOnly instead, or rename the tool.",
    );
  return [];
}

function examineThrows(offer: Offer, { kind, key, throws }: ItemSource): Finding[] {
  return at(throws, {
    item: itemOf(offer, kind, key),
    code: "PF4060",
    message: `${key} throws an error whose message no ${kind === "tool" ? "model" : "client"} will read.`,
    remedy: 'Throw a ToolError with a message that helps, return fail("…"), or set errors of the server.',
  });
}

function examineRepeats(offer: Offer, { kind, key, repeats }: ItemSource): Finding[] {
  const tool = kind === "tool" ? offer.listing.tools.find(({ name }) => name === key) : undefined;
  if ((tool?.annotations as { readOnlyHint?: boolean } | undefined)?.readOnlyHint === true || kind === "resource")
    return [];
  return at(repeats, {
    item: itemOf(offer, kind, key),
    code: "PF4080",
    message: `${key} awaits something before a question, and does it again in each round.`,
    remedy: "Put it in ctx.step(name, work) if it changes anything, or mark the tool @readOnly.",
  });
}

function at(places: readonly Place[], found: Omit<Finding, "level" | "file" | "line">): Finding[] {
  return places.slice(0, MAX_PLACES).map(({ file, line }) => ({ level: "warning", file, line, ...found }));
}
