import { findSimilar } from "proffer/derived";
import type { DiagnosticCode, TextPlace } from "../model/diagnostics.ts";
import type { DerivedSchema } from "../model/json-schema.ts";
import { borrowedTag } from "./borrowed-tags.ts";
import { FUNCTION_TAGS } from "./function-tags.ts";
import type { DocComment, DocTag, Mention } from "./parse-comment.ts";
import type { Described, Tag } from "./tag.ts";
import { VALUE_TAGS } from "./value-tags.ts";

/** Every tag. To add one, add its row; a member of `Entry` that is new also needs its type in the manifest. */
export const TAGS: readonly Tag[] = [...FUNCTION_TAGS, ...VALUE_TAGS];

const BY_NAME = new Map(
  TAGS.flatMap((tag) => [tag.name, ...(tag.aliases ?? [])].map((name) => [name.toLowerCase(), tag] as const)),
);

/** Every name of every tag, for suggestions. */
export const TAG_NAMES: readonly string[] = TAGS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);

/** Finds a tag by any of its names, in any case: JSDoc's own `@readonly` means `readOnly` too. */
export function findTag(name: string): Tag | undefined {
  return BY_NAME.get(name.toLowerCase());
}

/** Whether a tag describes values, and `only` them, so that it belongs to the parameter or result before it. */
export function describesValue({ on }: Tag, only = false): boolean {
  return on.includes("parameter") && !(only && on.includes("tool"));
}

/**
 * Tags of JSDoc, TSDoc, TypeDoc, the Closure Compiler, TypeScript, linters, formatters and test runners, as they are
 * written. They are ignored without a warning, also where Proffer has a tag of the same name that does not fit.
 */
const FOREIGN = new Set(
  [
    // https://jsdoc.app, with synonyms
    "abstract access alias arg argument async augments author borrows bug callback class classdesc const constant",
    "constructor constructs copyright default defaultvalue deprecated desc description emits enum event example",
    "exception exports extends external file fileoverview fires func function generator global hideconstructor host",
    "ignore implements inheritdoc inheritDoc inner instance interface kind lends license link linkcode linkplain listens",
    "member memberof method mixes mixin module name namespace override overview package param private prop property",
    "protected public readonly requires return returns see since static summary this throws todo tutorial type typedef",
    "var variation version virtual yield yields",
    // https://tsdoc.org
    "alpha beta decorator defaultValue eventProperty experimental internal label packageDocumentation",
    "privateRemarks remarks sealed typeParam",
    // https://api-extractor.com
    "betaDocumentation internalRemarks preapproved undocumented",
    // https://typedoc.org
    "categoryDescription category disableGroups document expand expandType group groupDescription hidden",
    "hideCategories hideGroups import include includeCode inline inlineType jsx mergeModuleWith overload preventExpand",
    "preventInline primaryExport reexport showCategories showGroups sortStrategy subcategory template useDeclaredType",
    // The Closure Compiler and TypeScript
    "define dict export final nocollapse nocompile noinline nosideeffects preserve polymer record satisfies struct",
    "suppress unrestricted",
    // Comments for other tools, and habits
    "format flow noflow prettier noprettier nocheck jest-environment vitest-environment jsxFrag jsxImportSource",
    "jsxRuntime tag tags test testing note notes hint warning warn tip info date created updated changed changelog",
    "usage pure impure mutates complexity id key body query path route router response request security operationId",
    "swagger openapi controller service injectable component input output",
    "ts-check ts-nocheck ts-ignore ts-expect-error eslint-disable eslint-enable eslint-disable-next-line",
    "prettier-ignore biome-ignore __PURE__ __NO_SIDE_EFFECTS__ vue-ignore gqlType field entity index",
    "minimumVersion slot csspart cssprop attr attribute tagname element",
  ].flatMap((line) => line.split(" ")),
);

/** Receives the problems of a documentation comment. */
export interface TagReporter {
  /** The name of the documented thing in messages. */
  readonly subject: string;
  /** The kind of values that comments describe. Default: "value", for arguments and results. */
  readonly describes?: "setting" | undefined;
  report(code: DiagnosticCode, message: string, place?: TextPlace): void;
}

