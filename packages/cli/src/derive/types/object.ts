import ts from "typescript";
import type { Conversion, Converted } from "../model/conversion.ts";
import { isContext } from "../program/origin.ts";
import { convertCustom } from "./custom-codecs.ts";
import { labelOf } from "./instance-name.ts";
import { convertOutward } from "./outward.ts";
import { convertPlatform, hasJsonForm } from "./platform.ts";
import { convertProperties } from "./properties.ts";
import { convertSubtype } from "./subtype.ts";
import { convertTuple } from "./tuple.ts";
import { argumentNodes } from "./type-node.ts";

/** Types that can carry a brand: the value has this type; the rest of the intersection exists only at compile time. */
const BRANDABLE =
  ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike | ts.TypeFlags.BooleanLike | ts.TypeFlags.BigIntLike;

/** Converts any object type: arrays, platform classes, intersections and interfaces. */
export function convertObject(conversion: Conversion, type: ts.Type, node: ts.TypeNode | undefined): Converted {
  const { checker, origins, subject } = conversion;
  const custom = convertCustom(conversion, type);
  if (custom) return custom;
  if (checker.isArrayType(type)) return convertArray(conversion, type as ts.TypeReference, node);
  if (checker.isTupleType(type)) {
    return conversion.guard(type, "array", () => convertTuple(conversion, type as ts.TupleTypeReference, node));
  }
  const branded = type.isIntersection() ? type.types.find((part) => isBrandable(conversion, part)) : undefined;
  if (branded) return conversion.convert(branded);
  // A subclass of Date is a date, although it also has toJSON.
  const special =
    convertPlatform(conversion, type, node) ?? convertSubtype(conversion, type) ?? convertOutward(conversion, type);
  if (special) return special;
  if (isContext(origins, type)) {
    conversion.report("PF1109", `${subject} is the Context, which is not data. Declare it as a separate parameter.`);
    return { schema: {} };
  }
  if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0) {
    conversion.report(
      "PF1102",
      `${subject} is a function, which JSON cannot represent. Remove it, or exclude it with Omit.`,
    );
    return { schema: {} };
  }
  return conversion.define(type, labelOf(conversion, type), "object", () => convertProperties(conversion, type, node));
}

function convertArray(conversion: Conversion, type: ts.TypeReference, node: ts.TypeNode | undefined): Converted {
  const { checker } = conversion;
  return conversion.guard(type, "array", () => {
    const item = checker.getTypeArguments(type)[0] ?? checker.getUnknownType();
    const { schema, plan } = conversion.convertElement(item, argumentNodes(checker, node)[0]);
    return { schema: { type: "array", items: schema }, ...(plan && { plan: { kind: "array", items: plan } }) };
  });
}

function isBrandable({ checker, origins }: Conversion, type: ts.Type): boolean {
  if (type.flags & BRANDABLE || checker.isArrayLikeType(type)) return true;
  return type.symbol !== undefined && origins.isPlatform(type.symbol) && hasJsonForm(type.symbol.name);
}
