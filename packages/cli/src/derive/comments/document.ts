import type ts from "typescript";
import type { Conversion } from "../model/conversion.ts";
import type { DerivedSchema } from "../model/json-schema.ts";
import { applyDoc } from "./constraints.ts";
import { docOfMember } from "./inherited-doc.ts";
import { isGenericAlias, libraryDoc } from "./library-doc.ts";

/** Ignores mistakes in the comments of libraries, because the author cannot fix them. */
const SILENT = { subject: "", report() {} };

/** Returns a copy of the schema with the comment of a symbol. */
export function documentSymbol(conversion: Conversion, schema: DerivedSchema, symbol: ts.Symbol): DerivedSchema {
  const doc = docOfMember(conversion, symbol);
  if (doc?.place === undefined) return schema;
  if (conversion.origins.isProject(doc.place.file)) return applyDoc(conversion, schema, doc);
  return isGenericAlias(symbol) ? schema : applyDoc(SILENT, schema, libraryDoc(doc));
}
