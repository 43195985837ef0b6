/**
 * Serializes a value of `ctx.session`. @throws {TypeError} for a value that other nodes would not read back the same: they
 * share JSON, and JSON would turn a Map into `{}` and a Date into a string without notice.
 */
export function checkJson(key: string, value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {}
  if (text !== undefined && isJson(value)) return text;
  throw new TypeError(
    `ctx.session.set(${JSON.stringify(key)}): the value is not JSON. Sessions are shared by all nodes, so store only ` +
      "strings, finite numbers, booleans, null, arrays and plain objects.",
  );
}

/** The value can be serialized, so it has no cycles. */
function isJson(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return value.every(isJson);
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false;
  return Object.values(value).every((member) => member === undefined || isJson(member));
}
