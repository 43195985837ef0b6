import type { JsonSchema, JsonSchemaObject } from "proffer";
import { escapeToken } from "proffer/derived";
import ts from "typescript";
import type { SourceRange } from "../model/positions.ts";
import { locate, type Session } from "./session.ts";

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
 * What does not fit together, such as the schema of a codec, has no place.
 */
export class SchemaWalk {
  readonly places = new Map<string, SourceRange>();
  readonly pieces = new Map<ts.Node, SourceRange>();
  readonly #session: Session;
  /** The definitions that were walked through; a type may contain itself. */
  readonly #entered = new Set<string>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Notes the place of a pointer, and with `isPiece` the code there. Code of packages has none. */
  note(pointer: string, node: ts.Node | undefined, isPiece = false): void {
    if (node === undefined || !this.#session.origins.isProject(node.getSourceFile())) return;
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
    const { checker } = this.#session;
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
    const elements = isReference(own) ? checker.getTypeArguments(own) : [];
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
    const { checker } = this.#session;
    const found = checker.getPropertyOfType(type, name);
    if (found !== undefined || !type.isUnion()) return found;
    return type.types.map((member) => checker.getPropertyOfType(member, name)).find((each) => each !== undefined);
  }

  /** Returns the member of a union that an alternative of the schema was made of: the first with all its properties. */
  #memberFor(whole: JsonSchemaObject, given: JsonSchema, type: ts.Type): ts.Type {
    const { checker } = this.#session;
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

function isReference(type: ts.Type): type is ts.TypeReference {
  return ((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference) !== 0;
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
