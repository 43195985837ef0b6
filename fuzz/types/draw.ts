import { isDeepStrictEqual } from "node:util";
import type { Random } from "./random.ts";
import { pickedNames, tagOf } from "./text.ts";
import {
  elementsOf,
  isUnknown,
  type Member,
  membersOfObject,
  type TypeCase,
  type TypeTree,
  type Utility,
} from "./type-tree.ts";

/** A type without a value of limited depth, such as `interface A { a: A }`. */
export class NoValue extends Error {}

/** Deeper values would find no more than shallow ones. */
const MAX_DEPTH = 8;
export const TEXTS = [
  "",
  "a",
  "on",
  "off",
  "red",
  "k-a",
  "a-1",
  "a--z",
  "true",
  "2026-01-31",
  "2026-01-31T12:00:00Z",
  "a:b",
  "12",
];
export const NUMBERS = [0, 1, 2, 5, -1.5, 0.5, 1e21];
export const KEYS = ["a", "b", "c", "k-a", "k-b", "0", "1", "id"];

/**
 * Draws a value that is valid by construction; `isResult` allows undefined.
 * @throws {NoValue} if the type has no value.
 */
export function drawValue({ type, declarations }: TypeCase, random: Random, isResult: boolean): unknown {
  return draw(type, 0);

  function draw(tree: TypeTree, depth: number): unknown {
    if (depth > MAX_DEPTH) throw new NoValue();
    const into = (inner: TypeTree) => draw(inner, depth + 1);
    // Fewer items at each level, so that recursive types end.
    const list = (most: number) => Array.from({ length: random.below(Math.max(1, most + 1 - depth)) });
    switch (tree.kind) {
      case "literal":
        return tree.value;
      case "template":
        return tree.before + drawHole(tree.hole, random) + tree.after;
      case "array":
        return list(3).map(() => (tree.orUndefined && isResult && random.oneIn(4) ? undefined : into(tree.of)));
      case "tuple": {
        const { required, optional, rest, last } = elementsOf(tree);
        const given = optional.slice(0, random.below(optional.length + 1));
        const more = given.length === optional.length ? rest.flatMap((item) => list(2).map(() => item)) : [];
        const absent = (item: TypeTree) => (isResult && random.oneIn(6) ? undefined : into(item));
        return [...required.map(into), ...given.map(absent), ...[...more, ...last].map(into)];
      }
      case "object":
        return object(tree.members, depth);
      case "indexed": {
        const members = tree.members.map((member) => ({ ...member, optional: false, orUndefined: false }));
        return { ...record(KEYS, tree.of), ...object(members, depth) };
      }
      case "record":
        return record(RECORD_KEYS[tree.keys], tree.of, tree.keys === "names");
      case "union":
        return oneOf(tree.of.map((each) => () => into(each)));
      case "tagged":
        return oneOf(tree.of.map((members, index) => () => object([tagOf(index), ...members], depth)));
      case "intersection":
        return { ...object(tree.left, depth), ...object(tree.right, depth) };
      case "utility":
        return object(membersOfUtility(tree), depth);
      case "set":
        return new Set(
          list(2)
            .map(() => into(tree.of))
            .filter(isFirst),
        );
      case "map":
        return new Map(list(2).map(() => [drawKey(tree.keys, random), into(tree.of)]));
      case "box": {
        const more = list(1).map(() => into(tree));
        return { value: into(tree.of), ...(random.oneIn(2) && { more }) };
      }
      case "reference":
        return object(membersOfObject(tree, declarations), depth);
      default:
        return drawElementary(tree.kind, random);
    }

    /** A set has equal objects only in the author's code: as arguments, two that are the same JSON are one too many. */
    function isFirst(item: unknown, index: number, all: readonly unknown[]): boolean {
      return isResult || all.findIndex((other) => isDeepStrictEqual(other, item)) === index;
    }

    function record(keys: readonly string[], of: TypeTree, isComplete = false): object {
      const chosen = isComplete ? keys : list(3).map(() => random.pick(keys));
      return Object.fromEntries(chosen.map((key) => [key, into(of)]));
    }
  }

  function object(members: readonly Member[], depth: number): object {
    const entries = members.flatMap(({ name, optional, orUndefined, of }) => {
      if ((optional || orUndefined) && (depth > 2 || random.oneIn(2))) {
        return orUndefined && !optional && isResult && random.oneIn(2) ? [[name, undefined]] : [];
      }
      if (isUnknown(of) && isResult && random.oneIn(6)) return [[name, undefined]];
      return [[name, draw(of, depth + 1)]];
    });
    return Object.fromEntries(entries);
  }

  /** Tries the members of a union in random order until one has a value. */
  function oneOf(members: (() => unknown)[]): unknown {
    const start = random.below(members.length);
    for (let i = 0; i < members.length; i++) {
      try {
        return members[(start + i) % members.length]?.();
      } catch (error) {
        if (!(error instanceof NoValue)) throw error;
      }
    }
    throw new NoValue();
  }

  function membersOfUtility({ name, of, picks }: Extract<TypeTree, { kind: "utility" }>): Member[] {
    const names = new Set(pickedNames(of, picks, declarations));
    const kept = membersOfObject(of, declarations).filter((member) => {
      if (name === "Pick") return names.has(member.name);
      return name !== "Omit" || !names.has(member.name);
    });
    const members = kept.map((member) => ({ ...member, orUndefined: false, ...OPTIONAL[name] }));
    // A string is never undefined: `Required` requires an unknown property also where undefined makes it missing.
    return name === "Required" ? members.map((each) => (isUnknown(each.of) ? { ...each, of: TEXT } : each)) : members;
  }
}

