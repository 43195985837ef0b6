import type { BoundParameter, Codec, ParamScopes, Plan } from "proffer/derived";
import type ts from "typescript";
import { applyDoc } from "../comments/apply-comment.ts";
import { reportUnprotected } from "../comments/check-tags.ts";
import { docOfNode } from "../comments/find-comment.ts";
import type { NamedDoc } from "../comments/function-comment.ts";
import type { DerivedSchema } from "../model/json-schema.ts";
import { isContext } from "../program/origin.ts";
import { type AssembleOptions, assemble } from "../types/assemble.ts";
import { type Conversion, listOf } from "../types/conversion.ts";
import { applyNestedDoc, reportLostConstraints } from "../types/nested-params.ts";
import { constantOf } from "../types/primitive.ts";
import { includesUndefined, isForeignUndefined, isJavaScript, reportMissable } from "../types/type-node.ts";
import type { Analysis } from "./analysis.ts";
import {
  type ArgumentScopes,
  createArgumentNames,
  createArgumentScopes,
  type Draft,
  flatten,
  withDefaults,
} from "./arguments.ts";
import { reporterFor } from "./entry-tags.ts";
import type { Candidate } from "./exports.ts";
import { headOf, keysOf, nameParameters, type Parameter, parametersOf, patternOf } from "./parameters.ts";

/** The input of a function: one object with a property for each argument. */
export interface Input {
  schema: DerivedSchema & { type: "object" };
  codec?: Codec;
  parameters: BoundParameter[];
  /** The scopes that arguments require, by name. */
  paramScopes?: ParamScopes;
  /** The declarations of the arguments, by name. */
  places: Map<string, ts.Node>;
  /** There were errors, so the function must not be served. */
  isBroken: boolean;
}

/** Derives the input of a function from its parameters. */
export function deriveInput(analysis: Analysis, candidate: Candidate, options: AssembleOptions = {}): Input {
  const { checker, origins, inward } = analysis;
  const all = parametersOf(analysis, candidate);
  const isGiven = ({ type }: Parameter) => isContext(origins, checker.getNonNullableType(type));
  const contexts = new Set(all.filter(isGiven).map(({ name }) => name));
  const { params } = candidate.doc;
  const docs = params.filter(({ name }) => !contexts.has(name));
  const taken = all.filter((parameter) => !isGiven(parameter));
  const [only] = taken;
  const hasCodec = only && analysis.codecs.find(checker.getNonNullableType(only.type), "in") !== undefined;
  const flattened = taken.length === 1 && only && patternOf(only) && !hasCodec ? only : undefined;
  const scopes = createArgumentScopes(params);
  const draft = flattened
    ? flatten(analysis, candidate, flattened, docs, scopes)
    : fromPositions(analysis, candidate, taken, docs, scopes);
  const { schema, codec, problems } = assemble(inward, draft, options);
  const before = analysis.diagnostics.length;
  const reporter = reporterFor(analysis, `'${candidate.name}'`, candidate.node);
  for (const tag of scopes.unused()) reportUnprotected(reporter, tag);
  const isUnprotected = analysis.diagnostics.length > before;
  const isBroken = analysis.reportAll(problems, candidate.node) || draft.isBroken || isUnprotected;
  const paramScopes = scopes.byArgument();
  const names = [...draft.names];
  return {
    schema: { ...schema, type: "object", properties: schema.properties ?? {} },
    ...(codec && { codec }),
    parameters: all.map((parameter): BoundParameter => {
      if (isGiven(parameter)) return { kind: "context" };
      if (flattened) return { kind: "arguments", ...(draft.ownNames && { names: draft.ownNames }) };
      return { kind: parameter.rest ? "rest" : "argument", name: names.shift() ?? "" };
    }),
    ...(paramScopes && { paramScopes }),
    places: draft.places,
    isBroken,
  };
}

