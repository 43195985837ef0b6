import type { JsonSchemaObject } from "proffer";
import { type Binding, escapeToken, type Manifest } from "proffer/derived";
import ts from "typescript";
import type { ItemPositions } from "../model/positions.ts";
import { type Candidate, findExports } from "./exports.ts";
import { type Parameter, parametersOf } from "./parameters.ts";
import { SchemaWalk } from "./schema-walk.ts";
import type { Session } from "./session.ts";
import { findDefinitions } from "./sources.ts";

const INPUT = "/inputSchema";
const OUTPUT = "/outputSchema";

/**
 * Finds where the parts of each item come from. It compares the schemas of a derivation with the types, so that
 * derivation itself need not carry places. An item of `defineTool` and the like has only its own place.
 */
export function findPositions(
  session: Session,
  entry: ts.SourceFile,
  files: readonly ts.SourceFile[],
  { tools, prompts, resources }: Pick<Manifest, "tools" | "prompts" | "resources">,
): ItemPositions[] {
  const silent = { ...session, report: () => {} };
  const candidates = new Map(findExports(silent, entry).candidates.map((each) => [each.path.join("."), each]));

  function positionsOf(
    kind: ItemPositions["kind"],
    key: string,
    { path }: Binding,
    visit: (walk: SchemaWalk, candidate: Candidate) => void,
  ): ItemPositions[] {
    const candidate = candidates.get(path.join("."));
    if (candidate === undefined) return [];
    const walk = new SchemaWalk(silent);
    walk.note("", codeOf(silent, candidate), true);
    visit(walk, candidate);
    return [{ kind, key, ...collected(walk) }];
  }

  return [
    ...tools.flatMap(({ name, binding, inputSchema, outputSchema }) =>
      positionsOf("tool", name, binding, (walk, candidate) => {
        walkInput(walk, boundParameters(silent, candidate, binding), inputSchema, silent);
        if (outputSchema) walkOutput(walk, candidate, outputSchema, silent);
      }),
    ),
    ...prompts.flatMap(({ name, binding, arguments: list }) =>
      positionsOf("prompt", name, binding, (walk, candidate) => {
        const parameters = boundParameters(silent, candidate, binding);
        for (const [at, { name }] of list.entries()) {
          const found = parameters.find(({ bound }) => "name" in bound && bound.name === name);
          walk.note(`/arguments/${at}`, found?.parameter.declaration);
        }
      }),
    ),
    ...resources.flatMap(({ uri, binding }) => positionsOf("resource", uri, binding, () => {})),
    ...findDefinitions(silent, files).map(({ kind, key, call }): ItemPositions => {
      const walk = new SchemaWalk(silent);
      walk.note("", ts.isVariableDeclaration(call.parent) ? elementOf(call) : call, true);
      return { kind, key: key.text, ...collected(walk) };
    }),
  ];
}

interface Bound {
  readonly parameter: Parameter;
  readonly bound: Binding["parameters"][number];
}

function boundParameters(session: Session, candidate: Candidate, { parameters }: Binding): Bound[] {
  return parametersOf(session, candidate).flatMap((parameter, at): Bound[] => {
    const bound = parameters[at];
    return bound === undefined ? [] : [{ parameter, bound }];
  });
}

function walkInput(
  walk: SchemaWalk,
  parameters: readonly Bound[],
  schema: JsonSchemaObject,
  { checker }: Session,
): void {
  const { properties = {} } = schema;
  for (const { parameter, bound } of parameters) {
    const { type, declaration, rest } = parameter;
    if (bound.kind === "context") continue;
    if (bound.kind === "arguments") {
      const own = checker.getNonNullableType(type);
      for (const [name, inner] of Object.entries(properties)) {
        const property = checker.getPropertyOfType(own, bound.names?.[name] ?? name);
        const pointer = `${INPUT}/properties/${escapeToken(name)}`;
        walk.note(pointer, property?.valueDeclaration ?? property?.declarations?.[0] ?? declaration);
        if (property) walk.walk(INPUT, schema, pointer, inner, checker.getTypeOfSymbol(property));
      }
      continue;
    }
    const pointer = `${INPUT}/properties/${escapeToken(bound.name)}`;
    const inner = properties[bound.name];
    walk.note(pointer, declaration);
    if (rest !== "elements") walk.walk(INPUT, schema, pointer, inner, type);
    else if (typeof inner === "object") walk.walk(INPUT, schema, `${pointer}/items`, inner.items, type);
  }
}

function walkOutput(walk: SchemaWalk, { signature }: Candidate, schema: JsonSchemaObject, { checker }: Session): void {
  const type = checker.getReturnTypeOfSignature(signature);
  walk.note(OUTPUT, signature.declaration?.type);
  walk.walk(OUTPUT, schema, OUTPUT, schema, checker.getAwaitedType(type) ?? type);
}

function collected({ places, pieces }: SchemaWalk): Pick<ItemPositions, "places" | "pieces"> {
  return { places: [...places].map(([pointer, range]) => ({ pointer, range })), pieces: [...pieces.values()] };
}

/** Returns the code of a function. If a wrapper or a package made the function, that is the code of its export. */
function codeOf({ origins }: Session, { signature, node, wrapped }: Candidate): ts.Node {
  const { declaration } = signature;
  if (declaration === undefined || wrapped !== undefined) return elementOf(node);
  const file = declaration.getSourceFile();
  const isMade = ts.findAncestor(declaration.parent, ts.isFunctionLike) !== undefined;
  return elementOf(isMade || file.isDeclarationFile || !origins.isProject(file) ? node : declaration);
}

/** Returns the statement, the member or the property that contains a node. */
function elementOf(node: ts.Node): ts.Node {
  let found = node;
  while (!(ts.isStatement(found) || ts.isObjectLiteralElement(found) || ts.isClassElement(found))) {
    if (found.parent === undefined || ts.isSourceFile(found.parent)) return found;
    found = found.parent;
  }
  return found;
}
