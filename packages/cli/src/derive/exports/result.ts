import type { BoundResult } from "proffer/derived";
import ts from "typescript";
import { applyDoc } from "../comments/apply-comment.ts";
import { type DerivedSchema, isOpen, withNull } from "../model/json-schema.ts";
import { contentKindOf } from "../program/origin.ts";
import { assemble } from "../types/assemble.ts";
import { listOf } from "../types/conversion.ts";
import { ASYNC_ITERABLES, BYTES, ITERABLES, RAW_CONTENT } from "../types/platform.ts";
import {
  argumentNodes,
  elementTypes,
  isAbsent,
  isJavaScript,
  orderedMembers,
  typeNodeOf,
  unionMembers,
  type WrittenType,
} from "../types/type-node.ts";
import { convertMembers } from "../types/union.ts";
import type { Analysis } from "./analysis.ts";
import type { Candidate } from "./exports.ts";

/** The output of a function. */
export interface Output {
  /** Absent if it would not constrain anything. */
  schema?: DerivedSchema;
  bound: BoundResult;
  /** There were errors, so the function must not be served. */
  isBroken: boolean;
}

interface OutputOptions {
  /** Report a result without a schema, because its properties cannot be dropped. */
  closed?: boolean;
  /** Treat bytes as the whole result as content, not as data. */
  rawBytes?: boolean;
  /** Treat objects with the properties of a result as the result, not as data. */
  wholeResults?: boolean;
}

/** The alternatives of a return type. */
interface Alternatives {
  data: WrittenType[];
  /** Some are content, which the run-time interprets. */
  hasContent: boolean;
  /** Some are whole results, which the run-time sends unchanged. */
  hasResult: boolean;
  /** The function may return nothing. */
  hasNothing: boolean;
  /** Apart from data there is only undefined, so the whole type can be converted at once. */
  isWhole: boolean;
}

/** Derives the output of a function from its return type. */
export function deriveOutput(analysis: Analysis, candidate: Candidate, options: OutputOptions = {}): Output {
  const { outward } = analysis;
  const whole = returnTypeOf(analysis, candidate.signature);
  const { data, hasContent, hasResult, hasNothing, isWhole } = classifyAlternatives(analysis, whole, options);
  const [only] = data;
  const isInterpreted = hasContent || hasResult;
  if (only === undefined) {
    const isBroken = options.closed === true && reportOpen(analysis, candidate);
    return { bound: { kind: hasResult && !hasContent ? "result" : "content" }, isBroken };
  }
  const item = data.length === 1 ? itemOf(analysis, only) : undefined;
  const collected = outward.collect(`the result of '${candidate.name}'`, candidate.node, () => {
    if (item) reportReturn(analysis, only.type);
    const converted = item
      ? listOf(outward.convertElement(item.type, item.node))
      : isWhole
        ? outward.convert(whole.type, whole.node)
        : convertMembers(outward, data, () => analysis.checker.typeToString(whole.type));
    // The root must not be a `$ref`: its type decides how the result is sent to clients of each protocol revision.
    const written = outward.inline(converted);
    const schema = applyDoc(outward, written.schema, candidate.doc.returns);
    return { ...written, schema: hasNothing ? withNull(schema) : schema };
  });
  const { schema, codec, problems } = assemble(outward, collected);
  const isDescribed = !isInterpreted && !isOpen(schema);
  const isRefused = analysis.reportAll([...collected.problems, ...problems], candidate.node);
  const isBroken = isRefused || (options.closed === true && !isDescribed && reportOpen(analysis, candidate));
  return {
    ...(isDescribed && { schema }),
    bound: {
      kind: isInterpreted ? "content" : item ? "iterable" : "value",
      ...(hasNothing && !isInterpreted && { nullable: true as const }),
      ...(codec && { encode: codec }),
    },
    isBroken,
  };
}

/** Reports a closed result without a schema. */
function reportOpen(analysis: Analysis, { name, node }: Candidate): true {
  analysis.report(
    "PF1140",
    node,
    `'${name}' has the tag @closed, but its return type does not name the properties of the result. Declare an interface, or remove the tag.`,
  );
  return true;
}