/** The kind of thing that a comment describes. No tag describes an object, only its functions. */
type Subject = Described | "value" | "object";

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
 * Returns the tags of a comment that count. Reports misspelled tags, those of other libraries, tags that do not apply to
 * the described thing, and repeated ones, of which the first counts.
 */
export function checkTags(reporter: TagReporter, doc: DocComment, described: Subject): KnownTag[] {
  const counted: KnownTag[] = [];
  for (const found of doc.tags) {
    const tag = findTag(found.name);
    if (tag === undefined) reportUnknown(reporter, found);
    else if (!appliesTo(tag, described)) reportMisplaced(reporter, tag, found, described);
    else if (!tag.repeats && counted.some((earlier) => earlier.tag === tag)) reportRepeated(reporter, found);
    else counted.push({ tag, found });
  }
  for (const mention of doc.mentions ?? []) {
    if (isMisspelled(mention.written)) reportMisspelled(reporter, mention);
  }
  return counted;
}

/** Parses the text of a tag; reports an invalid one and returns undefined. */
export function readTag({ tag, found }: KnownTag, reporter: TagReporter, schema: DerivedSchema = {}): unknown {
  let parsed = tag.value.parse(found.text, schema);
  // A misspelled tag after the value is reported as such, once.
  const [, before = "", next = ""] = /^(.*?)\s*@([A-Za-z]\w*)/s.exec(found.text) ?? [];
  if (parsed === "invalid" && isMisspelled(next)) parsed = tag.value.parse(before, schema);
  if (parsed === "foreign") return undefined;
  if (parsed !== "invalid" && "value" in parsed) {
    const { value, warning } = parsed;
    if (warning) reporter.report("PF2030", `${reporter.subject}: @${found.written} ${warning}`, found.place);
    return value;
  }
  const reason = parsed === "invalid" ? `must be ${tag.value.expected}, not "${shorten(found.text)}"` : parsed.problem;
  // A constraint that is missing would let invalid values pass, so it is an error; other tags are ignored.
  const isConstraint = tag.keywords !== undefined && tag.entry === undefined;
  const usual = tag.protects ? "PF1240" : isConstraint ? "PF1201" : "PF2102";
  const code = (parsed !== "invalid" && parsed.code) || usual;
  const effect = code === "PF2102" ? " The tag is ignored." : "";
  reporter.report(code, `${reporter.subject}: @${found.written} ${reason}.${effect}`, found.place);
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
  const isValue = described === "value" || described === "setting";
  return (isValue && describesValue(tag)) || tag.on.some((each) => each === described);
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
  if (FOREIGN.has(written) && !(value.isOwn && value.parse(text, {}) !== "foreign")) return;
  const things = on.map((each) => `${each}s`).join(", ");
  reporter.report(
    "PF2103",
    `${reporter.subject}: @${written} applies only to ${things}, not to ${described === "object" ? "an" : "a"} ${described}. Move the tag, or remove it.`,
    place,
  );
}

function reportUnknown(reporter: TagReporter, found: DocTag): void {
  const { written, text, place } = found;
  const meant = borrowedTag(written, text);
  const problem = `${reporter.subject}: @${written} constrains nothing, because Proffer has no such tag`;
  if (meant === undefined) reportMisspelled(reporter, found);
  else reporter.report("PF2105", `${problem}. Write ${meant}.`, place);
}

function reportMisspelled(reporter: TagReporter, { written, place }: Mention): void {
  const meant = FOREIGN.has(written) ? undefined : similarTag(written);
  if (meant === undefined) return;
  reporter.report("PF2101", `${reporter.subject}: unknown tag @${written}. Did you mean @${meant}?`, place);
}

/** Whether a word within a text is probably a tag. */
function isMisspelled(word: string): boolean {
  return word.length >= MIN_MENTION && !FOREIGN.has(word) && similarTag(word) !== undefined;
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
