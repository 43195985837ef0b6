import ts from "typescript";
import type { ItemSource } from "../model/description.ts";
import { type Analysis, callsOf, locate } from "./analysis.ts";
import { renamed } from "./entry-tags.ts";
import { type Candidate, findExports } from "./exports.ts";
import { bodyOf, functionOf, handlerFacts, returnsData } from "./function-body.ts";
import { tagText } from "./items.ts";

/** The functions that define an item, the option that identifies it, and the option with its code. */
const DEFINITIONS = [
  { kind: "tool", name: "defineTool", key: "name", code: "handle" },
  { kind: "prompt", name: "definePrompt", key: "name", code: "get" },
  { kind: "resource", name: "defineResource", key: "uri", code: "read" },
] as const;

/** Finds the code of each exported function, and of each definition whose name is written as a string. */
export function findSources(analysis: Analysis, entry: ts.SourceFile, files: readonly ts.SourceFile[]): ItemSource[] {
  const silent = { ...analysis, report: () => {} };
  const { candidates } = findExports(silent, entry);
  return [
    ...candidates.map((each) => sourceOf(silent, each)),
    ...findDefinitions(silent, files).map((each) => sourceOfDefinition(silent, each)),
  ];
}

/** Finds each definition whose name is written as a string. */
export function findDefinitions(analysis: Analysis, files: readonly ts.SourceFile[]) {
  return DEFINITIONS.flatMap((definition) =>
    callsOf(analysis, files, definition.name).flatMap((call) => toDefinition(call, definition) ?? []),
  );
}

function sourceOf(analysis: Analysis, found: Candidate): ItemSource {
  const { name, node, signature, doc } = renamed(found);
  const uri = tagText(doc.tags, "resource")?.split(/\s/)[0];
  const isPrompt = tagText(doc.tags, "prompt") !== undefined;
  const kind = uri !== undefined ? "resource" : isPrompt ? "prompt" : "tool";
  const facts = handlerFacts(analysis, bodyOf(signature));
  return { kind, key: uri ?? name, ...locate(node), ...facts, returnsUntyped: false };
}

function sourceOfDefinition(analysis: Analysis, found: ReturnType<typeof findDefinitions>[number]): ItemSource {
  const { kind, key, code, hasOutput } = found;
  const [signature] = code ? analysis.checker.getTypeAtLocation(code).getCallSignatures() : [];
  const isUntyped = kind === "tool" && !hasOutput && signature !== undefined;
  return {
    kind,
    key: key.text,
    ...locate(key),
    ...handlerFacts(analysis, code && bodyAt(analysis, code)),
    returnsUntyped: isUntyped && returnsData(analysis, signature),
  };
}

function toDefinition(call: ts.CallExpression, { kind, key, code }: (typeof DEFINITIONS)[number]) {
  const [options] = call.arguments;
  if (options === undefined || !ts.isObjectLiteralExpression(options)) return undefined;
  const find = (name: string) => options.properties.find((each) => each.name?.getText() === name);
  const named = find(key);
  const value = named && ts.isPropertyAssignment(named) ? named.initializer : undefined;
  if (value === undefined || !ts.isStringLiteralLike(value)) return undefined;
  return { kind, key: value, call, code: find(code), hasOutput: find("output") !== undefined };
}

/** Returns the body of a method, or of the function that a property has or names. */
function bodyAt(analysis: Analysis, code: ts.ObjectLiteralElementLike): ts.Node | undefined {
  if (ts.isMethodDeclaration(code)) return code.body;
  const value = ts.isPropertyAssignment(code) ? code.initializer : code.name;
  if (value === undefined) return undefined;
  if (ts.isArrowFunction(value) || ts.isFunctionExpression(value)) return value.body;
  return ts.isExpression(value) ? functionOf(analysis, value) : undefined;
}