/** Whether a prompt can return this: text, or messages created with the run-time's functions. */
export function isPromptResult(analysis: Analysis, { signature }: Candidate): boolean {
  const { checker, origins } = analysis;
  const isMessage = (type: ts.Type): boolean => {
    if (type.flags & (ts.TypeFlags.StringLike | ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.Never))
      return true;
    if (type.isUnion()) return type.types.every(isMessage);
    const mark = contentKindOf(checker, origins, type);
    return mark === "block" || mark === "message" || mark === "messages";
  };
  const { type } = returnTypeOf(analysis, signature);
  return unionMembers(type).every(
    (member) => isMessage(member) || (elementTypes(checker, member)?.every(isMessage) ?? false),
  );
}

function returnTypeOf({ checker }: Analysis, signature: ts.Signature): WrittenType {
  const type = checker.getReturnTypeOfSignature(signature);
  const awaited = checker.getAwaitedType(type) ?? type;
  const { declaration } = signature;
  const node =
    declaration && (isJavaScript(declaration) ? ts.getJSDocReturnType(declaration) : typeNodeOf(declaration));
  return { type: awaited, node: awaited === type ? node : argumentNodes(checker, node)[0] };
}

function classifyAlternatives(analysis: Analysis, whole: WrittenType, options: OutputOptions): Alternatives {
  const { checker, origins } = analysis;
  const { rawBytes = false } = options;
  const sorted: Alternatives = { data: [], hasContent: false, hasResult: false, hasNothing: false, isWhole: true };
  const members = whole.type.isUnion() ? orderedMembers(checker, whole.type, whole.node) : [whole];
  for (const member of members) {
    const { type } = member;
    const mark = contentKindOf(checker, origins, type);
    if (isAbsent(type) || type.flags & ts.TypeFlags.Never) {
      sorted.hasNothing = true;
    } else if (mark === "failure") {
      sorted.isWhole = false;
    } else if (mark === "result") {
      const value = checker.getPropertyOfType(type, "value");
      const inner = value
        ? classifyAlternatives(analysis, { type: checker.getTypeOfSymbol(value), node: undefined }, {})
        : undefined;
      sorted.data.push(...(inner?.data ?? []));
      sorted.hasNothing ||= inner?.hasNothing ?? false;
      sorted.isWhole = false;
    } else if (mark !== undefined || isContent(analysis, type, rawBytes)) {
      sorted.hasContent = true;
      sorted.isWhole = false;
    } else if (options.wholeResults && isWholeResult(analysis, type)) {
      sorted.hasResult = true;
      sorted.isWhole = false;
    } else {
      sorted.data.push(member);
    }
  }
  return sorted;
}

/** Whether the run-time converts values of this type to content automatically. */
function isContent(analysis: Analysis, type: ts.Type, rawBytes: boolean): boolean {
  const { checker, origins } = analysis;
  const blocks = elementTypes(checker, type);
  if (blocks?.every((block) => ["block", "failure"].includes(contentKindOf(checker, origins, block) ?? "")))
    return true;
  if (isRaw(analysis, type)) return true;
  const name = platformName(analysis, type);
  if (name === undefined) return false;
  if (rawBytes && BYTES.has(name)) return true;
  return ASYNC_ITERABLES.has(name) && isTextOrBytes(analysis, itemOf(analysis, { type, node: undefined })?.type);
}

/** Whether a type is binary content or a stream, or extends one: `ReadStream` of Node extends `Readable`. */
function isRaw(analysis: Analysis, type: ts.Type): boolean {
  if (RAW_CONTENT.has(platformName(analysis, type) ?? "")) return true;
  const bases = type.isClassOrInterface() ? analysis.checker.getBaseTypes(type) : [];
  return bases.some((base) => isRaw(analysis, base));
}

/** Whether the text that a function yields, piece by piece, becomes one text. A stream is written as one. */
export function joinsText(analysis: Analysis, { signature }: Candidate): boolean {
  const { type, node } = returnTypeOf(analysis, signature);
  const name = platformName(analysis, type);
  if (name === undefined || name === "ReadableStream" || !ASYNC_ITERABLES.has(name)) return false;
  const item = itemOf(analysis, { type, node })?.type;
  return item !== undefined && unionMembers(item).every(({ flags }) => flags & ts.TypeFlags.StringLike);
}

/** Whether a type is text or bytes. A sequence of them becomes one text or one blob. */
function isTextOrBytes(analysis: Analysis, type: ts.Type | undefined): boolean {
  if (type === undefined) return false;
  if (type.isUnion()) return type.types.every((member) => isTextOrBytes(analysis, member));
  return (type.flags & ts.TypeFlags.StringLike) !== 0 || BYTES.has(platformName(analysis, type) ?? "");
}

