import { expect, it } from "vitest";
import { dropEmptySegments, pathEnd } from "./uri-text.ts";

it.each([
  ["a://b/c", "a://b/c"],
  ["a://b//c/", "a://b/c"],
  ["a:///b", "a://b"],
  ["a://", "a://"],
  ["a:////", "a://"],
  ["/b//c/", "/b/c"],
  ["//b", "/b"],
  ["/", "/"],
  ["b//c", "b/c"],
  ["b/", "b"],
  ["", ""],
  ["b://c//d?e//f/#g//", "b://c/d?e//f/#g//"],
  ["b//c#d//?e//", "b/c#d//?e//"],
  // Not a scheme, but a path with "://" in it.
  ["b/c://d", "b/c:/d"],
  ["b?c://d//e", "b?c://d//e"],
])("dropEmptySegments turns %j into %j", (uri, reduced) => {
  expect(dropEmptySegments(uri)).toBe(reduced);
});

it.each([
  ["a/b", 3],
  ["a/b?c#d", 3],
  ["a/b#c?d", 3],
  ["?a", 0],
])("pathEnd finds the end of the path of %j at %i", (uri, end) => {
  expect(pathEnd(uri)).toBe(end);
});
