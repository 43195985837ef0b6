import ts from "typescript";
import { descriptionOf } from "../comments/description.ts";
import type { DocComment } from "../comments/doc-comment.ts";
import { docOfSymbol, docOfUnionMember } from "../comments/docs.ts";
import { libraryDoc } from "../comments/library-doc.ts";
import type { DescribedValue } from "../comments/value-list.ts";
import type { Conversion } from "../model/conversion.ts";
import { literalValue } from "./primitive.ts";
import { unwrapNode, type WrittenType } from "./type-node.ts";

/**
 * Returns the literals of a union that have a comment: on an enum member, before a member of the union, or on a property
 * of the object in `keyof typeof OBJECT` and `(typeof OBJECT)[keyof typeof OBJECT]`. A member of a numeric enum always
 * has its name, because its number says nothing.
 */
export function describedValues(
  conversion: Conversion,
  members: readonly WrittenType[],
  node: ts.TypeNode | undefined,
): DescribedValue[] {
  const inObject = objectComments(conversion, node);
  return members.flatMap(({ type, node: own }) => {
    const value = literalValue(type);
    if (value === undefined) return [];
    const isMember = type.symbol !== undefined && (type.symbol.flags & ts.SymbolFlags.EnumMember) !== 0;
    const name = isMember && typeof value === "number" ? type.symbol.name : "";
    const doc = isMember ? docOfSymbol(type.symbol) : ((own && docOfUnionMember(own)) ?? inObject?.get(value));
    const parts = [name, doc ? textOf(conversion, doc) : ""].filter(Boolean);
    return parts.length > 0 ? [{ value, text: parts.join(". ") }] : [];
  });
}

function textOf({ origins }: Conversion, doc: DocComment): string {
  const isOwn = doc.place !== undefined && origins.isProject(doc.place.file);
  return descriptionOf(isOwn ? doc : libraryDoc(doc));
}

/** Returns the comments of an object's properties, by the values that the node selects: its keys or its values. */
function objectComments(
  { checker }: Conversion,
  node: ts.TypeNode | undefined,
): Map<string | number | boolean, DocComment> | undefined {
  const written = unwrapNode(checker, node);
  if (written === undefined) return undefined;
  const isKeys = ts.isTypeOperatorNode(written) && written.operator === ts.SyntaxKind.KeyOfKeyword;
  const selected = isKeys ? written.type : ts.isIndexedAccessTypeNode(written) ? written.objectType : undefined;
  const object = unwrapNode(checker, selected);
  if (object === undefined || !ts.isTypeQueryNode(object)) return undefined;
  const found = new Map<string | number | boolean, DocComment>();
  for (const property of checker.getPropertiesOfType(checker.getTypeFromTypeNode(object))) {
    const doc = docOfSymbol(property);
    const value = isKeys ? property.name : literalValue(checker.getTypeOfSymbol(property));
    if (doc && value !== undefined) found.set(value, doc);
  }
  return found;
}
