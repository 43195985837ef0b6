import { findSimilar } from "proffer/derived";
import type { DiagnosticCode } from "../model/diagnostics.ts";
import type { DerivedSchema } from "../model/json-schema.ts";
import type { TextPlace } from "../model/text-place.ts";
import type { DocComment, DocTag, Mention } from "./doc-comment.ts";
import { isForeign } from "./foreign-tags.ts";
import type { Described, Tag } from "./tag.ts";
import { describesValue, findTag, TAG_NAMES } from "./tags.ts";

/** Receives the problems of a documentation comment. */
export interface TagReporter {
  /** The name of the documented thing in messages. */
  readonly subject: string;
  /** The kind of values that comments describe. Default: "value", for arguments and results. */
  readonly describes?: "setting" | undefined;
  report(code: DiagnosticCode, message: string, place?: TextPlace): void;
}

/** The kind of thing that a comment describes. No tag describes an object, only its functions. */
export type Subject = Described | "value" | "object";

/** A tag of a comment and its row in the table. */
export interface KnownTag {
  readonly tag: Tag;
  readonly found: DocTag;
}

/** In a shorter name, two edits leave too little to recognize: `note` is not a misspelled `name`. */
const MIN_TWO_EDITS = 6;
/** A shorter tag is similar to most abbreviations. */
const MIN_SUGGESTED = 4;
/** In a sentence, a short word after @ is more likely the name of somebody. */
const MIN_MENTION = 5;
const MAX_SHOWN = 60;

/**
 * Returns the tags of a comment that count. Reports misspelled tags, tags that do not apply to the described thing, and
 * repeated ones, of which the first counts.
 */
export function checkTags(reporter: TagReporter, doc: DocComment, described: Subject): KnownTag[] {
  const counted: KnownTag[] = [];
  for (const found of doc.tags) {
    const tag = findTag(found.name);
    if (tag === undefined) reportMisspelled(reporter, found);
    else if (!appliesTo(tag, described)) reportMisplaced(reporter, tag, found, described);
    else if (!tag.repeats && counted.some((earlier) => earlier.tag === tag)) reportRepeated(reporter, found);
    else counted.push({ tag, found });
  }
  for (const mention of doc.mentions ?? []) {
    if (mention.written.length >= MIN_MENTION) reportMisspelled(reporter, mention);
  }
  return counted;
}

/** Parses the text of a tag; reports an invalid one and returns undefined. */
export function readTag({ tag, found }: KnownTag, reporter: TagReporter, schema: DerivedSchema = {}): unknown {
  const parsed = tag.value.parse(found.text, schema);
  if (parsed === "foreign") return undefined;
  if (parsed !== "invalid" && "value" in parsed) {
    const { value, warning } = parsed;
    if (warning) reporter.report("PF2030", `${reporter.subject}: @${found.written} ${warning}`, found.place);
    return value;
  }
  const reason = parsed === "invalid" ? `must be ${tag.value.expected}, not "${shorten(found.text)}"` : parsed.problem;
  const problem = `@${found.written} ${reason}`;
  // A constraint that is missing would let invalid values pass, so it is an error; other tags are ignored.
  const isConstraint = tag.keywords !== undefined && tag.entry === undefined;
  if (parsed !== "invalid" && parsed.code)
    reporter.report(parsed.code, `${reporter.subject}: ${problem}.`, found.place);
  else if (tag.protects) reporter.report("PF1240", `${reporter.subject}: ${problem}.`, found.place);
  else if (isConstraint) reporter.report("PF1201", `${reporter.subject}: ${problem}.`, found.place);
  else reporter.report("PF2102", `${reporter.subject}: ${problem}. The tag is ignored.`, found.place);
  return undefined;
}

/** Reports that the same tag appears again in a comment. */
export function reportRepeated(reporter: TagReporter, { written, place }: DocTag): void {
  reporter.report(
    "PF2104",
    `${reporter.subject}: @${written} appears again in the same comment. Only the first one counts; remove the other.`,
    place,
  );
}

function appliesTo(tag: Tag, described: Subject): boolean {
  if (described === "value" || described === "setting") {
    return describesValue(tag) || tag.on.some((each) => each === described);
  }
  return tag.on.some((each) => each === described);
}

/** Reports a tag that does not protect the thing beside it. */
export function reportUnprotected(reporter: TagReporter, { written, text, place }: DocTag): void {
  reporter.report(
    "PF1241",
    `${reporter.subject}: @${written} ${shorten(text)} protects nothing here. It applies to a function, a parameter, or a property of the only parameter if that is destructured.`,
    place,
  );
}

function reportMisplaced(reporter: TagReporter, { on, value, protects }: Tag, found: DocTag, described: Subject): void {
  const { written, text, place } = found;
  if (protects) {
    reportUnprotected(reporter, found);
    return;
  }
  // Another tool may use a tag of this name here, such as TypeScript `@readonly` on a property.
  if (isForeign(written) && !(value.isOwn && value.parse(text, {}) !== "foreign")) return;
  const things = on.map((each) => `${each}s`).join(", ");
  reporter.report(
    "PF2103",
    `${reporter.subject}: @${written} applies only to ${things}, not to ${described === "object" ? "an" : "a"} ${described}. Move the tag, or remove it.`,
    place,
  );
}

function reportMisspelled(reporter: TagReporter, { written, place }: Mention): void {
  const meant = isForeign(written) ? undefined : similarTag(written);
  if (meant === undefined) return;
  reporter.report("PF2101", `${reporter.subject}: unknown tag @${written}. Did you mean @${meant}?`, place);
}

/** Returns the tag that a name was probably meant to be; undefined for the tags of other tools. */
function similarTag(written: string): string | undefined {
  const name = written.toLowerCase();
  const candidates = TAG_NAMES.filter((each) => each.length >= MIN_SUGGESTED);
  const names = candidates.map((each) => each.toLowerCase());
  const hasTwoEdits = name.length >= MIN_TWO_EDITS;
  const similar = findSimilar(name, names, hasTwoEdits ? 2 : 1) ?? names.find((each) => isAnagram(each, name));
  return similar && candidates[names.indexOf(similar)];
}

/** Whether two letters have changed their places, or more. */
function isAnagram(a: string, b: string): boolean {
  const sorted = (text: string) => [...text].sort().join("");
  return a[0] === b[0] && sorted(a) === sorted(b);
}

function shorten(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length < text.length || line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}
