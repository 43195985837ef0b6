import ts from "typescript";
import type { DerivedSchema } from "../model/json-schema.ts";
import type { Conversion, Converted } from "./conversion.ts";
import { unionMembers } from "./type-node.ts";

const BYTES: DerivedSchema = { type: "string", contentEncoding: "base64" };
const NUMBERS: DerivedSchema = { type: "array", items: { type: "number" } };
const DECIMALS: DerivedSchema = { type: "array", items: { type: "string", pattern: "^-?[0-9]+$" } };

/** The names of the classes of arrays of numbers, separated by spaces. */
export const NUMBER_ARRAYS = "Int8Array Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array";

/** Classes that a result may contain although JSON cannot construct them. */
const OUTWARD: Readonly<Record<string, DerivedSchema>> = {
  ...forEach(BYTES, "ArrayBuffer SharedArrayBuffer DataView Uint8ClampedArray"),
  ...forEach(NUMBERS, NUMBER_ARRAYS),
  ...forEach(DECIMALS, "BigInt64Array BigUint64Array"),
};

/** Returns the same value for each name. */
export function forEach<Value>(value: Value, names: string): { readonly [name: string]: Value } {
  return Object.fromEntries(names.split(" ").map((name) => [name, value]));
}

/** Converts a type that says nothing about its values. In a result, they are encoded by their class at run time. */
export function anything({ direction }: Conversion): Converted {
  return direction === "out" ? { schema: {}, plan: { kind: "any" } } : { schema: {} };
}

/** Converts a platform class in a result; undefined for a class without a JSON form. */
export function convertOutwardPlatform({ direction }: Conversion, name: string): Converted | undefined {
  if (direction === "in") return undefined;
  if (name === "Error") return convertError();
  return Object.hasOwn(OUTWARD, name) ? { schema: { ...OUTWARD[name] }, plan: { kind: "any" } } : undefined;
}

/** Converts the classes that only results may contain: errors, and classes with `toJSON`. */
export function convertOutward(conversion: Conversion, type: ts.Type): Converted | undefined {
  if (conversion.direction === "in") return undefined;
  if (isError(conversion, type)) return convertError();
  const signature = toJsonOf(conversion, type);
  return signature && conversion.enter(type, "object", () => convertWritten(conversion, signature));
}

/** Returns the signature of `toJSON`. Overloads with type parameters depend on options that `JSON.stringify` lacks. */
function toJsonOf({ checker }: Conversion, type: ts.Type): ts.Signature | undefined {
  const member = checker.getPropertyOfType(type, "toJSON");
  const signatures = member ? checker.getTypeOfSymbol(member).getCallSignatures() : [];
  return signatures.find((signature) => signature.typeParameters === undefined) ?? signatures[0];
}

function convertWritten(conversion: Conversion, signature: ts.Signature): Converted {
  const written = conversion.checker.getReturnTypeOfSignature(signature);
  const isUnknown =
    signature.typeParameters !== undefined || unionMembers(written).some((type) => isOpaque(conversion, type));
  const { schema, plan } = isUnknown ? anything(conversion) : conversion.convert(written);
  return { schema, plan: { kind: "json", ...(plan && { value: plan }) } };
}

/**
 * Whether a type that `toJSON` returns does not say how its value is written: `any`, `this`, or again a class with
 * `toJSON`, which `JSON.stringify` does not call.
 */
function isOpaque(conversion: Conversion, type: ts.Type): boolean {
  if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.TypeParameter)) return true;
  if (!(type.flags & ts.TypeFlags.Object) || (type.symbol && conversion.origins.isPlatform(type.symbol))) return false;
  return toJsonOf(conversion, type) !== undefined;
}

function convertError(): Converted {
  return {
    schema: {
      type: "object",
      properties: { name: { type: "string" }, message: { type: "string" } },
      required: ["name", "message"],
    },
    plan: { kind: "error" },
  };
}

/** Whether a type is Error, or is derived from it. */
function isError(conversion: Conversion, type: ts.Type): boolean {
  const { checker, origins } = conversion;
  const { symbol } = type;
  if (symbol?.name === "Error" && origins.isPlatform(symbol)) return true;
  if (type.isIntersection()) return type.types.some((part) => isError(conversion, part));
  // An instance of a generic class has the bases of the class.
  const { target = type } = type as Partial<ts.TypeReference>;
  return target.isClassOrInterface() && checker.getBaseTypes(target).some((base) => isError(conversion, base));
}
