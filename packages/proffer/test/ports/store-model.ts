import fc from "fast-check";
import type { RecordChange, SharedStore, StoredEntry } from "proffer";
import { expect } from "vitest";

type Fields = Map<string, string>;

/** The content of a store, in the simplest form. */
interface Model {
  readonly records: Map<string, Fields>;
  readonly claims: Set<string>;
  readonly counts: Map<string, number>;
  readonly logs: Map<string, StoredEntry[]>;
}

type Real = { readonly store: SharedStore; readonly key: (name: string) => string };

interface Command extends fc.AsyncCommand<Model, Real> {}

const LIMITS = { entries: 1_000, bytes: 1_000_000, milliseconds: 3_600_000 };

/** Few names, so that commands meet. */
const key = fc.constantFrom("a", "b");
const name = fc.constantFrom("x", "y", "j:1", "j:2", "j", "__proto__");
const value = fc.oneof(fc.constantFrom("0", "7", "-3", ""), fc.string({ unit: "binary", maxLength: 8 }));
const fields = fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true });

const change: fc.Arbitrary<RecordChange> = fc.record(
  {
    if: fc.dictionary(name, fc.option(value, { nil: undefined }), { maxKeys: 2, noNullPrototype: true }),
    set: fields,
    setOnce: fields,
    add: fc.dictionary(name, fc.integer({ min: -5, max: 5 }), { maxKeys: 1, noNullPrototype: true }),
    remove: fc.array(name, { maxLength: 2 }),
    removePrefix: fc.constantFrom("j:", "j", "", "x"),
    expire: fc.constantFrom(0, 3_600_000),
    returning: fc.array(name, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);

class Change implements Command {
  readonly key: string;
  readonly change: RecordChange;
  readonly times: number;

  constructor(key: string, change: RecordChange, times: number) {
    this.key = key;
    this.change = change;
    this.times = times;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, { store, key }: Real): Promise<void> {
    // The condition usually does not hold by chance: with one that does, as after a read, more changes are made.
    for (let time = 0; time < this.times; time++) {
      const before = model.records.get(this.key) ?? new Map<string, string>();
      const expected = expectedOf(before, this.change);
      if (expected === undefined) {
        await expect(Promise.resolve().then(() => store.change(key(this.key), this.change))).rejects.toThrow(TypeError);
        return;
      }
      expect(await store.change(key(this.key), this.change)).toEqual({
        made: expected.made,
        fields: pick(expected.fields, this.change.returning),
      });
      const gone = expected.made && this.change.expire === 0;
      if (expected.fields.size === 0 || gone) model.records.delete(this.key);
      else model.records.set(this.key, expected.fields);
    }
  }

  toString(): string {
    return `change(${this.key}, ${JSON.stringify(this.change)}) × ${this.times}`;
  }
}

/** The record after a change; undefined if it must be refused, because it adds to a text. */
function expectedOf(before: Fields, change: RecordChange): { made: boolean; fields: Fields } | undefined {
  const conditions = Object.entries(change.if ?? {});
  if (conditions.some(([name, value]) => before.get(name) !== value)) return { made: false, fields: before };
  const after = new Map(before);
  for (const [name, more] of Object.entries(change.add ?? {})) {
    const sum = Number(after.get(name) ?? "0");
    if (String(sum) !== (after.get(name) ?? "0") || !Number.isInteger(sum)) return undefined;
    after.set(name, String(sum + more));
  }
  for (const name of before.keys()) {
    if (change.removePrefix !== undefined && name.startsWith(change.removePrefix)) after.delete(name);
  }
  // Fields that were added above and begin with the text are removed too.
  for (const name of Object.keys(change.add ?? {})) {
    if (change.removePrefix !== undefined && name.startsWith(change.removePrefix)) after.delete(name);
  }
  for (const name of change.remove ?? []) after.delete(name);
  for (const [name, value] of Object.entries(change.set ?? {})) after.set(name, value);
  for (const [name, value] of Object.entries(change.setOnce ?? {})) if (!after.has(name)) after.set(name, value);
  return { made: true, fields: after };
}

function pick(fields: Fields, names: readonly string[] | undefined): object {
  return Object.fromEntries([...fields].filter(([name]) => names === undefined || names.includes(name)));
}

/** A command as a function, for those that need no more. */
function command(title: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return { check: () => true, run, toString: () => title };
}

const commands: fc.Arbitrary<Command>[] = [
  fc.tuple(key, change, fc.integer({ min: 1, max: 2 })).map(([key, change, times]) => new Change(key, change, times)),
  fc.tuple(key, fc.option(fc.array(name, { maxLength: 3 }), { nil: undefined })).map(([name, names]) =>
    command(`read(${name}, ${names})`, async ({ records }, { store, key }) => {
      const fields = records.get(name);
      expect(await store.read(key(name), names)).toEqual(fields && pick(fields, names));
    }),
  ),
  key.map((name) =>
    command(`remove(${name})`, async ({ records }, { store, key }) => {
      await store.remove(key(name));
      records.delete(name);
    }),
  ),
  key.map((name) =>
    command(`claim(${name})`, async ({ claims }, { store, key }) => {
      expect(await store.claim(key(name), 3_600_000)).toBe(!claims.has(name));
      claims.add(name);
    }),
  ),
  key.map((name) =>
    command(`count(${name})`, async ({ counts }, { store, key }) => {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      expect(await store.count(key(name), 3_600_000)).toBe(counts.get(name));
    }),
  ),
  fc.tuple(key, fc.integer({ min: 1, max: 12 }), value).map(([name, place, text]) =>
    command(`append(${name}, ${place})`, async ({ logs }, { store, key }) => {
      const log = logs.get(name) ?? [];
      if (place > (log.at(-1)?.place ?? 0)) log.push({ place, text });
      logs.set(name, log);
      await store.append(key(name), [{ place, text }], LIMITS);
    }),
  ),
  fc.tuple(key, fc.integer({ min: 0, max: 12 })).map(([name, place]) =>
    command(`since(${name}, ${place})`, async ({ logs }, { store, key }) => {
      const log = logs.get(name);
      const known = log !== undefined && place >= (log[0]?.place ?? 1) - 1;
      const expected = known ? log.filter((entry) => entry.place > place) : undefined;
      expect(await store.since(key(name), place)).toEqual(expected);
    }),
  ),
];

/** Runs random sequences of commands against a store and the model. */
export async function checkModel(runs: number, fresh: () => Real): Promise<void> {
  const property = fc.asyncProperty(fc.commands(commands, { maxCommands: 40 }), async (sequence) => {
    const model: Model = { records: new Map(), claims: new Set(), counts: new Map(), logs: new Map() };
    await fc.asyncModelRun(() => ({ model, real: fresh() }), sequence);
  });
  await fc.assert(property, { numRuns: runs });
}
