import type { MountOptions } from "../../server/options.ts";
import { sha1 } from "../../support/sha1.ts";
import { matchesName } from "../toolsets/toolsets.ts";

/** The longest name that every known client accepts. */
const MAX_NAME = 64;
const HASH = 8;

/**
 * The name of a foreign tool here. A name that clients would refuse is cut, or its characters replaced, and gets a hash of
 * the whole name: so it is the same after a restart, whatever other names there are.
 */
export function toolName(prefix: string, name: string): string {
  const whole = prefix + name;
  const usable = whole.replaceAll(/[^A-Za-z0-9_.-]/g, "_");
  if (usable === whole && whole.length <= MAX_NAME && name !== "") return whole;
  return `${usable.slice(0, MAX_NAME - HASH - 1)}_${sha1(whole).slice(0, HASH)}`;
}

/** Whether a mount offers an item, by the name that its own server gives it. */
export function isOffered({ only, except = [] }: MountOptions, name: string): boolean {
  const matches = (pattern: string) => matchesName(pattern, name);
  return (only === undefined || only.some(matches)) && !except.some(matches);
}
