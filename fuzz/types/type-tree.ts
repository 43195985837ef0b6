import fc from "fast-check";

/** A random type, as JSON, so that a failing case can be kept. `text.ts` writes it, `draw.ts` draws values of it. */
export type TypeTree =
  | { kind: "string" | "number" | "boolean" | "null" | "unknown" | "date" | "url" | "bigint" | "bytes" }
  | { kind: "level" | "color" | "port" | "name" }
  | { kind: "literal"; value: string | number | boolean }
  /** Two texts around a hole, which is a type that a template literal may contain. */
  | { kind: "template"; before: string; hole: "string" | "number" | "boolean"; after: string }
  | { kind: "array"; of: TypeTree; orUndefined: boolean; readonly: boolean }
  | Tuple
  | PlainObject
  /** Named properties and an index signature for all others. */
  | { kind: "indexed"; members: Member[]; of: TypeTree }
  | { kind: "record"; keys: "string" | "number" | "template" | "names"; of: TypeTree }
  | { kind: "union"; of: TypeTree[] }
  /** Objects with a discriminator. */
  | { kind: "tagged"; of: Member[][] }
  | { kind: "intersection"; left: Member[]; right: Member[] }
  | { kind: "utility"; name: Utility; of: PlainObject | Reference; picks: number[] }
  | { kind: "set"; of: TypeTree }
  | { kind: "map"; keys: "string" | "number" | "names" | "date"; of: TypeTree }
  /** A generic interface, which refers to itself. */
  | { kind: "box"; of: TypeTree }
  | Reference;

export type Utility = "Partial" | "Required" | "Readonly" | "Pick" | "Omit" | "mapped" | "optional";

export interface Tuple {
  kind: "tuple";
  required: TypeTree[];
  optional: TypeTree[];
  rest: TypeTree | null;
  /** An element after the rest element. */
  last: TypeTree | null;
}

export interface PlainObject {
  kind: "object";
  members: Member[];
}

/** Refers to a declaration of the case. */
export interface Reference {
  kind: "reference";
  to: number;
}

export interface Member {
  name: string;
  /** `a?: T`. */
  optional: boolean;
  /** `a: T | undefined`. */
  orUndefined: boolean;
  of: TypeTree;
}

/** An interface; the second one may extend the first. */
export interface Declaration {
  form: "interface" | "alias";
  extends: boolean;
  members: Member[];
}

export interface TypeCase {
  declarations: Declaration[];
  type: TypeTree;
  /** For the values. */
  seed: number;
}

const NAMES = ["a", "b", "c", "x-y"];
/** The names of the second declaration, and of the right side of an intersection, which has no name of the left side. */
const OTHER_NAMES = ["id", "d", "0"];
const LITERALS = ["on", "off", "", "a.b", "2026-01-31", 0, 1, -1.5, 1e21, true, false];

// fast-check does not accept an interface.
type Ties = {
  type: TypeTree;
  members: Member[];
  object: PlainObject;
};

const ties = fc.letrec<Ties>((tie) => {
  const type = tie("type");
  const types = fc.array(type, { maxLength: 2 });
  const some = fc.array(type, { minLength: 2, maxLength: 3 });
  const maybe = fc.option(type, { nil: null, freq: 2 });
  const simple = fc.constantFrom(
    ...(["string", "number", "boolean", "string", "number", "null", "unknown", "date", "url", "bigint"] as const),
    ...(["bytes", "level", "color", "port", "name"] as const),
  );
  const reference = fc.record({ kind: fc.constant("reference" as const), to: fc.nat({ max: 1 }) });
  return {
    members: membersOf(NAMES, type, 3),
    object: fc.record({ kind: fc.constant("object" as const), members: tie("members") }),
    type: fc.oneof(
      { maxDepth: 4, depthIdentifier: "oracle", withCrossShrink: true },
      { weight: 8, arbitrary: simple.map((kind) => ({ kind }) as TypeTree) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("literal"), value: fc.constantFrom(...LITERALS) }) },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant("template"),
          before: fc.constantFrom("", "a-", "$("),
          hole: fc.constantFrom("string", "number", "boolean"),
          after: fc.constantFrom("", "-z", "."),
        }),
      },
      { weight: 3, arbitrary: reference },
      { weight: 4, arbitrary: tie("object") },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("indexed"), members: tie("members"), of: type }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("record"),
          keys: fc.constantFrom("string", "number", "template", "names"),
          of: type,
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant("array"),
          of: type,
          orUndefined: oneIn(8),
          readonly: oneIn(4),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("tuple"),
          required: types,
          optional: types,
          rest: maybe,
          last: maybe,
        }),
      },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant("union"), of: some }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("tagged"),
          of: fc.array(tie("members"), { minLength: 2, maxLength: 3 }),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant("intersection"),
          left: tie("members"),
          right: membersOf(OTHER_NAMES, type, 2),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant("utility"),
          name: fc.constantFrom("Partial", "Required", "Readonly", "Pick", "Omit", "mapped", "optional"),
          of: fc.oneof(tie("object"), reference),
          picks: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 2 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("set"), of: type }) },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant("map"),
          keys: fc.constantFrom("string", "number", "names", "date"),
          of: type,
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("box"), of: type }) },
    ) as fc.Arbitrary<TypeTree>,
  };
});

