import ts from "typescript";
import { type DerivedSchema, typesOf } from "../model/json-schema.ts";
import { checkTags, type KnownTag, readTag, reportUnprotected, type TagReporter } from "./check-tags.ts";
import { type DocSource, docOfMember } from "./find-comment.ts";
import type { ValueText } from "./literal-grammars.ts";
import { type DocComment, descriptionOf, libraryDoc } from "./parse-comment.ts";
import { withParagraph } from "./tag.ts";

/** Returns a copy of the schema with the description and the keywords of a documentation comment. */
export function applyDoc(reporter: TagReporter, schema: DerivedSchema, doc: DocComment | undefined): DerivedSchema {
  if (doc === undefined) return schema;
  const description = descriptionOf(doc);
  // Unlike other descriptions, a list of values is kept: it is about the type.
  const [, list = ""] = (schema.enum && LIST.exec(schema.description ?? "")) ?? [];
  let documented = description === "" ? schema : { ...schema, description: withParagraph(description, list) };
  for (const known of checkTags(reporter, doc, reporter.describes ?? "value"))
    documented = applyTag(reporter, documented, known);
  return documented;
}

function applyTag(reporter: TagReporter, schema: DerivedSchema, known: KnownTag): DerivedSchema {
  const isDefault = reporter.describes === "setting" && known.tag.name === "default";
  const value = isDefault ? readSettingDefault(reporter, schema, known) : readTag(known, reporter, schema);
  if (value === undefined || !fitsType(reporter, schema, known)) return schema;
  if (known.tag.name === "as") reportName(reporter, known, String(value));
  // Input derivation drops the report where the tag protects an argument.
  if (known.tag.protects) reportUnprotected(reporter, known.found);
  return { ...schema, ...known.tag.keywords?.(value, schema) };
}

/** A word without quotes, which is no literal of JavaScript and no code. */
const BARE_WORD = /^(?!(?:undefined|null)$)[^\s()`{}"'[][^\s()`{}]*$/;

/** The default of a setting is one that a program uses: a bare word is a text, and other prose is a mistake. */
function readSettingDefault(reporter: TagReporter, schema: DerivedSchema, known: KnownTag): unknown {
  const { text, place } = known.found;
  if (schema.type === "string" && schema.enum === undefined && BARE_WORD.test(text)) return { value: text };
  const parsed = known.tag.value.parse(text, schema);
  const isProse = typeof parsed === "object" && "value" in parsed && !parsed.warning;
  if (isProse && text !== "" && (parsed.value as ValueText).value === undefined) {
    const message = `@default ${text} sets no default, because it is not a literal of the type. Write a literal, such as "a text" or 30, or make the setting optional.`;
    reporter.report("PF2030", `${reporter.subject}: ${message}`, place);
  }
  return readTag(known, reporter, schema);
}

/** Whether a tag applies to values of this schema. Reports PF1202 if it never does. */
function fitsType(reporter: TagReporter, schema: DerivedSchema, { tag, found }: KnownTag): boolean {
  const types = typesOf(schema);
  if (types === undefined || tag.types === undefined || tag.types.some((type) => types.has(type))) return true;
  const actual = [...types].join(" or ");
  reporter.report(
    "PF1202",
    `${reporter.subject}: @${found.written} applies only to ${tag.types[0]}s, but the type is ${actual}.`,
    found.place,
  );
  return false;
}

/** Reports a tag that changes a name. Input derivation drops the report where the tag has an effect. */
function reportName(reporter: TagReporter, { found }: KnownTag, name: string): void {
  reporter.report(
    "PF2031",
    `${reporter.subject}: @as ${name} is ignored. It renames a parameter, or a property of the only parameter if that is destructured, to a name that no other argument has.`,
    found.place,
  );
}

/** Ignores mistakes in the comments of libraries, because the author cannot fix them. */
const SILENT = { subject: "", report() {} };

/** Returns a copy of the schema with the comment of a symbol. */
export function documentSymbol(
  source: DocSource & TagReporter,
  schema: DerivedSchema,
  symbol: ts.Symbol,
): DerivedSchema {
  const doc = docOfMember(source, symbol);
  if (doc?.place === undefined) return schema;
  if (source.origins.isProject(doc.place.file)) return applyDoc(source, schema, doc);
  // A generic alias of a library is a utility, and its comment is about the utility.
  const isUtility = symbol.declarations?.some((node) => ts.isTypeAliasDeclaration(node) && node.typeParameters);
  return isUtility ? schema : applyDoc(SILENT, schema, libraryDoc(doc));
}

/** The longest list; an enum of a library may have hundreds of members. */
const MAX_LIST = 2000;
const LIST = /(?:^|\n\n)(Values:(?:\n- .*)+)/;

/** A value of a closed set, and its description. */
export interface DescribedValue {
  readonly value: string | number | boolean;
  readonly text: string;
}

/** Returns the schema of a closed set of values with their descriptions. Values without one are left out. */
export function withValueList(schema: DerivedSchema, values: readonly DescribedValue[]): DerivedSchema {
  let list = "Values:";
  for (const { value, text } of values) {
    const line = `\n- ${value}: ${text.replace(/\s+/g, " ")}`;
    if (list.length + line.length > MAX_LIST) {
      list += "\n- …";
      break;
    }
    list += line;
  }
  return values.length === 0 ? schema : { ...schema, description: withParagraph(schema.description, list) };
}