function fromPositions(
  analysis: Analysis,
  candidate: Candidate,
  taken: Parameter[],
  given: NamedDoc[],
  scopes: ArgumentScopes,
): Draft {
  const { inward } = analysis;
  const properties: [string, DerivedSchema][] = [];
  const plans: [string, Plan][] = [];
  const required: string[] = [];
  const draft: Draft = { schema: {}, names: [], places: new Map(), isBroken: false };
  const names = nameParameters(taken, given);
  const docs = given.map((doc) => withParameter(doc, taken, names));
  const shownNames = createArgumentNames(names.filter((name) => name !== undefined));
  for (const [index, parameter] of taken.entries()) {
    const node = placeOf(analysis, candidate, parameter);
    const name = names[index];
    if (name === undefined) {
      analysis.report(
        "PF1006",
        node,
        `Parameter ${index + 1} of '${candidate.name}' is a destructured array, which has no name. Name it, or document it with @param name.`,
      );
      draft.isBroken = true;
      continue;
    }
    const { schema, plan, problems } = convertParameter(analysis, candidate, parameter, name, docs);
    const comments = [parameter.declaration && docOfNode(parameter.declaration), docs.find((doc) => doc.name === name)];
    const tags = comments.flatMap((doc) => doc?.tags ?? []);
    const shown = shownNames.shown(name, tags);
    scopes.add(shown, tags);
    if (analysis.reportAll(scopes.unsolved(shownNames.unsolved(problems)), node)) draft.isBroken = true;
    properties.push([shown, schema]);
    if (plan) plans.push([shown, plan]);
    if (isRequired(inward, parameter, schema)) required.push(shown);
    draft.names.push(shown);
    draft.places.set(shown, node);
  }
  reportUnused(analysis, candidate, docs, names);
  draft.schema = {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  if (plans.length > 0) draft.plan = { kind: "object", properties: Object.fromEntries(plans) };
  return draft;
}

/** Names the parameter in the tag of a destructured property: authors write `@param limit` and `@param options.limit`. */
function withParameter(doc: NamedDoc, taken: readonly Parameter[], names: readonly (string | undefined)[]): NamedDoc {
  if (names.includes(headOf(doc.name))) return doc;
  const index = taken.findIndex((parameter) => keysOf(parameter).includes(headOf(doc.name)));
  return index < 0 ? doc : { ...doc, name: `${names[index]}.${doc.name}` };
}

/** Returns the declaration of a parameter if it is the author's; for a wrapped function of a library, the export. */
function placeOf({ origins }: Analysis, { node }: Candidate, { declaration }: Parameter): ts.Node {
  return declaration && origins.isProject(declaration.getSourceFile()) ? declaration : node;
}

function convertParameter(
  analysis: Analysis,
  candidate: Candidate,
  parameter: Parameter,
  name: string,
  docs: NamedDoc[],
): ReturnType<Conversion["collect"]> {
  const { inward, checker } = analysis;
  const { declaration } = parameter;
  const isTagged = declaration !== undefined && isJavaScript(declaration);
  const place = declaration && placeOf(analysis, candidate, parameter);
  return inward.collect(`parameter '${name}' of '${candidate.name}'`, place, () => {
    reportLostConstraints(inward, parameter.node);
    const { type, node, rest } = parameter;
    const isMissable = !rest && !parameter.isOptional && includesUndefined(type);
    if (isMissable && !isForeignUndefined(inward, declaration)) reportMissable(inward);
    const isElement = rest === "elements";
    const { schema, plan } = isElement ? listOf(inward.convertElement(type)) : inward.convert(type, node);
    let documented = applyDoc(inward, schema, declaration && docOfNode(declaration));
    for (const doc of docs) {
      if (doc.name === name) documented = applyDoc(inward, documented, doc);
      else if (headOf(doc.name) === name) documented = applyNestedDoc(inward, documented, doc, isTagged);
    }
    const given = declaration?.initializer && constantOf(checker, declaration.initializer);
    documented = withDefaults(inward, documented, patternOf(parameter));
    return { schema: given === undefined ? documented : { ...documented, default: given }, ...(plan && { plan }) };
  });
}

function isRequired(inward: Conversion, parameter: Parameter, schema: DerivedSchema): boolean {
  const { type, declaration, rest, isOptional } = parameter;
  if (rest) return (schema.anyOf ?? [schema]).every(({ minItems = 0 }) => minItems > 0);
  return !isOptional && (!includesUndefined(type) || isForeignUndefined(inward, declaration));
}

function reportUnused(analysis: Analysis, candidate: Candidate, docs: NamedDoc[], names: (string | undefined)[]): void {
  // The author cannot fix the comments of a package whose function is exported again.
  const { declaration } = candidate.signature;
  if (declaration && !analysis.origins.isProject(declaration.getSourceFile())) return;
  // The comment of a wrapped function may describe parameters that the wrapper fills in.
  const { place } = candidate.doc;
  if (place !== undefined && place === candidate.wrapped?.doc?.place) return;
  for (const { name } of docs) {
    const head = headOf(name);
    if (!names.includes(head))
      analysis.report(
        "PF2006",
        candidate.node,
        `@param ${head} does not match a parameter of '${candidate.name}'. Correct the name, or remove the tag.`,
      );
  }
}
