import type {
  Dictionary,
  ListOfRecursiveArraysOrValues,
  Many,
  NumericDictionary,
  PropertyPath,
  TruncateOptions,
} from "lodash";
import { accepts, refuses, returns } from "../expect.ts";

/** Groups words. */
export function group(words: Many<string>, by?: Dictionary<number>): Dictionary<string[]> {
  throw new Error(String(words) + by);
}
accepts(group, ["a"], [["a", "b"], { a: 1 }]);
refuses(group, [5], [[5]], ["a", { a: "1" }]);
returns(group, {}, { a: ["a"] });

/** Shortens a text. */
export function shorten(text: string, options?: Omit<TruncateOptions, "separator">): NumericDictionary<string> {
  throw new Error(text + options?.length);
}
accepts(shorten, ["a"], ["a", { length: 5, omission: "…" }]);
refuses(shorten, ["a", { length: "5" }]);
returns(shorten, { 0: "a", 5: "b" });

/** Shortens a text at a separator. */
export function shortenAt(text: string, options: TruncateOptions): string {
  return text + options.length;
}
accepts(shortenAt, ["a", { separator: " " }], ["a", {}]);
refuses(shortenAt, ["a", { separator: 5 }]);

/** Flattens a list. */
export function flatten(list: ListOfRecursiveArraysOrValues<number>): number[] {
  return [list.length];
}
accepts(flatten, [[1, [2, [3]]]], [[]]);
refuses(flatten, [["a"]], [5]);

/** Reads a value at a path. */
export function read(path: PropertyPath): string {
  return String(path);
}
accepts(read, ["a.b"], [0], [["a", 0]]);
refuses(read, [true], [[null]]);
