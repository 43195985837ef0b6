import type { Server } from "proffer";
import type { ItemPositions } from "../../derive/index.ts";
import type { Change } from "../protocol/edit.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { ItemKind, Place } from "../protocol/offer.ts";
import { differencesOf } from "./json-difference.ts";

interface Described {
  readonly kind: ItemKind;
  readonly key: string;
  readonly description: JsonObject;
}

/** Changes that one edit shows. */
const MAX_CHANGES = 500;

/**
 * Compares what clients see of two versions of a server.
 * @param files - the files of the derivation; a place is named by its index here.
 */
export function toChanges(
  before: Server,
  after: Server,
  positions: readonly ItemPositions[],
  files: readonly string[],
): Change[] {
  const [old, now] = [itemsOf(before), itemsOf(after)];
  const ids = new Set([...now.keys(), ...old.keys()]);
  return [...ids]
    .flatMap((id): Change[] => {
      const [earlier, item] = [old.get(id), now.get(id)];
      if (item === undefined) return earlier === undefined ? [] : [{ ...nameOf(earlier), how: "removed", parts: [] }];
      const placeOf = placesOf(positions, item, files);
      const place = placeOf("");
      const at = place && { place };
      if (earlier === undefined) return [{ ...nameOf(item), how: "added", parts: [], ...at }];
      const parts = differencesOf(earlier.description, item.description).map((part) => {
        const own = placeOf(part.pointer);
        return { ...part, ...(own && { place: own }) };
      });
      return parts.length === 0 ? [] : [{ ...nameOf(item), how: "changed", parts, ...at }];
    })
    .slice(0, MAX_CHANGES);
}

function itemsOf({ tools, prompts, resources }: Server): Map<string, Described> {
  const list: Described[] = [];
  // Through JSON, as clients see them: without undefined members.
  const add = (kind: ItemKind, key: string, description: unknown) =>
    void list.push({ kind, key, description: JSON.parse(JSON.stringify(description)) });
  for (const { name, description } of tools) add("tool", name, description);
  for (const { name, description } of prompts) add("prompt", name, description);
  for (const { uri, description } of resources)
    add("uriTemplate" in description ? "template" : "resource", uri, description);
  return new Map(list.map((item) => [`${item.kind} ${item.key}`, item]));
}

function nameOf({ kind, key }: Described): Pick<Change, "kind" | "key"> {
  return { kind, key };
}

/** Returns a function that finds the place of a pointer, or of the nearest part that contains it. */
function placesOf(
  positions: readonly ItemPositions[],
  { kind, key }: Described,
  files: readonly string[],
): (pointer: string) => Place | undefined {
  const own = kind === "template" ? "resource" : kind;
  const found = positions.find((each) => each.kind === own && each.key === key);
  const places = new Map(found?.places.map(({ pointer, range }) => [pointer, range]));
  return (pointer) => {
    for (let part = pointer; ; part = part.slice(0, part.lastIndexOf("/"))) {
      const range = places.get(part);
      const file = range === undefined ? -1 : files.indexOf(range.file);
      if (range !== undefined && file >= 0) return { file, line: range.line, column: range.column };
      if (part === "") return undefined;
    }
  };
}