const TEXT: TypeTree = { kind: "string" };
const OPTIONAL: { readonly [Name in Utility]?: { optional: boolean } } = {
  Partial: { optional: true },
  optional: { optional: true },
  Required: { optional: false },
};

const RECORD_KEYS = { string: KEYS, number: ["0", "7", "-1.5"], template: ["k-a", "k-", "k-k-"], names: ["a", "b"] };

function drawHole(hole: "string" | "number" | "boolean", random: Random): string {
  if (hole === "boolean") return random.pick(["true", "false"]);
  return hole === "number" ? String(random.pick(NUMBERS)) : random.pick(TEXTS);
}

function drawKey(keys: "string" | "number" | "names" | "date", random: Random): unknown {
  if (keys === "date") return new Date(random.below(1e9));
  return keys === "number" ? random.pick(NUMBERS) : random.pick(keys === "names" ? ["a", "b"] : KEYS);
}

function drawElementary(kind: string, random: Random): unknown {
  switch (kind) {
    case "string":
    case "name":
      return random.pick(TEXTS);
    case "number":
    case "port":
      return random.pick(NUMBERS);
    case "boolean":
      return random.oneIn(2);
    case "null":
      return null;
    case "date":
      return new Date(random.below(2e12));
    case "url":
      return new URL(random.pick(["https://example.org/a?b=c", "a:b", "mailto:ann@example.org"]));
    case "bigint":
      return random.pick([0n, -1n, 12n, 2n ** 70n]);
    case "bytes":
      return Uint8Array.from({ length: random.below(4) }, () => random.below(256));
    case "level":
      return random.pick([0, 5]);
    case "color":
      return random.pick(["red", "blue"]);
    default:
      return drawJson(random);
  }
}

/** Draws any small JSON value. */
export function drawJson(random: Random, depth = 0): unknown {
  const choice = random.below(depth > 1 ? 4 : 6);
  if (choice === 0) return random.pick(TEXTS);
  if (choice === 1) return random.pick(NUMBERS);
  if (choice === 2) return random.oneIn(2);
  if (choice === 3) return null;
  const inner = () => drawJson(random, depth + 1);
  if (choice === 4) return Array.from({ length: random.below(3) }, inner);
  return Object.fromEntries(Array.from({ length: random.below(3) }, () => [random.pick(KEYS), inner()]));
}