function membersOf(names: string[], type: fc.Arbitrary<TypeTree>, maxLength: number): fc.Arbitrary<Member[]> {
  const member = fc
    .record({ name: fc.constantFrom(...names), optional: oneIn(3), orUndefined: oneIn(8), of: type })
    .map((given) => (isUnknown(given.of) ? withoutUndefined(given) : given));
  return fc.uniqueArray(member, { maxLength, selector: ({ name }) => name });
}

function oneIn(count: number): fc.Arbitrary<boolean> {
  return fc.nat({ max: count - 1 }).map((n) => n === count - 1);
}

const declaration = fc.record({ form: fc.constantFrom("interface" as const, "alias" as const), members: ties.members });
const extension = fc.record({
  form: fc.constantFrom("interface" as const, "alias" as const),
  extends: fc.boolean(),
  members: membersOf(OTHER_NAMES, ties.type, 3),
});

/** A random type with its two declarations. */
export const typeCase: fc.Arbitrary<TypeCase> = fc
  .tuple(declaration, extension, ties.type, fc.nat({ max: 2 ** 31 - 1 }))
  .map(([first, second, type, seed]) => ({ declarations: [{ ...first, extends: false }, second], type, seed }));

/** Returns the elements of a tuple. TypeScript has no element after optional ones, and none after a missing rest. */
export function elementsOf({ required, optional, rest, last }: Tuple): {
  [Part in keyof Omit<Tuple, "kind">]: TypeTree[];
} {
  const hasLast = rest !== null && last !== null && optional.length === 0;
  return { required, optional, rest: rest === null ? [] : [rest], last: hasLast ? [last] : [] };
}

/** Returns the members of an object type, with the inherited ones. */
export function membersOfObject(of: PlainObject | Reference, declarations: readonly Declaration[]): Member[] {
  if (of.kind === "object") return of.members;
  const declared = declarations[of.to];
  if (declared === undefined) return [];
  return [...(declared.extends ? (declarations[0]?.members ?? []) : []), ...declared.members].map(withoutUndefined);
}

/** `Required<{ a: T | undefined }>` keeps undefined, which no JSON form expresses; declared members may be inside it. */
export function withoutUndefined(member: Member): Member {
  return { ...member, orUndefined: false };
}

/** Whether a type accepts every value, as a union with unknown does; then `| undefined` adds nothing. */
export function isUnknown(tree: TypeTree): boolean {
  return tree.kind === "unknown" || (tree.kind === "union" && tree.of.some(isUnknown));
}

/** Calls `visit` with a type and all types that are part of it, also through references. */
export function forEachType({ type, declarations }: TypeCase, visit: (type: TypeTree) => void): void {
  const followed = new Set<number>();
  const waiting = [type];
  for (let tree = waiting.pop(); tree !== undefined; tree = waiting.pop()) {
    visit(tree);
    if (tree.kind !== "reference") waiting.push(...partsOf(tree));
    else if (!followed.has(tree.to)) waiting.push({ kind: "object", members: membersOfObject(tree, declarations) });
    if (tree.kind === "reference") followed.add(tree.to);
  }
}

function partsOf(tree: TypeTree): TypeTree[] {
  switch (tree.kind) {
    case "array":
    case "record":
    case "set":
    case "map":
    case "box":
    case "utility":
      return [tree.of];
    case "tuple":
      return Object.values(elementsOf(tree)).flat();
    case "union":
      return tree.of;
    case "indexed":
      return [tree.of, ...membersIn(tree).map(({ of }) => of)];
    default:
      return membersIn(tree).map(({ of }) => of);
  }
}

/** Returns the members that a type lists itself. */
function membersIn(tree: TypeTree): readonly Member[] {
  if (tree.kind === "object" || tree.kind === "indexed") return tree.members;
  if (tree.kind === "intersection") return [...tree.left, ...tree.right];
  return tree.kind === "tagged" ? tree.of.flat() : [];
}
