import ts from "typescript";
import { elementTypes } from "../types/type-node.ts";
import type { Session } from "./session.ts";

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
export function isWholeResult(session: Session, type: ts.Type): boolean {
  const { checker } = session;
  if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return false;
  if (!checker.getPropertiesOfType(type).every(({ name }) => PROPERTIES.has(name))) return false;
  const isError = propertyType(checker, type, "isError");
  if (isError !== undefined && !membersOf(isError).every(isBoolean)) return false;
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
    return membersOf(type).every((kind) => kind.isStringLiteral() && has(REQUIRED.get(kind.value)));
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
  return membersOf(type).every(({ flags }) => flags & (ts.TypeFlags.StringLike | ts.TypeFlags.Object));
}

function membersOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}

function isBoolean({ flags }: ts.Type): boolean {
  return (flags & (ts.TypeFlags.BooleanLike | ts.TypeFlags.Undefined)) !== 0;
}
