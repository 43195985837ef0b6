import ts from "typescript";
import type { Conversion, Converted } from "../model/conversion.ts";
import type { DerivedSchema } from "../model/json-schema.ts";

const BYTES: DerivedSchema = { type: "string", contentEncoding: "base64" };
const NUMBERS: DerivedSchema = { type: "array", items: { type: "number" } };
const DECIMALS: DerivedSchema = { type: "array", items: { type: "string", pattern: "^-?[0-9]+$" } };

/** Classes that a result may contain although JSON cannot construct them. */
const OUTWARD: Readonly<Record<string, DerivedSchema>> = {
  ArrayBuffer: BYTES,
  SharedArrayBuffer: BYTES,
  DataView: BYTES,
  Uint8ClampedArray: BYTES,
  Int8Array: NUMBERS,
  Int16Array: NUMBERS,
  Uint16Array: NUMBERS,
  Int32Array: NUMBERS,
  Uint32Array: NUMBERS,
  Float32Array: NUMBERS,
  Float64Array: NUMBERS,
  BigInt64Array: DECIMALS,
  BigUint64Array: DECIMALS,
};

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
  return signature && conversion.guard(type, "object", () => convertWritten(conversion, signature));
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
    signature.typeParameters !== undefined || membersOf(written).some((type) => isOpaque(conversion, type));
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

function membersOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
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
  const bases = type.isClassOrInterface() ? checker.getBaseTypes(type) : type.isIntersection() ? type.types : [];
  return bases.some((base) => isError(conversion, base));
}
