import ts from "typescript";
import { groupTags } from "../comments/function-doc.ts";
import type { ItemSource } from "../model/item-source.ts";
import { aliasTarget } from "../types/type-node.ts";
import { type Candidate, findExports } from "./exports.ts";
import { renamed } from "./function-tags.ts";
import { functionOf, handlerFacts, returnsData } from "./handler-facts.ts";
import { locate, type Session } from "./session.ts";
import { tagText } from "./tool.ts";
import { bodyOf } from "./unseen-errors.ts";

/** The functions that define an item, the option that identifies it, and the option with its code. */
const DEFINITIONS = [
  { kind: "tool", name: "defineTool", key: "name", code: "handle" },
  { kind: "prompt", name: "definePrompt", key: "name", code: "get" },
  { kind: "resource", name: "defineResource", key: "uri", code: "read" },
] as const;

/** Finds the code of each exported function, and of each definition whose name is written as a string. */
export function findSources(session: Session, entry: ts.SourceFile, files: readonly ts.SourceFile[]): ItemSource[] {
  const silent = { ...session, report: () => {} };
  const { candidates } = findExports(silent, entry);
  const defined = files.filter((file) => !file.isDeclarationFile && /\bdefine[TPR]/.test(file.text));
  return [
    ...candidates.map((each) => sourceOf(silent, each)),
    ...defined.flatMap((file) => definitionsIn(silent, file)),
  ];
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

function definitionsIn(session: Session, file: ts.SourceFile): ItemSource[] {
  const found: ItemSource[] = [];
  function visit(node: ts.Node): void {
    const source = ts.isCallExpression(node) ? definitionAt(session, node) : undefined;
    if (source) found.push(source);
    ts.forEachChild(node, visit);
  }
  visit(file);
  return found;
}

function definitionAt(session: Session, { expression, arguments: given }: ts.CallExpression): ItemSource | undefined {
  const { checker, origins } = session;
  const [options] = given;
  const callee = checker.getSymbolAtLocation(expression);
  if (callee === undefined || options === undefined || !ts.isObjectLiteralExpression(options)) return undefined;
  const definition = DEFINITIONS.find(({ name }) => origins.isRuntime(aliasTarget(checker, callee), name));
  if (definition === undefined) return undefined;
  const find = (name: string) => options.properties.find((each) => each.name?.getText() === name);
  const key = find(definition.key);
  const value = key && ts.isPropertyAssignment(key) ? key.initializer : undefined;
  if (value === undefined || !ts.isStringLiteralLike(value)) return undefined;
  const code = find(definition.code);
  const [signature] = code ? checker.getTypeAtLocation(code).getCallSignatures() : [];
  const untyped = definition.kind === "tool" && find("output") === undefined && signature !== undefined;
  return {
    kind: definition.kind,
    key: value.text,
    ...locate(value),
    ...handlerFacts(session, code && bodyAt(session, code)),
    returnsUntyped: untyped && returnsData(session, signature),
  };
}

/** Returns the body of a method, or of the function that a property has or names. */
function bodyAt(session: Session, code: ts.ObjectLiteralElementLike): ts.Node | undefined {
  if (ts.isMethodDeclaration(code)) return code.body;
  const value = ts.isPropertyAssignment(code) ? code.initializer : code.name;
  if (value === undefined) return undefined;
  if (ts.isArrowFunction(value) || ts.isFunctionExpression(value)) return value.body;
  return ts.isExpression(value) ? functionOf(session, value) : undefined;
}
