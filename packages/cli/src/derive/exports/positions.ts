import type { JsonSchema, JsonSchemaObject } from "proffer";
import { type Binding, escapeToken, type Manifest } from "proffer/derived";
import ts from "typescript";
import type { ItemPositions, SourceRange } from "../model/description.ts";
import { type Analysis, locate } from "./analysis.ts";
import { type Candidate, findExports } from "./exports.ts";
import { type Parameter, parametersOf } from "./parameters.ts";
import { findDefinitions } from "./sources.ts";

const INPUT = "/inputSchema";
const OUTPUT = "/outputSchema";

/**
 * Finds where the parts of each item come from. It compares the schemas of a derivation with the types, so that
 * derivation itself need not carry places. An item of `defineTool` and the like has only its own place.
 */
export function findPositions(
  analysis: Analysis,
  entry: ts.SourceFile,
  files: readonly ts.SourceFile[],
  { tools, prompts, resources }: Pick<Manifest, "tools" | "prompts" | "resources">,
): ItemPositions[] {
  const silent = { ...analysis, report: () => {} };
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
        walkInput(walk, boundParameters(silent, candidate, binding), inputSchema);
        if (outputSchema) walkOutput(walk, candidate, outputSchema);
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

function boundParameters(analysis: Analysis, candidate: Candidate, { parameters }: Binding): Bound[] {
  return parametersOf(analysis, candidate).flatMap((parameter, at): Bound[] => {
    const bound = parameters[at];
    return bound === undefined ? [] : [{ parameter, bound }];
  });
}

function walkInput(walk: SchemaWalk, parameters: readonly Bound[], schema: JsonSchemaObject): void {
  const { checker } = walk.analysis;
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

function walkOutput(walk: SchemaWalk, { signature }: Candidate, schema: JsonSchemaObject): void {
  const { checker } = walk.analysis;
  const type = checker.getReturnTypeOfSignature(signature);
  walk.note(OUTPUT, signature.declaration?.type);
  walk.walk(OUTPUT, schema, OUTPUT, schema, checker.getAwaitedType(type) ?? type);
}

function collected({ places, pieces }: SchemaWalk): Pick<ItemPositions, "places" | "pieces"> {
  return { places: [...places].map(([pointer, range]) => ({ pointer, range })), pieces: [...pieces.values()] };
}

/** Returns the code of a function. If a wrapper or a package made the function, that is the code of its export. */
function codeOf({ origins }: Analysis, { signature, node, wrapped }: Candidate): ts.Node {
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

/** Bounds for one item: a schema may have thousands of nodes. */
const MAX_PLACES = 2000;
const MAX_PIECES = 30;
const MAX_DEPTH = 30;

/** A node of a schema, and the type that it was derived from. */
interface Step {
  readonly schema: JsonSchema | undefined;
  readonly pointer: string;
  readonly type: ts.Type;
  readonly depth: number;
}

/**
 * Walks through a schema and the type that it was derived from at the same time, and notes the declaration of each node.
 * A node that does not fit its type, such as the schema of a codec, has no place.
 */
class SchemaWalk {
  readonly places = new Map<string, SourceRange>();
  readonly pieces = new Map<ts.Node, SourceRange>();
  readonly analysis: Analysis;
  /** The definitions that were walked through; a type may contain itself. */
  readonly #entered = new Set<string>();

  constructor(analysis: Analysis) {
    this.analysis = analysis;
  }

  /** Notes the place of a pointer, and with `isPiece` the code there. Code of packages has none. */
  note(pointer: string, node: ts.Node | undefined, isPiece = false): void {
    if (node === undefined || !this.analysis.origins.isProject(node.getSourceFile())) return;
    if (isPiece && this.pieces.size < MAX_PIECES) this.pieces.set(node, rangeOf(node, true));
    if (this.places.size < MAX_PLACES && !this.places.has(pointer)) this.places.set(pointer, rangeOf(node));
  }

  /** @param root - the pointer of the schema that `$defs` belong to. */
  walk(root: string, whole: JsonSchemaObject, pointer: string, schema: JsonSchema | undefined, type: ts.Type): void {
    const steps: Step[] = [{ schema, pointer, type, depth: 0 }];
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      if (typeof step.schema !== "object" || step.depth > MAX_DEPTH || this.places.size >= MAX_PLACES) continue;
      steps.push(...this.#enter(root, whole, step.schema, step));
    }
  }

  #enter(root: string, whole: JsonSchemaObject, schema: JsonSchemaObject, { pointer, type, depth }: Step): Step[] {
    const { checker } = this.analysis;
    const own = checker.getNonNullableType(type);
    const declared = declarationOf(own);
    if (declared) this.note(pointer, declared, true);
    const next = (name: string, inner: JsonSchema | undefined, innerType: ts.Type | undefined): Step[] =>
      innerType === undefined
        ? []
        : [{ schema: inner, pointer: `${pointer}/${name}`, type: innerType, depth: depth + 1 }];
    const { $ref, properties = {}, items, prefixItems = [], additionalProperties } = schema;
    const steps: Step[] = [];
    if ($ref !== undefined) {
      const name = /^#\/\$defs\/([^/]+)$/.exec($ref)?.[1];
      const target = `${root}/$defs/${name}`;
      if (name !== undefined && !this.#entered.has(target)) {
        this.#entered.add(target);
        this.note(target, declared, true);
        const inner = whole.$defs?.[name.replaceAll("~1", "/").replaceAll("~0", "~")];
        steps.push({ schema: inner, pointer: target, type: own, depth: depth + 1 });
      }
    }
    for (const [name, inner] of Object.entries(properties)) {
      const property = this.#propertyOf(own, name);
      const at = `properties/${escapeToken(name)}`;
      this.note(`${pointer}/${at}`, property?.valueDeclaration ?? property?.declarations?.[0]);
      steps.push(...next(at, inner, property && checker.getTypeOfSymbol(property)));
    }
    const isReference = ((own as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference) !== 0;
    const elements = isReference ? checker.getTypeArguments(own as ts.TypeReference) : [];
    // The items of an array, or of a class such as Set.
    const item = checker.getIndexTypeOfType(own, ts.IndexKind.Number) ?? elements[0];
    if (typeof items === "object") steps.push(...next("items", items, item));
    prefixItems.forEach((inner, at) => void steps.push(...next(`prefixItems/${at}`, inner, elements[at])));
    if (typeof additionalProperties === "object")
      steps.push(
        ...next("additionalProperties", additionalProperties, checker.getIndexTypeOfType(own, ts.IndexKind.String)),
      );
    for (const keyword of ["anyOf", "oneOf", "allOf"] as const) {
      (schema[keyword] ?? []).forEach((inner, at) => {
        steps.push(...next(`${keyword}/${at}`, inner, this.#memberFor(whole, inner, own)));
      });
    }
    return steps;
  }

  #propertyOf(type: ts.Type, name: string): ts.Symbol | undefined {
    const { checker } = this.analysis;
    const found = checker.getPropertyOfType(type, name);
    if (found !== undefined || !type.isUnion()) return found;
    return type.types.map((member) => checker.getPropertyOfType(member, name)).find((each) => each !== undefined);
  }

  /** Returns the member of a union that an alternative of the schema was made of: the first with all its properties. */
  #memberFor(whole: JsonSchemaObject, given: JsonSchema, type: ts.Type): ts.Type {
    const { checker } = this.analysis;
    if (!type.isUnion() || typeof given !== "object") return type;
    const name = /^#\/\$defs\/([^/]+)$/.exec(given.$ref ?? "")?.[1];
    const target = name === undefined ? given : whole.$defs?.[name];
    const { properties = {} } = typeof target === "object" ? target : {};
    const fits = (member: ts.Type) =>
      Object.entries(properties).every(([key, schema]) => {
        const property = checker.getPropertyOfType(member, key);
        const constant = typeof schema === "object" ? schema.const : undefined;
        if (property === undefined || constant === undefined) return property !== undefined;
        const own = checker.getTypeOfSymbol(property);
        return !own.isLiteral() || own.value === constant;
      });
    return (Object.keys(properties).length > 0 ? type.types.find(fits) : undefined) ?? type;
  }
}

/** Returns the lines of a node. A piece of code begins with its documentation comment. */
function rangeOf(node: ts.Node, withComment = false): SourceRange {
  const file = node.getSourceFile();
  const comment = withComment ? ts.getLeadingCommentRanges(file.text, node.getFullStart())?.at(-1) : undefined;
  const isDocumentation = comment !== undefined && file.text.startsWith("/**", comment.pos);
  const start = isDocumentation ? { file, pos: comment.pos } : node;
  return { ...locate(start), endLine: file.getLineAndCharacterOfPosition(node.getEnd()).line + 1 };
}

/** Returns the declaration of a type that has a name. */
function declarationOf({ aliasSymbol, symbol }: ts.Type): ts.Node | undefined {
  return (aliasSymbol ?? symbol)?.declarations?.find(
    (node) =>
      ts.isInterfaceDeclaration(node) ||
      ts.isTypeAliasDeclaration(node) ||
      ts.isClassDeclaration(node) ||
      ts.isEnumDeclaration(node),
  );
}
