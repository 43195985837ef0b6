import type { Plan } from "proffer/derived";
import ts from "typescript";
import { type Conversion, jsonOf, type UnionMember } from "../model/conversion.ts";
import type { DerivedSchema } from "../model/json-schema.ts";
import { planOneOf } from "./union-plan.ts";

/** Matches a number as JavaScript writes it in a property key. */
const NUMERIC_KEY = "^-?[0-9]+(?:\\.[0-9]+)?(?:e[+-]?[0-9]+)?$";

/** The schema and the plan of the properties that a type does not name. */
export interface IndexSignatures {
  schema: DerivedSchema;
  plan: Plan | undefined;
  /** Any further property is allowed. */
  isOpen: boolean;
}

/** Converts the index signatures of a type. */
export function convertIndexSignatures(conversion: Conversion, type: ts.Type): IndexSignatures {
  const members: UnionMember[] = [];
  const patterns: [string, DerivedSchema][] = [];
  const held: ts.Type[] = [];
  let additional: DerivedSchema | undefined;
  for (const { keyType, type: value, declaration } of conversion.checker.getIndexInfosOfType(type)) {
    if (keyType.flags & ts.TypeFlags.ESSymbolLike) continue;
    // A property whose value is undefined is absent, unlike an element.
    const converted = conversion.convert(value, declaration?.type ?? mappedNode(type));
    members.push({ ...converted, json: jsonOf(conversion, converted.schema) });
    held.push(value);
    const pattern = keyPattern(conversion, keyType);
    if (pattern === undefined) additional = converted.schema;
    else patterns.push([pattern, converted.schema]);
  }
  const isOpen = additional !== undefined && Object.keys(additional).length === 0;
  return {
    schema: {
      ...(patterns.length > 0 && { patternProperties: Object.fromEntries(patterns) }),
      ...(additional && !isOpen && { additionalProperties: additional }),
    },
    plan: planOneOf(conversion, members, () => held.map((value) => conversion.checker.typeToString(value)).join(" | ")),
    isOpen,
  };
}

/** Returns the type node of the values of a mapped type, which keeps the name of a union that may be undefined. */
function mappedNode(type: ts.Type): ts.TypeNode | undefined {
  const declaration = type.symbol?.declarations?.[0];
  return declaration && ts.isMappedTypeNode(declaration) ? declaration.type : undefined;
}

/** Returns the pattern of the keys; undefined for any string. */
function keyPattern(conversion: Conversion, keyType: ts.Type): string | undefined {
  if (keyType.flags & ts.TypeFlags.NumberLike) return NUMERIC_KEY;
  return conversion.convert(keyType).schema.pattern;
}
