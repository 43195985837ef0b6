import ts from "typescript";
import { type JsonType, typesOf } from "../model/json-schema.ts";
import { type Conversion, type Converted, listOf } from "./conversion.ts";
import { convertOutwardPlatform, forEach, NUMBER_ARRAYS } from "./outward.ts";
import { tupleSchema } from "./tuple.ts";
import { argumentNodes, isAbsent, isInherited, type WrittenType } from "./type-node.ts";

/** Replacements for classes that have no JSON representation. */
const ADVICE: Readonly<Record<string, string>> = {
  ...forEach("Uint8Array", "ArrayBuffer SharedArrayBuffer DataView Uint8ClampedArray Blob File"),
  ...forEach("number[]", NUMBER_ARRAYS),
  ...forEach("bigint[]", "BigInt64Array BigUint64Array"),
  RegExp: "a string with @format regex",
  Error: "a string, or throw it",
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

/** The platform classes that have their own JSON representation instead of their properties. */
export const JSON_FORMS: ReadonlySet<string> = new Set(
  "Date URL Uint8Array Buffer Set ReadonlySet Map ReadonlyMap".split(" "),
);

/** Asynchronous sequences: allowed as the whole result, but not within it. */
export const ASYNC_ITERABLES: ReadonlySet<string> = new Set(
  "AsyncIterable AsyncIterableIterator AsyncIteratorObject AsyncGenerator ReadableStream".split(" "),
);

/** Types that the run-time sends as binary content or as a stream, without JSON. */
export const RAW_CONTENT: ReadonlySet<string> = new Set(["Blob", "File", "ReadableStream", "Readable"]);

export const BYTES: ReadonlySet<string> = new Set(["Uint8Array", "Buffer"]);

export const ITERABLES: ReadonlySet<string> = new Set(
  "Iterable IterableIterator IteratorObject Generator ArrayIterator MapIterator SetIterator StringIterator".split(" "),
);

/** Converts a platform class with its own JSON representation; undefined for any other type. */
export function convertPlatform(conversion: Conversion, type: ts.Type, node?: ts.TypeNode): Converted | undefined {
  const { symbol } = type;
  if (symbol === undefined || !conversion.origins.isPlatform(symbol)) return undefined;
  const { checker, subject } = conversion;
  const { name } = symbol;
  const text = convertText(name);
  if (text) return text;
  const argument = (index: number): WrittenType => ({
    type: checker.getTypeArguments(type as ts.TypeReference)[index] ?? checker.getUnknownType(),
    node: argumentNodes(checker, node)[index],
  });
  switch (name) {
    case "Set":
    case "ReadonlySet":
      return conversion.enter(type, "array", () => convertSet(conversion, argument(0)));
    case "Map":
    case "ReadonlyMap":
      return conversion.enter(type, mapJson(argument(0).type), () => convertMap(conversion, argument(0), argument(1)));
    case "Promise":
    case "PromiseLike":
      conversion.report("PF1104", `${subject} has the type ${name}, which JSON cannot represent. Await it first.`);
      return { schema: {} };
  }
  if (ITERABLES.has(name) && conversion.direction === "in")
    return conversion.enter(type, "array", () => listOf(conversion.convertElement(argument(0).type, argument(0).node)));
  if (ITERABLES.has(name) || ASYNC_ITERABLES.has(name) || name === "Iterator" || name === "AsyncIterator") {
    conversion.report(
      "PF1104",
      `${subject} has the type ${name}, which JSON cannot represent. Collect its items into an array.`,
    );
    return { schema: {} };
  }
  const outward = convertOutwardPlatform(conversion, name);
  if (outward) return outward;
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

/** Converts a platform class that JSON carries as a string; undefined for any other name. */
export function convertText(name: string): Converted | undefined {
  switch (name) {
    case "Date":
      return { schema: { type: "string", format: "date-time" }, plan: { kind: "date" } };
    case "URL":
      return { schema: { type: "string", format: "uri" }, plan: { kind: "url" } };
    case "Uint8Array":
      return { schema: { type: "string", contentEncoding: "base64" }, plan: { kind: "bytes" } };
    case "Buffer":
      return { schema: { type: "string", contentEncoding: "base64" }, plan: { kind: "buffer" } };
    default:
      return undefined;
  }
}

/** Converts a set of these items. */
export function convertSet(conversion: Conversion, item: WrittenType): Converted {
  const { schema, plan } = conversion.convertElement(item.type, item.node);
  // Different objects of a Set may be equal in JSON, so a result is not checked.
  const isUnique = conversion.direction === "in";
  return {
    schema: { type: "array", items: schema, ...(isUnique && { uniqueItems: true }) },
    plan: { kind: "set", ...(plan && { items: plan }) },
  };
}

/** Returns the JSON type of a map with these keys, for the definition of a map that contains itself. */
export function mapJson(key: ts.Type): JsonType {
  return key.flags & ts.TypeFlags.StringLike ? "object" : "array";
}

/** Converts a map: to an object if its keys are strings, and to an array of pairs otherwise. */
export function convertMap(conversion: Conversion, key: WrittenType, value: WrittenType): Converted {
  const keys = conversion.convertElement(key.type, key.node);
  const values = conversion.convertElement(value.type, value.node);
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
    schema: { type: "array", items: tupleSchema([keys.schema, values.schema], 2) },
    plan: {
      kind: "entries",
      ...(keys.plan && { keys: keys.plan }),
      ...(values.plan && { values: values.plan }),
    },
  };
}

/** Types that mean any value, or a primitive one. Authors should write the primitive type instead. */
const WRAPPERS = new Set(["Object", "Function", "String", "Number", "Boolean", "BigInt", "Symbol"]);

/**
 * Whether no argument can have the type, because JSON has no such value: symbols, functions, and objects with methods,
 * such as the RegExp in `string | RegExp`.
 */
export function isOnlyInCode(conversion: Conversion, type: ts.Type): boolean {
  if (conversion.direction === "out") return false;
  return findOnce(conversion, type, []);
}

/** `within` are the types that contain this one. */
function find(conversion: Conversion, type: ts.Type, within: readonly ts.Type[]): boolean {
  const { checker, direction, codecs } = conversion;
  // A list of lists that contains itself can be empty.
  if (within.includes(type)) return false;
  const outer = [...within, type];
  if (type.flags & ts.TypeFlags.ESSymbolLike) return true;
  if (type.isUnion()) {
    const present = type.types.filter((member) => !isAbsent(member) && !(member.flags & ts.TypeFlags.Null));
    return present.length > 0 && present.every((member) => find(conversion, member, outer));
  }
  if (codecs.find(type, direction)) return false;
  // A brand has the methods of its primitive type, so only the parts count.
  if (type.isIntersection()) return type.types.some((part) => find(conversion, part, outer));
  if (!(type.flags & ts.TypeFlags.Object)) return false;
  const [element] = checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference) : [];
  if (element) return find(conversion, element, outer);
  if (isToJsonOnly(checker, type)) return true;
  if (isArrayOrPlatform(conversion, type)) return false;
  if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0) return true;
  return checker.getPropertiesOfType(type).some((member) => {
    if (member.flags & ts.SymbolFlags.Optional || isInherited(conversion, member) || member.name.startsWith("__@"))
      return false;
    const own = checker.getTypeOfSymbol(member);
    return own.getCallSignatures().length > 0 || (within.length < MAX_DEPTH && findOnce(conversion, own, outer));
  });
}

