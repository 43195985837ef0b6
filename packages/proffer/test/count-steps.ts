type Cost = (self: unknown, args: readonly unknown[], result: unknown) => number;

const lengthOf = (text: unknown): number => (typeof text === "string" ? text.length : 0) + 1;
const ofSelf: Cost = (self) => lengthOf(self);
const ofResult: Cost = (_self, _args, result) => lengthOf(result);
const ofArgument: Cost = (_self, [text]) => lengthOf(text);
const ofSearch: Cost = (self, [, from = 0], result) =>
  (result === -1 ? lengthOf(self) : Number(result) + 2) - Number(from);

/** The built-in functions that matching uses, and how many characters each reads. */
const COUNTED: readonly (readonly [owner: object, name: string, cost: Cost])[] = [
  [String.prototype, "charCodeAt", () => 1],
  [String.prototype, "indexOf", ofSearch],
  [String.prototype, "startsWith", ofArgument],
  [String.prototype, "endsWith", ofArgument],
  [String.prototype, "slice", ofResult],
  [String.prototype, "split", ofSelf],
  [Array.prototype, "join", ofResult],
  [Map.prototype, "get", ofArgument],
  [Map.prototype, "has", ofArgument],
  [Map.prototype, "set", ofArgument],
  [globalThis, "decodeURIComponent", ofArgument],
];

/** Counts the characters read and the keys hashed in a run. Time would depend on the load of the machine. */
export function countSteps(run: () => unknown): number {
  let steps = 0;
  const originals = COUNTED.map(([owner, name]) => Reflect.get(owner, name) as (...args: unknown[]) => unknown);
  for (const [index, [owner, name, cost]] of COUNTED.entries()) {
    const original = originals[index];
    Reflect.set(owner, name, function counted(this: unknown, ...args: unknown[]): unknown {
      const result = original?.apply(this, args);
      steps += cost(this, args, result);
      return result;
    });
  }
  try {
    run();
  } finally {
    for (const [index, [owner, name]] of COUNTED.entries()) Reflect.set(owner, name, originals[index]);
  }
  return steps;
}
