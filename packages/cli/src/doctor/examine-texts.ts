import type { ItemSource } from "../derive/index.ts";
import { type CheckCode, type Finding, findingAt, type Offer } from "./finding.ts";

const MAX_FIRST_LINE = 120;
/** In bytes of UTF-8. */
const MAX_DESCRIPTION = 2048;
/** Tools that share more of their stems are hard to tell apart. */
const OVERLAP = 0.6;
/** Fewer words do not say enough to compare them. */
const MIN_STEMS = 3;
/** Many tools that are made alike would fill the screen. */
const MAX_PAIRS = 20;
/** Each is compared with all others. */
const MAX_COMPARED = 500;
/** A text that begins so names the tool, and not its effect. */
const NO_VERB =
  /^(?:an?|the|this|that|these|it|its|here|there|tool|function|method|helper|utility|use|used|when|if|for)\b/i;

type Described = readonly [kind: ItemSource["kind"], key: string, name: string, description: string | undefined];

/** Looks at the texts that a model reads to choose a tool. */
export function examineTexts(offer: Offer): Finding[] {
  const { tools, prompts, resources, resourceTemplates } = offer.listing;
  const described: Described[] = [
    ...tools.map(({ name, description }): Described => ["tool", name, name, description]),
    ...prompts.map(({ name, description }): Described => ["prompt", name, name, description]),
    ...resources
      .filter(({ uri }) => offer.sources.some(({ key }) => key === uri))
      .map(({ uri, name, description }): Described => ["resource", uri, name, description]),
    ...resourceTemplates.map(
      ({ uriTemplate, name, description }): Described => ["resource", uriTemplate, name, description],
    ),
  ];
  return [...described.flatMap((each) => examineText(offer, each)), ...findOverlaps(offer)];
}

function examineText(offer: Offer, [kind, key, name, description = ""]: Described): Finding[] {
  const at = [kind, key] as const;
  const first = firstLine(description);
  if (first === "") return [findingAt(offer, at, "PF4010", `${name} has no description.`)];
  const findings: Finding[] = [];
  const report = (code: CheckCode, message: string) => void findings.push(findingAt(offer, at, code, message));
  if (first.length > MAX_FIRST_LINE) report("PF4011", `The first line of ${name} has ${first.length} characters.`);
  const bytes = Buffer.byteLength(description);
  if (bytes > MAX_DESCRIPTION)
    report("PF4014", `The description of ${name} has ${bytes.toLocaleString("en-US")} bytes.`);
  if (kind !== "tool") return findings;
  const named = stemsOf(name);
  if (![...stemsOf(description)].some((stem) => !named.has(stem)))
    report("PF4012", `The description of ${name} says no more than its name: ${JSON.stringify(first)}.`);
  if (NO_VERB.test(first))
    report("PF4013", `The first line of ${name} does not begin with a verb: ${JSON.stringify(first.slice(0, 40))}.`);
  return findings;
}

function firstLine(description: string): string {
  return (
    description
      .trim()
      .split(/\n\s*\n|\n(?=[-*#])/, 1)[0]
      ?.split(/(?<=[.!?])\s/, 1)[0]
      ?.replaceAll(/\s+/g, " ") ?? ""
  );
}

function findOverlaps(offer: Offer): Finding[] {
  const { length } = offer.listing.tools;
  const tools = offer.listing.tools.slice(0, MAX_COMPARED).map(({ name, description = "" }) => ({
    name,
    stems: stemsOf(`${name} ${firstLine(description)}`),
  }));
  const findings: Finding[] = [];
  let left = 0;
  for (const [index, { name, stems }] of tools.entries()) {
    if (stems.size < MIN_STEMS) continue;
    for (let next = index + 1; next < tools.length; next++) {
      const other = tools[next] as (typeof tools)[number];
      const shared = other.stems.size < MIN_STEMS ? 0 : jaccard(stems, other.stems);
      if (shared <= OVERLAP) continue;
      const share = `${Math.round(shared * 100)} % of the words in their names and first lines`;
      if (findings.length >= MAX_PAIRS) left++;
      else findings.push(findingAt(offer, ["tool", other.name], "PF4020", `${name} and ${other.name} share ${share}.`));
    }
  }
  const last = findings.at(-1);
  if (left > 0 && last) {
    const { item: _, ...place } = last;
    findings.push({ ...place, message: `${left} more pairs of tools are hard to tell apart.` });
  }
  if (length > MAX_COMPARED)
    findings.push({ level: "warning", message: `Only the first ${MAX_COMPARED} of ${length} tools were compared.` });
  return findings;
}

/** Words that say nothing about a tool. */
const FILLERS = new Set(
  "a an and any are as at be by for from given if in into is it its of on one or some that the their this to with you your".split(
    " ",
  ),
);

/** Splits names such as `findOrders`, `find_orders` and texts into words in lower case. */
export function wordsOf(text: string): string[] {
  const parts = text.replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2").toLowerCase();
  return parts.match(/[\p{L}\d]+/gu) ?? [];
}

/** The words of a text with a meaning, without their endings. */
function stemsOf(text: string): Set<string> {
  return new Set(
    wordsOf(text)
      .filter((word) => !FILLERS.has(word))
      .map(stemOf),
  );
}

/** Cuts the common endings of English words, so that `orders` and `order`, `lists` and `listing` are the same. */
export function stemOf(word: string): string {
  if (word.length <= 3) return word;
  const singular = word
    .replace(/(?<=[^aeiou])ies$/, "y")
    .replace(/(?<=s|x|z|ch|sh)es$/, "")
    .replace(/(?<!s|u|i)s$/, "");
  const stem = singular.length > 5 ? singular.replace(/(?:ing|ed)$/, "") : singular;
  return stem.replace(/e$/, "").replace(/([^aeiou])\1$/, "$1");
}

/** How much two sets have in common, from 0 to 1. */
function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const each of a) if (b.has(each)) shared++;
  return shared === 0 ? 0 : shared / (a.size + b.size - shared);
}
