import type {
  DeepPartial,
  DeepReadonly,
  Dictionary,
  MarkRequired,
  NonEmptyArray,
  Opaque,
  StrictOmit,
  XOR,
} from "ts-essentials";
import { accepts, refuses, returns, says } from "../expect.ts";

type Meters = Opaque<number, "Meters">;

interface Route {
  from: string;
  to?: string;
  stops: { name: string; at: Date }[];
}

/** Plans a route. */
export function plan(route: MarkRequired<Route, "to">, length: Meters): DeepReadonly<Route> {
  throw new Error(route.to + length);
}
accepts(plan, [{ from: "a", to: "b", stops: [{ name: "c", at: new Date(0) }] }, 5 as never]);
refuses(plan, [{ from: "a", stops: [] }, 5 as never], [{ from: "a", to: "b", stops: [] }, "5"]);
returns(plan, { from: "a", stops: [{ name: "c", at: new Date(0) }] });

/** Changes a route. */
export function change(id: string, fields: DeepPartial<StrictOmit<Route, "stops">>): void {
  throw new Error(id + fields.from);
}
accepts(change, ["a", {}], ["a", { to: "b" }]);
refuses(change, ["a", { stops: [] }], ["a", { to: 5 }]);

/** Finds a route. */
export function find(by: XOR<{ id: number }, { name: string }>): Dictionary<number> {
  throw new Error(String(by.id));
}
accepts(find, [{ id: 1 }], [{ name: "a" }]);
refuses(find, [{}], [{ id: 1, name: "a" }]);
returns(find, { a: 1 });

/** Joins names. */
export function join(names: NonEmptyArray<string>): string {
  return names.join();
}
accepts(join, [["a"]], [["a", "b"]]);
refuses(join, [[]], [["a", 5]]);

enum Mode {
  /** On foot. */
  Walk = "walk",
  /** By train. */
  Train = "train",
}

/**
 * Times a route.
 *
 * @param mode - How to travel.
 * @param options - More.
 * @param {boolean} [options.fast=false] - Whether to hurry.
 * @returns The minutes.
 */
export function time(mode: `${Mode}`, { fast = false, stops = [] }: { fast?: boolean; stops?: string[] } = {}): number {
  return fast ? stops.length : mode.length;
}
accepts(time, ["walk"], ["train", { fast: true, stops: ["a"] }], ["walk", {}]);
refuses(time, ["fly"], ["walk", { fast: "yes" }], ["walk", { slow: true }]);
says(time, "How to travel.", "Whether to hurry.");

/** Compares modes. */
export function compare(first: Mode, second: Mode): boolean {
  return first === second;
}
accepts(compare, ["walk" as never, "train" as never]);
refuses(compare, ["fly", "walk"]);
says(compare, "By train.");
