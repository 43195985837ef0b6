import { UsageError } from "../support/usage-error.ts";

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters on purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Names that every JavaScript object inherits. */
const RESERVED = new Set(["__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty"]);

/** Rejects a tool name that clients would reject: the specification allows 1 to 128 of `A-Z a-z 0-9 _ . -`. */
export function checkToolName(name: unknown): void {
  if (typeof name === "string" && TOOL_NAME.test(name) && !RESERVED.has(name)) return;
  throw new UsageError(
    "bad_name",
    `Invalid tool name ${quote(name)}. Use 1 to 128 of A-Z a-z 0-9 _ . - and no name of Object.prototype.`,
  );
}

/** Checks the earlier names of an item. Undefined if it has none. */
export function checkAliases(
  was: unknown,
  name: string,
  where: string,
  check: (name: unknown) => void,
): readonly string[] | undefined {
  if (was === undefined) return undefined;
  if (!Array.isArray(was) || new Set([name, ...was]).size <= was.length)
    throw new UsageError(
      "bad_option",
      `${where}: was must be an array of earlier names, each once, without "${name}".`,
    );
  for (const each of was) check(each);
  return was.length === 0 ? undefined : Object.freeze([...was]);
}

/** Rejects a name of a prompt, an argument or a resource that could not be displayed or looked up safely. */
export function checkName(name: unknown, what: string): void {
  const isValid =
    typeof name === "string" && name.length > 0 && name.length <= 128 && !CONTROL.test(name) && !RESERVED.has(name);
  if (isValid) return;
  throw new UsageError(
    "bad_name",
    `Invalid name ${quote(name)} of ${what}. Use 1 to 128 characters, no control characters and no name of Object.prototype.`,
  );
}

function quote(name: unknown): string {
  return typeof name === "string" ? JSON.stringify(name.length > 160 ? `${name.slice(0, 160)}…` : name) : String(name);
}
