import { UsageError } from "../support/usage-error.ts";

/** @throws {UsageError} for a value that is not a positive number, or not a whole one if `whole` is set. */
export function checkPositive(where: string, name: string, value: unknown, whole = false): void {
  if (typeof value === "number" && Number.isFinite(value) && value > 0 && (!whole || Number.isInteger(value))) return;
  const kind = whole ? "a whole number of at least 1" : "a positive number";
  throw new UsageError("bad_option", `${where}: ${name} must be ${kind}, not ${show(value)}.`);
}

/** @throws {UsageError} for a value that is not a list of texts with at least one. */
export function checkNames(where: string, name: string, value: unknown): void {
  if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string")) return;
  throw new UsageError("bad_option", `${where}: ${name} must be a list of at least one text, not ${show(value)}.`);
}

/** @throws {UsageError} for a value that is neither undefined nor a function. */
export function checkFunction(where: string, name: string, value: unknown): void {
  if (value === undefined || typeof value === "function") return;
  throw new UsageError("bad_option", `${where}: ${name} must be a function, not ${show(value)}.`);
}

/** @throws {UsageError} for a name that is not an option: a typo would switch the policy off. */
export function checkOptions(where: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    throw new UsageError("bad_option", `${where} needs an object of options, not ${show(options)}.`);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new UsageError("bad_option", `${where}: unknown option ${show(unknown)}. The options are ${known.join(", ")}.`);
}

/** The error for a hook that returned a value of the wrong type: a promise, for example, would permit everything. */
export function wrongReturn(hook: string, returned: unknown, expected: string): TypeError {
  // The rejection of a promise must not end the process.
  Promise.resolve(returned).catch(() => undefined);
  return new TypeError(`${hook} returned a value of type ${typeof returned}, not ${expected}`);
}

/** Writes a wrong value in a message. */
export function show(value: unknown): string {
  return typeof value === "function" ? "a function" : (JSON.stringify(value) ?? String(value));
}
