import ts from "typescript";
import { groupTags } from "../comments/function-doc.ts";
import type { ItemSource } from "../model/description.ts";
import { aliasTarget } from "../types/type-node.ts";
import { renamed } from "./entry-tags.ts";
import { type Candidate, findExports } from "./exports.ts";
import { bodyOf, functionOf, handlerFacts, returnsData } from "./function-body.ts";
import { locate, type Session } from "./session.ts";
import { tagText } from "./tool.ts";

/** The functions that define an item, the option that identifies it, and the option with its code. */
const DEFINITIONS = [
  { kind: "tool", name: "defineTool", key: "name", code: "handle" },
  { kind: "prompt", name: "definePrompt", key: "name", code: "get" },
  { kind: "resource", name: "defineResource", key: "uri", code: "read" },
] as const;

/** A definition whose name is written as a string. */
export interface FoundDefinition {
  readonly kind: ItemSource["kind"];
  readonly key: ts.StringLiteralLike;
  readonly call: ts.CallExpression;
  /** The option with its code. */
  readonly code: ts.ObjectLiteralElementLike | undefined;
  readonly hasOutput: boolean;
}

/** Finds the code of each exported function, and of each definition whose name is written as a string. */
export function findSources(session: Session, entry: ts.SourceFile, files: readonly ts.SourceFile[]): ItemSource[] {
  const silent = { ...session, report: () => {} };
  const { candidates } = findExports(silent, entry);
  return [
    ...candidates.map((each) => sourceOf(silent, each)),
    ...findDefinitions(silent, files).map((each) => sourceOfDefinition(silent, each)),
  ];
}

/** Finds each definition whose name is written as a string. */
export function findDefinitions(session: Session, files: readonly ts.SourceFile[]): FoundDefinition[] {
  const found: FoundDefinition[] = [];
  function visit(node: ts.Node): void {
    const definition = ts.isCallExpression(node) ? definitionAt(session, node) : undefined;
    if (definition) found.push(definition);
    ts.forEachChild(node, visit);
  }
  for (const file of files) if (!file.isDeclarationFile && /\bdefine[TPR]/.test(file.text)) visit(file);
  return found;
}

function sourceOf(session: Session, found: Candidate): ItemSource {
  const doc = groupTags(found.doc ?? { text: "", tags: [] });
  const { name, node, signature } = renamed(found, doc);
  const uri = tagText(doc.tags, "resource")?.split(/\s/)[0];
  const isPrompt = tagText(doc.tags, "prompt") !== undefined;
  const kind = uri !== undefined ? "resource" : isPrompt ? "prompt" : "tool";
  const facts = handlerFacts(session, bodyOf(signature));
  return { kind, key: uri ?? name, ...locate(node), ...facts, returnsUntyped: false };
}

function sourceOfDefinition(session: Session, { kind, key, code, hasOutput }: FoundDefinition): ItemSource {
  const [signature] = code ? session.checker.getTypeAtLocation(code).getCallSignatures() : [];
  const isUntyped = kind === "tool" && !hasOutput && signature !== undefined;
  return {
    kind,
    key: key.text,
    ...locate(key),
    ...handlerFacts(session, code && bodyAt(session, code)),
    returnsUntyped: isUntyped && returnsData(session, signature),
  };
}

function definitionAt({ checker, origins }: Session, call: ts.CallExpression): FoundDefinition | undefined {
  const [options] = call.arguments;
  const callee = checker.getSymbolAtLocation(call.expression);
  if (callee === undefined || options === undefined || !ts.isObjectLiteralExpression(options)) return undefined;
  const definition = DEFINITIONS.find(({ name }) => origins.isRuntime(aliasTarget(checker, callee), name));
  if (definition === undefined) return undefined;
  const find = (name: string) => options.properties.find((each) => each.name?.getText() === name);
  const key = find(definition.key);
  const value = key && ts.isPropertyAssignment(key) ? key.initializer : undefined;
  if (value === undefined || !ts.isStringLiteralLike(value)) return undefined;
  const { kind } = definition;
  return { kind, key: value, call, code: find(definition.code), hasOutput: find("output") !== undefined };
}

/** Returns the body of a method, or of the function that a property has or names. */
function bodyAt(session: Session, code: ts.ObjectLiteralElementLike): ts.Node | undefined {
  if (ts.isMethodDeclaration(code)) return code.body;
  const value = ts.isPropertyAssignment(code) ? code.initializer : code.name;
  if (value === undefined) return undefined;
  if (ts.isArrowFunction(value) || ts.isFunctionExpression(value)) return value.body;
  return ts.isExpression(value) ? functionOf(session, value) : undefined;
}
