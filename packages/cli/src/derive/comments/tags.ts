import { FUNCTION_TAGS } from "./function-tags.ts";
import type { Tag } from "./tag.ts";
import { VALUE_TAGS } from "./value-tags.ts";

/** Every tag. To add one, add its row; a member of `Entry` that is new also needs its type in the manifest. */
export const TAGS: readonly Tag[] = [...FUNCTION_TAGS, ...VALUE_TAGS];

const BY_NAME = new Map(
  TAGS.flatMap((tag) => [tag.name, ...(tag.aliases ?? [])].map((name) => [name.toLowerCase(), tag] as const)),
);

/** Every name of every tag, for suggestions. */
export const TAG_NAMES: readonly string[] = TAGS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);

/** Finds a tag by any of its names, in any case: JSDoc's own `@readonly` means `readOnly` too. */
export function findTag(name: string): Tag | undefined {
  return BY_NAME.get(name.toLowerCase());
}

/** Whether a tag describes values, and `only` them, so that it belongs to the parameter or result before it. */
export function describesValue({ on }: Tag, only = false): boolean {
  return on.includes("parameter") && !(only && on.includes("tool"));
}
