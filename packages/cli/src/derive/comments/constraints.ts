import { type DerivedSchema, typesOf } from "../model/json-schema.ts";
import { checkTags, type KnownTag, readTag, reportUnprotected, type TagReporter } from "./check-tags.ts";
import { descriptionOf } from "./description.ts";
import type { DocComment } from "./doc-comment.ts";
import { keepingValues } from "./value-list.ts";

/** Returns a copy of the schema with the description and the keywords of a documentation comment. */
export function applyDoc(reporter: TagReporter, schema: DerivedSchema, doc: DocComment | undefined): DerivedSchema {
  if (doc === undefined) return schema;
  const description = descriptionOf(doc);
  let documented = description === "" ? schema : { ...schema, description: keepingValues(schema, description) };
  for (const known of checkTags(reporter, doc, reporter.describes ?? "value"))
    documented = applyTag(reporter, documented, known);
  return documented;
}

function applyTag(reporter: TagReporter, schema: DerivedSchema, known: KnownTag): DerivedSchema {
  const value = readTag(known, reporter, schema);
  if (value === undefined || !fitsType(reporter, schema, known)) return schema;
  if (known.tag.name === "as") reportName(reporter, known, String(value));
  // Input derivation drops the report where the tag protects an argument.
  if (known.tag.protects) reportUnprotected(reporter, known.found);
  return { ...schema, ...known.tag.keywords?.(value, schema) };
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
