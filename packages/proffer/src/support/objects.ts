/** Returns a copy without undefined properties. */
export function defined<Value extends object>(value: Value): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  const copy: Partial<Value> = {};
  for (const key in value) if (value[key] !== undefined) copy[key] = value[key];
  return copy as never;
}

/** Whether a value is an error, of this realm or another. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
}

/** Unites objects, and the objects that they have in properties of the same name. */
export function unite<Value extends object>(values: readonly Value[]): Value {
  const all: Record<string, object> = {};
  for (const value of values) for (const [name, more] of Object.entries(value)) all[name] = { ...all[name], ...more };
  return all as Value;
}