/** Returns the item type of an iterable. */
function itemOf(analysis: Analysis, { type, node }: WrittenType): WrittenType | undefined {
  const name = platformName(analysis, type);
  if (name === undefined || !(ITERABLES.has(name) || ASYNC_ITERABLES.has(name))) return undefined;
  const item = analysis.checker.getTypeArguments(type as ts.TypeReference)[0] ?? analysis.checker.getUnknownType();
  return { type: item, node: argumentNodes(analysis.checker, node)[0] };
}

/** Reports the value that a generator returns after its last item: iteration drops it, as `for … of` does. */
function reportReturn(analysis: Analysis, type: ts.Type): void {
  const { checker, outward } = analysis;
  if (!/^(?:Async)?Generator$/.test(platformName(analysis, type) ?? "")) return;
  const returned = checker.getTypeArguments(type as ts.TypeReference)[1];
  const ignored = ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.Never;
  if (returned === undefined || returned.flags & ignored || isAbsent(returned)) return;
  outward.report(
    "PF2021",
    `${outward.subject} contains the items that the generator yields, but not its return value (${checker.typeToString(returned)}). Yield that value, or return an object that contains the items.`,
  );
}

function platformName({ origins }: Analysis, type: ts.Type): string | undefined {
  return type.symbol && origins.isPlatform(type.symbol) ? type.symbol.name : undefined;
}

/** The properties of a result. `resultType` is in the type of the official SDK; the run-time sets it. */
const PROPERTIES = new Set(["content", "structuredContent", "isError", "_meta", "resultType"]);

/** The properties that a block must have, by its type. */
const REQUIRED = new Map([
  ["text", ["text"]],
  ["image", ["data", "mimeType"]],
  ["audio", ["data", "mimeType"]],
  ["resource_link", ["uri", "name"]],
  ["resource", ["resource"]],
]);

/** All properties of blocks. */
const BLOCK_PROPERTIES = new Set(
  ["type", "annotations", "_meta", "title", "description", "size", "icons"].concat(...REQUIRED.values()),
);

/**
 * Whether a type is the result of a call itself, such as `CallToolResult` of the official SDK, as opposed to data. The
 * run-time still checks each value, because an inferred type says only `type: string`.
 */
function isWholeResult(analysis: Analysis, type: ts.Type): boolean {
  const { checker } = analysis;
  if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return false;
  if (!checker.getPropertiesOfType(type).every(({ name }) => PROPERTIES.has(name))) return false;
  const isError = propertyType(checker, type, "isError");
  const isBoolean = ({ flags }: ts.Type) => flags & (ts.TypeFlags.BooleanLike | ts.TypeFlags.Undefined);
  if (isError !== undefined && !unionMembers(isError).every(isBoolean)) return false;
  const content = propertyType(checker, type, "content");
  const blocks = content && elementTypes(checker, content);
  return blocks?.every((block) => isBlock(checker, block)) ?? false;
}

function isBlock(checker: ts.TypeChecker, block: ts.Type): boolean {
  if (block.flags & ts.TypeFlags.Never) return true;
  const type = propertyType(checker, block, "type");
  if (type === undefined) return false;
  const has = (names: readonly string[] | undefined) =>
    names?.every((name) => isPresent(propertyType(checker, block, name))) ?? false;
  if (!(type.flags & ts.TypeFlags.String)) {
    return unionMembers(type).every((kind) => kind.isStringLiteral() && has(REQUIRED.get(kind.value)));
  }
  // An inferred `type: string` says little: the other properties must be those of a block.
  const isKnown = checker.getPropertiesOfType(block).every(({ name }) => BLOCK_PROPERTIES.has(name));
  return isKnown && [...REQUIRED.values()].some(has);
}

function propertyType(checker: ts.TypeChecker, type: ts.Type, name: string): ts.Type | undefined {
  const property = checker.getPropertyOfType(type, name);
  return property && checker.getTypeOfSymbol(property);
}

/** Whether a property of this type is text or, as the resource of a block, an object. */
function isPresent(type: ts.Type | undefined): boolean {
  if (type === undefined) return false;
  return unionMembers(type).every(({ flags }) => flags & (ts.TypeFlags.StringLike | ts.TypeFlags.Object));
}