/** Deeper members are not looked at: a library's types have many. */
const MAX_DEPTH = 6;

function findOnce(conversion: Conversion, type: ts.Type, within: readonly ts.Type[]): boolean {
  const { onlyInCode } = conversion;
  const known = onlyInCode.get(type) ?? find(conversion, type, within);
  onlyInCode.set(type, known);
  return known;
}

/** Whether a type is `{ toJSON(): unknown }`, as in Prisma's InputJsonValue. JSON contains the value that it returned. */
function isToJsonOnly(checker: ts.TypeChecker, type: ts.Type): boolean {
  const [only, ...others] = checker.getPropertiesOfType(type);
  if (only?.name !== "toJSON" || others.length > 0) return false;
  return checker.getTypeOfSymbol(only).getCallSignatures().length > 0;
}

/** Whether a type is an array, or has or extends a class with a JSON form, although it has methods. */
function isArrayOrPlatform({ checker, origins }: Conversion, type: ts.Type): boolean {
  if (checker.isArrayLikeType(type)) return true;
  const declared = (type as ts.TypeReference).target ?? type;
  const bases = declared.isClassOrInterface() ? checker.getBaseTypes(declared) : [];
  return [type, ...bases].some(({ symbol }) => {
    if (symbol === undefined || !origins.isPlatform(symbol)) return false;
    // Every object extends Object, as moment says of its own.
    if (symbol.name === "Object" && symbol !== type.symbol) return false;
    return JSON_FORMS.has(symbol.name) || WRAPPERS.has(symbol.name);
  });
}
