import type { BoundParameter, Codec, Plan } from "proffer/derived";
import ts from "typescript";
import { applyDoc } from "../comments/constraints.ts";
import { docOfNode } from "../comments/docs.ts";
import type { FunctionDoc, NamedDoc } from "../comments/function-doc.ts";
import type { Conversion } from "../model/conversion.ts";
import type { DerivedSchema } from "../model/json-schema.ts";
import { isContext } from "../program/origin.ts";
import { type AssembleOptions, assemble } from "../types/assemble.ts";
import { constantOf } from "../types/constant.ts";
import { applyNestedDoc, checkNestedDoc } from "../types/nested-doc.ts";
import { includesUndefined, isJavaScript, typeNodeOf } from "../types/type-node.ts";
import { ArgumentNames } from "./argument-names.ts";
import type { Candidate } from "./exports.ts";
import { type Draft, flatten, type Parameter, patternOf } from "./input-object.ts";
import type { Session } from "./session.ts";

/** The input of a function: one object with a property for each argument. */
export interface Input {
  schema: DerivedSchema & { type: "object" };
  codec?: Codec;
  parameters: BoundParameter[];
  /** The declarations of the arguments, by name. */
  places: Map<string, ts.Node>;
  /** There were errors, so the function must not be served. */
  isBroken: boolean;
}

/** Derives the input of a function from its parameters. */
export function deriveInput(
  session: Session,
  candidate: Candidate,
  doc: FunctionDoc,
  options: AssembleOptions = {},
): Input {
  const { checker, origins, inward } = session;
  const all = candidate.signature.parameters.map((symbol): Parameter => {
    const declaration = symbol.valueDeclaration;
    const own = declaration && ts.isParameter(declaration) ? declaration : undefined;
    return { symbol, type: checker.getTypeOfSymbol(symbol), declaration: own };
  });
  const isGiven = ({ type }: Parameter) => isContext(origins, checker.getNonNullableType(type));
  const contexts = new Set(all.filter(isGiven).map(({ symbol }) => symbol.name));
  const docs = doc.params.filter(({ name }) => !contexts.has(name));
  const taken = all.filter((parameter) => !isGiven(parameter));
  const [only] = taken;
  const hasCodec = only && session.codecs.find(checker.getNonNullableType(only.type), "in") !== undefined;
  const flattened = taken.length === 1 && only && patternOf(only) && !hasCodec ? only : undefined;
  const draft = flattened
    ? flatten(session, candidate, flattened, docs)
    : fromPositions(session, candidate, taken, docs);
  const { schema, codec, problems } = assemble(inward, draft, options);
  const isBroken = session.reportAll(problems, candidate.node) || draft.isBroken;
  const names = [...draft.names];
  return {
    schema: { ...schema, type: "object", properties: schema.properties ?? {} },
    ...(codec && { codec }),
    parameters: all.map((parameter): BoundParameter => {
      if (isGiven(parameter)) return { kind: "context" };
      if (flattened) return { kind: "arguments", ...(draft.ownNames && { names: draft.ownNames }) };
      const name = names.shift() ?? parameter.symbol.name;
      return { kind: parameter.declaration?.dotDotDotToken ? "rest" : "argument", name };
    }),
    places: draft.places,
    isBroken,
  };
}

function fromPositions(session: Session, candidate: Candidate, taken: Parameter[], docs: NamedDoc[]): Draft {
  const properties: [string, DerivedSchema][] = [];
  const plans: [string, Plan][] = [];
  const required: string[] = [];
  const draft: Draft = { schema: {}, names: [], places: new Map(), isBroken: false };
  const names = new ArgumentNames(taken.map(({ symbol }) => symbol.name));
  const own: string[] = [];
  const heads = docs.filter(({ name }) => headOf(name) === name);
  for (const [index, parameter] of taken.entries()) {
    const node = parameter.declaration ?? candidate.node;
    const name = isPattern(parameter) ? heads[index]?.name : parameter.symbol.name;
    if (name === undefined) {
      session.report(
        "PF1006",
        node,
        `Parameter ${index + 1} of '${candidate.name}' has no name. Name it, or document it with @param name.`,
      );
      draft.isBroken = true;
      continue;
    }
    const { schema, plan, problems } = convertParameter(session, candidate, parameter, name, docs);
    const tags = [parameter.declaration && docOfNode(parameter.declaration), docs.find((doc) => doc.name === name)];
    const shown = names.shown(
      name,
      tags.flatMap((doc) => doc?.tags ?? []),
    );
    if (session.reportAll(names.unsolved(problems), node)) draft.isBroken = true;
    properties.push([shown, schema]);
    if (plan) plans.push([shown, plan]);
    if (isRequired(session, parameter, schema)) required.push(shown);
    own.push(name);
    draft.names.push(shown);
    draft.places.set(shown, node);
  }
  reportUnused(session, candidate, docs, own);
  draft.schema = {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  if (plans.length > 0) draft.plan = { kind: "object", properties: Object.fromEntries(plans) };
  return draft;
}

function convertParameter(
  session: Session,
  candidate: Candidate,
  { type, declaration }: Parameter,
  name: string,
  docs: NamedDoc[],
): ReturnType<Conversion["collect"]> {
  const { inward, checker } = session;
  const isTagged = declaration !== undefined && isJavaScript(declaration);
  return inward.collect(`parameter '${name}' of '${candidate.name}'`, declaration, () => {
    const { schema, plan } = inward.convert(type, typeNodeOf(declaration));
    let documented = applyDoc(inward, schema, declaration && docOfNode(declaration));
    for (const doc of docs) {
      if (doc.name === name) documented = applyDoc(inward, documented, doc);
      else if (headOf(doc.name) !== name) continue;
      else if (isTagged) checkNestedDoc(inward, documented, doc);
      else documented = applyNestedDoc(inward, documented, doc);
    }
    const given = declaration?.initializer && constantOf(checker, declaration.initializer);
    return { schema: given === undefined ? documented : { ...documented, default: given }, ...(plan && { plan }) };
  });
}

function isRequired({ checker }: Session, { type, declaration }: Parameter, schema: DerivedSchema): boolean {
  if (declaration === undefined) return !includesUndefined(type);
  if (declaration.dotDotDotToken) return (schema.minItems ?? 0) > 0;
  return !declaration.initializer && !checker.isOptionalParameter(declaration) && !includesUndefined(type);
}

function reportUnused(session: Session, candidate: Candidate, docs: NamedDoc[], names: string[]): void {
  // The author cannot fix the comments of a package whose function is exported again.
  if (!session.origins.isProject(candidate.node.getSourceFile())) return;
  for (const { name } of docs) {
    const head = headOf(name);
    if (!names.includes(head))
      session.report(
        "PF2006",
        candidate.node,
        `@param ${head} does not match a parameter of '${candidate.name}'. Correct the name, or remove the tag.`,
      );
  }
}

/** Returns the parameter in a name such as `options.limit` or `list[].id`. */
function headOf(name: string): string {
  return name.replace(/[.[].*$/, "");
}

function isPattern({ declaration }: Parameter): boolean {
  return declaration !== undefined && !ts.isIdentifier(declaration.name);
}
