import type { Item } from "../../calls/access.ts";

/** Whether a name matches a pattern, in which each `*` stands for any characters, also none. Never goes back in the name. */
export function matchesName(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  const end = name.length - last.length;
  if (end < first.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= end;
}

/** Whether an item has a name that matches. Earlier names count: what names an item must not stop when it is renamed. */
export function matchesItem(pattern: string, item: Item): boolean {
  return namesOf(item).some((name) => matchesName(pattern, name));
}

/** The name of an item and its earlier names. */
export function namesOf(item: Item): readonly string[] {
  return "was" in item && item.was !== undefined ? [item.name, ...item.was] : [item.name];
}
