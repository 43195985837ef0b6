import { sha1 } from "./cuts/sha1.ts";
import type { NameRules } from "./profile.ts";

/** The end of a name that was cut, so that two names do not become one. */
const HASH = 8;
/** However long the name of the server is. */
const MIN_LENGTH = 16;

/**
 * Returns names that a client shows unchanged, by the names of the tools. A name that the client accepts stays, and no
 * other tool gets it. The same tools always get the same names.
 */
export function shortNames(rules: NameRules, server: string, tools: Iterable<string>): Map<string, string> {
  const { pattern, characters = "A-Za-z0-9_.-", max = Number.POSITIVE_INFINITY } = rules;
  const around = pattern.replace("{server}", () => server).replace("{tool}", "").length;
  const length = Math.max(MIN_LENGTH, max - around);
  const isAccepted = (name: string) => name.length <= length && new RegExp(`^[${characters}]*$`).test(name);
  const all = [...tools];
  const used = new Set(all.filter(isAccepted));
  const names = new Map<string, string>();
  for (const tool of all) {
    if (isAccepted(tool)) continue;
    const clean = tool.replaceAll(new RegExp(`[^${characters}]`, "g"), "_");
    const hashed = `${clean.slice(0, length - HASH - 1)}_${sha1(tool).slice(0, HASH)}`;
    const name = clean.length <= length && !used.has(clean) ? clean : hashed;
    // Only someone who looks for two names with the same hash finds them; the tool then keeps its own.
    if (used.has(name)) continue;
    used.add(name);
    names.set(tool, name);
  }
  return names;
}
