import { UsageError } from "../support/usage-error.ts";

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Names that JavaScript objects answer to without having been given them. */
const RESERVED = new Set(["__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty"]);

/** Refuses a tool's name that clients would refuse: the specification allows 1 to 128 of `A-Z a-z 0-9 _ . -`. */
export function checkToolName(name: unknown): void {
  if (typeof name === "string" && TOOL_NAME.test(name) && !RESERVED.has(name)) return;
  throw new UsageError(
    "bad_name",
    `${quote(name)} cannot be the name of a tool: use 1 to 128 of A-Z a-z 0-9 _ . - and no name of Object.prototype.`,
  );
}

/** Refuses a name of a prompt, an argument or a resource that could not be shown or looked up safely. */
export function checkName(name: unknown, what: string): void {
  const usable =
    typeof name === "string" && name.length > 0 && name.length <= 128 && !CONTROL.test(name) && !RESERVED.has(name);
  if (usable) return;
  throw new UsageError(
    "bad_name",
    `${quote(name)} cannot be the name of ${what}: use 1 to 128 characters without control characters and no name of Object.prototype.`,
  );
}

function quote(name: unknown): string {
  return typeof name === "string" ? JSON.stringify(name.length > 160 ? `${name.slice(0, 160)}…` : name) : String(name);
}
