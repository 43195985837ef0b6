import type {
  CamelCasedPropertiesDeep,
  Except,
  FixedLengthArray,
  IntRange,
  Jsonify,
  JsonValue,
  LiteralUnion,
  MergeExclusive,
  NonEmptyTuple,
  PackageJson,
  PartialDeep,
  ReadonlyDeep,
  RequireAtLeastOne,
  RequireExactlyOne,
  SetOptional,
  Tagged,
  TupleOf,
} from "type-fest";
import { accepts, hides, refused, refuses, returns, says } from "../expect.ts";

type AccountId = Tagged<string, "AccountId">;

interface Settings {
  theme: "dark" | "light";
  editor: { font_size: number; word_wrap: boolean };
}

/** Opens an account. */
export const open = (id: AccountId, kind: LiteralUnion<"free" | "paid", string>): AccountId => (kind ? id : id);
accepts(open, ["a" as never, "free"], ["a" as never, "other"]);
refuses(open, [5, "free"], ["a" as never, 5]);
returns(open, "a" as never);
hides(open, "import type", "Tagged");

/** Stores JSON. */
export function store(value: JsonValue): JsonValue {
  return value;
}
accepts(store, [null], [{ a: [1, "b", { c: true }] }], ["x"], [[[[]]]]);
returns(store, null, { a: [1, "b", { c: true }] });

/** Changes settings. */
export function change(settings: PartialDeep<Settings>): ReadonlyDeep<Settings> {
  throw new Error(settings.theme);
}
accepts(change, [{}], [{ editor: {} }], [{ editor: { word_wrap: false } }]);
refuses(change, [{ editor: { word_wrap: 1 } }], [{ editor: null }], [{ them: "dark" }]);
returns(change, { theme: "dark", editor: { font_size: 5, word_wrap: true } });

/** Finds a person. */
export function find(
  by: RequireExactlyOne<{ id: number; email: string }>,
  at: RequireAtLeastOne<{ x: number; y: number }>,
): void {
  throw new Error(String(by.id) + at.x);
}
accepts(find, [{ id: 1 }, { x: 1 }], [{ email: "a" }, { x: 1, y: 2 }]);
refuses(find, [{}, { x: 1 }], [{ id: 1 }, {}], [{ id: 1, email: "a" }, { x: 1 }]);

/** Draws. */
export function draw(
  points: NonEmptyTuple<number>,
  color: TupleOf<3, number>,
  level: IntRange<0, 5>,
): CamelCasedPropertiesDeep<Settings> {
  throw new Error(String(points[0]) + color[0] + level);
}
accepts(draw, [[1], [1, 2, 3], 4], [[1, 2], [1, 2, 3], 0]);
refuses(draw, [[], [1, 2, 3], 4], [[1], [1, 2], 4], [[1], [1, 2, 3], 5]);
returns(draw, { theme: "dark", editor: { fontSize: 5, wordWrap: true } });

/** Reads a package. */
export function readPackage(path: string): PackageJson {
  throw new Error(path);
}
returns(readPackage, {
  name: "a",
  version: "1.0.0",
  exports: { ".": "./a.js" },
  scripts: { test: "x" },
  private: true,
});

/** Saves a row. */
export function save(
  row: SetOptional<Except<{ id: number; name: string; at: Date }, "id">, "at">,
  or: MergeExclusive<{ a: string }, { b: number }>,
): Jsonify<{ at: Date; n: bigint[]; f: () => void; deep: { m: string | undefined } }>["at"] {
  throw new Error(row.name + or.a);
}
accepts(save, [{ name: "a" }, { a: "x" }], [{ name: "a", at: new Date(0) }, { b: 1 }]);
refuses(save, [{ name: "a", id: 1 }, { a: "x" }], [{ name: "a" }, { a: "x", b: 1 }]);
returns(save, "2026-01-01T00:00:00.000Z");

function withRetry<Args extends unknown[], Result>(
  run: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return run;
}

/** Loads an account. */
export const load = withRetry(
  async (id: AccountId, limit?: number): Promise<{ id: AccountId }> => ({ id: limit ? id : id }),
);
accepts(load, ["a" as never], ["a" as never, 5]);
refuses(load, [5], ["a" as never, "5"], []);
returns(load, { id: "a" as never });
says(load, "limit");
hides(load, "prefixItems");

/**
 * @summary Closes an account.
 * @description Closes an account, and keeps its history.
 * @param options.reason - Why the account is closed.
 * @param options.at - When it is closed. @defaultValue `new Date()`
 * @see {@link open}
 * @since 2.0
 */
export function close(id: AccountId, options: { reason: string; at?: Date }): void {
  throw new Error(id + options.reason);
}
accepts(close, ["a" as never, { reason: "x" }], ["a" as never, { reason: "x", at: new Date(0) }]);
refuses(close, ["a" as never, {}], ["a" as never, { reason: "x", at: 5 }]);
says(close, "Closes an account, and keeps its history.", "Why the account is closed.");
hides(close, "@summary", "@since", "{@link");

/** Paints. */
export function paint(color: FixedLengthArray<number, 3>): void {
  throw new Error(String(color[0]));
}
refused(paint, "PF1105");
