import ts from "typescript";
import { groupTags } from "../comments/function-doc.ts";
import type { ItemSource } from "../model/item-source.ts";
import { aliasTarget } from "../types/type-node.ts";
import { type Candidate, findExports } from "./exports.ts";
import { renamed } from "./function-tags.ts";
import { locate, type Session } from "./session.ts";
import { tagText } from "./tool.ts";

/** The functions that define an item, the option that identifies it, and the option with its code. */
const DEFINITIONS = [
  { kind: "tool", name: "defineTool", key: "name" },
  { kind: "prompt", name: "definePrompt", key: "name" },
  { kind: "resource", name: "defineResource", key: "uri" },
] as const;

/** Finds the code of each exported function, and of each definition whose name is written as a string. */
export function findSources(session: Session, entry: ts.SourceFile, files: readonly ts.SourceFile[]): ItemSource[] {
  const silent = { ...session, report: () => {} };
  const { candidates } = findExports(silent, entry);
  const defined = files.filter((file) => !file.isDeclarationFile && /\bdefine[TPR]/.test(file.text));
  return [...candidates.map(sourceOf), ...defined.flatMap((file) => definitionsIn(silent, file))];
}

function sourceOf(found: Candidate): ItemSource {
  const doc = groupTags(found.doc ?? { text: "", tags: [] });
  const { name, node } = renamed(found, doc);
  const uri = tagText(doc.tags, "resource")?.split(/\s/)[0];
  const isPrompt = tagText(doc.tags, "prompt") !== undefined;
  const kind = uri !== undefined ? "resource" : isPrompt ? "prompt" : "tool";
  return { kind, key: uri ?? name, ...locate(node) };
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

function definitionAt({ checker, origins }: Session, { expression, arguments: given }: ts.CallExpression) {
  const [options] = given;
  const callee = checker.getSymbolAtLocation(expression);
  if (callee === undefined || options === undefined || !ts.isObjectLiteralExpression(options)) return undefined;
  const definition = DEFINITIONS.find(({ name }) => origins.isRuntime(aliasTarget(checker, callee), name));
  if (definition === undefined) return undefined;
  const key = options.properties.find((each) => each.name?.getText() === definition.key);
  const value = key && ts.isPropertyAssignment(key) ? key.initializer : undefined;
  if (value === undefined || !ts.isStringLiteralLike(value)) return undefined;
  return { kind: definition.kind, key: value.text, ...locate(value) };
}
