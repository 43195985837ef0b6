import { drawJson, KEYS, NUMBERS, TEXTS } from "./draw.ts";
import type { Random } from "./random.ts";

/** Returns a copy of a JSON value with one change at a random place. */
export function mutate(value: unknown, random: Random): unknown {
  const isLeaf = typeof value !== "object" || value === null;
  if (!isLeaf && !random.oneIn(4)) {
    const keys = Object.keys(value);
    if (keys.length > 0 && !random.oneIn(3)) return withChild(value, random.pick(keys), random);
    return Array.isArray(value) ? mutateList(value, random) : mutateObject(value as Record<string, unknown>, random);
  }
  return mutateLeaf(value, random);
}

function withChild(value: object, key: string, random: Random): unknown {
  const change = (name: string, child: unknown) => (name === key ? mutate(child, random) : child);
  if (Array.isArray(value)) return value.map((child, index) => change(String(index), child));
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, change(name, child)]));
}

function mutateList(list: readonly unknown[], random: Random): unknown[] {
  const at = random.below(list.length + 1);
  const choice = random.below(3);
  if (choice === 0) return [...list.slice(0, at), ...list.slice(at + 1)];
  const added = choice === 1 && list.length > 0 ? random.pick(list) : drawJson(random, 1);
  return [...list.slice(0, at), added, ...list.slice(at)];
}

function mutateObject(object: Record<string, unknown>, random: Random): object {
  const entries = Object.entries(object);
  const at = random.below(Math.max(entries.length, 1));
  const choice = random.below(4);
  if (choice === 0) return Object.fromEntries(entries.filter((_, index) => index !== at));
  if (choice === 1) {
    const name = random.pick([...KEYS, "kind", "extra"]);
    return Object.fromEntries(entries.map(([key, child], index) => [index === at ? name : key, child]));
  }
  const name = choice === 2 ? "extra" : random.pick([...KEYS, "d", "x-y", "more", "value"]);
  const isCopied = entries.length > 0 && random.oneIn(2);
  return { ...object, [name]: isCopied ? random.pick(entries)[1] : drawJson(random, 1) };
}

function mutateLeaf(value: unknown, random: Random): unknown {
  if (typeof value === "string" && random.oneIn(2)) return random.pick([...TEXTS, `${value}-z`, `x${value}`, "k1"]);
  if (typeof value === "number" && random.oneIn(2)) return random.pick(NUMBERS);
  if (random.oneIn(4)) return [value];
  return drawJson(random);
}
