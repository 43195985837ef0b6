import ts from "typescript";
import type { Conversion, Converted } from "../model/conversion.ts";
import { type JsonType, typesOf } from "../model/json-schema.ts";
import { argumentNodes } from "./type-node.ts";

/** Replacements for classes that have no JSON representation. */
const ADVICE: Readonly<Record<string, string>> = {
  RegExp: "a string with @format regex",
  Error: "a string, or throw it",
  ArrayBuffer: "Uint8Array",
  SharedArrayBuffer: "Uint8Array",
  DataView: "Uint8Array",
  Int8Array: "number[]",
  Uint8ClampedArray: "Uint8Array",
  Int16Array: "number[]",
  Uint16Array: "number[]",
  Int32Array: "number[]",
  Uint32Array: "number[]",
  Float32Array: "number[]",
  Float64Array: "number[]",
  BigInt64Array: "bigint[]",
  BigUint64Array: "bigint[]",
  Blob: "Uint8Array",
  File: "Uint8Array",
  WeakMap: "Map",
  WeakSet: "Set",
  WeakRef: "the value itself",
  AbortSignal: "the signal of the Context",
  Function: "plain data",
  String: "string",
  Number: "number",
  Boolean: "boolean",
  BigInt: "bigint",
  Symbol: "string",
  Object: "object, or an interface",
};

const JSON_FORMS = new Set(["Date", "URL", "Uint8Array", "Buffer", "Set", "ReadonlySet", "Map", "ReadonlyMap"]);

/** Whether a platform class has its own JSON representation instead of its properties. */
export function hasJsonForm(name: string): boolean {
  return JSON_FORMS.has(name);
}

/** Asynchronous sequences: allowed as the whole result, but not within it. */
export const ASYNC_ITERABLES: ReadonlySet<string> = new Set([
  "AsyncIterable",
  "AsyncIterableIterator",
  "AsyncIteratorObject",
  "AsyncGenerator",
  "ReadableStream",
]);

/** Types that the run-time sends as binary content or as a stream, without JSON. */
export const RAW_CONTENT: ReadonlySet<string> = new Set(["Blob", "File", "ReadableStream", "Readable"]);

export const BYTES: ReadonlySet<string> = new Set(["Uint8Array", "Buffer"]);

export const ITERABLES: ReadonlySet<string> = new Set(["Iterable", "IterableIterator", "IteratorObject", "Generator"]);

/** Converts a platform class with its own JSON representation; undefined for any other type. */
export function convertPlatform(
  conversion: Conversion,
  type: ts.Type,
  node: ts.TypeNode | undefined,
): Converted | undefined {
  const { symbol } = type;
  if (symbol === undefined || !conversion.origins.isPlatform(symbol)) return undefined;
  const { checker, subject } = conversion;
  const { name } = symbol;
  switch (name) {
    case "Date":
      return { schema: { type: "string", format: "date-time" }, plan: { kind: "date" } };
    case "URL":
      return { schema: { type: "string", format: "uri" }, plan: { kind: "url" } };
    case "Uint8Array":
      return { schema: { type: "string", contentEncoding: "base64" }, plan: { kind: "bytes" } };
    case "Buffer":
      return { schema: { type: "string", contentEncoding: "base64" }, plan: { kind: "buffer" } };
    case "Set":
    case "ReadonlySet":
      return conversion.guard(type, "array", () => convertSet(conversion, type, node));
    case "Map":
    case "ReadonlyMap":
      return conversion.guard(type, mapJson(conversion, type), () => convertMap(conversion, type, node));
    case "Promise":
    case "PromiseLike":
      conversion.report("PF1104", `${subject} has the type ${name}, which JSON cannot represent. Await it first.`);
      return { schema: {} };
  }
  if (ITERABLES.has(name) && conversion.direction === "in")
    return conversion.guard(type, "array", () => convertIterable(conversion, type, node));
  if (ITERABLES.has(name) || ASYNC_ITERABLES.has(name) || name === "Iterator" || name === "AsyncIterator") {
    conversion.report(
      "PF1104",
      `${subject} has the type ${name}, which JSON cannot represent. Collect its items into an array.`,
    );
    return { schema: {} };
  }
  if (Object.hasOwn(ADVICE, name)) {
    const written = checker.typeToString(type);
    conversion.report(
      "PF1106",
      `${subject} has the type ${written}, which JSON cannot represent. Use ${ADVICE[name]}.`,
    );
    return { schema: {} };
  }
  return undefined;
}

/** Converts an iterable parameter; JSON carries it as an array. */
function convertIterable(conversion: Conversion, type: ts.Type, node: ts.TypeNode | undefined): Converted {
  const [item, itemNode] = argumentAt(conversion, type, node, 0);
  const { schema, plan } = conversion.convertElement(item, itemNode);
  return { schema: { type: "array", items: schema }, ...(plan && { plan: { kind: "array", items: plan } }) };
}

function convertSet(conversion: Conversion, type: ts.Type, node: ts.TypeNode | undefined): Converted {
  const [item, itemNode] = argumentAt(conversion, type, node, 0);
  const { schema, plan } = conversion.convertElement(item, itemNode);
  return {
    schema: { type: "array", items: schema, uniqueItems: true },
    plan: { kind: "set", ...(plan && { items: plan }) },
  };
}

/** Returns the JSON type of a map, for the definition of a map that contains itself. */
function mapJson(conversion: Conversion, type: ts.Type): JsonType {
  const [key] = argumentAt(conversion, type, undefined, 0);
  return key.flags & ts.TypeFlags.StringLike ? "object" : "array";
}

/** Converts a map: to an object if its keys are strings, and to an array of pairs otherwise. */
function convertMap(conversion: Conversion, type: ts.Type, node: ts.TypeNode | undefined): Converted {
  const keys = conversion.convertElement(...argumentAt(conversion, type, node, 0));
  const values = conversion.convertElement(...argumentAt(conversion, type, node, 1));
  const keyTypes = typesOf(keys.schema);
  if (!keys.plan && keyTypes?.size === 1 && keyTypes.has("string")) {
    const isAnyString = Object.keys(keys.schema).every((key) => key === "type" || key === "description");
    return {
      schema: {
        type: "object",
        ...(!isAnyString && { propertyNames: keys.schema }),
        additionalProperties: values.schema,
      },
      plan: { kind: "map", ...(values.plan && { values: values.plan }) },
    };
  }
  return {
    schema: {
      type: "array",
      items: { type: "array", prefixItems: [keys.schema, values.schema], minItems: 2, maxItems: 2 },
    },
    plan: {
      kind: "entries",
      ...(keys.plan && { keys: keys.plan }),
      ...(values.plan && { values: values.plan }),
    },
  };
}

/** Returns a type argument of a reference and its node. */
function argumentAt(
  { checker }: Conversion,
  type: ts.Type,
  node: ts.TypeNode | undefined,
  index: number,
): [ts.Type, ts.TypeNode | undefined] {
  const argument = checker.getTypeArguments(type as ts.TypeReference)[index] ?? checker.getUnknownType();
  return [argument, argumentNodes(checker, node)[index]];
}
