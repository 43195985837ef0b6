import type { LogLimits, SharedStore, StoredEntry } from "proffer";
import { expect, it } from "vitest";

const LIMITS: LogLimits = { entries: 100, bytes: 100_000, milliseconds: 60_000 };

/** Texts that a wrong encoding, separator or conversion would change. */
export const ODD_TEXTS: readonly string[] = [
  "",
  " ",
  "a:b{c}d*e?f[g]h",
  "\u0000\u0001\u001f\u007f\u0080\u00ff",
  "line\r\nbreak\n+OK\r\n$-1\r\n",
  "Ünïcödé ☃ 日本語 👩‍👩‍👧‍👦 \ufeff\ufffd",
  "null",
  "undefined",
  "-0",
  "007",
  "1e3",
  "true",
  '{"json":[1,2]}',
  "__proto__",
  "constructor",
  "toString",
  "x".repeat(100_000),
];

/** The duties of every shared store. `fresh` returns a store and a prefix for its keys that no other test uses. */
export function storeContract(
  fresh: () => { readonly store: SharedStore; readonly key: (name: string) => string },
): void {
  it("claims a key once until it expires", async () => {
    const { store, key } = fresh();
    expect(await store.claim(key("a"), 60_000)).toBe(true);
    expect(await store.claim(key("a"), 60_000)).toBe(false);
    expect(await store.claim(key("a"), 60_000, "somebody else")).toBe(false);
    expect(await store.claim(key("b"), 60_000)).toBe(true);
    expect(await store.claim(key("short"), 20)).toBe(true);
    await expect.poll(() => store.claim(key("short"), 20)).toBe(true);
    for (const milliseconds of [0.5, 0, -5])
      expect(await store.claim(key(`ends ${milliseconds}`), milliseconds)).toBe(true);
  });

  it("gives one of 100 simultaneous claims the key", async () => {
    const { store, key } = fresh();
    const claims = await Promise.all(Array.from({ length: 100 }, () => store.claim(key("a"), 60_000)));
    expect(claims.filter((claimed) => claimed)).toHaveLength(1);
  });

  it("counts a key until the time since the first count has passed", async () => {
    const { store, key } = fresh();
    const counts = await Promise.all(Array.from({ length: 100 }, () => store.count(key("a"), 60_000)));
    expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(await store.count(key("b"), 60_000)).toBe(1);
    await store.count(key("short"), 100);
    await expect.poll(() => store.count(key("short"), 100), { interval: 20 }).toBe(1);
  });

  it("keeps claims, counts, records and logs of one name apart", async () => {
    const { store, key } = fresh();
    await store.claim(key("a"), 60_000);
    expect(await store.count(key("a"), 60_000)).toBe(1);
    expect(await store.read(key("a"))).toBeUndefined();
    await store.change(key("a"), { set: { x: "1" } });
    expect(await store.since(key("a"), 0)).toBeUndefined();
    await store.append(key("a"), [{ place: 1, text: "t" }], LIMITS);
    expect(await store.read(key("a"))).toEqual({ x: "1" });
    await store.remove(key("a"));
    expect(await store.since(key("a"), 0)).toHaveLength(1);
  });

  it("reads all fields of a record or those that are named", async () => {
    const { store, key } = fresh();
    expect(await store.read(key("a"))).toBeUndefined();
    expect(await store.read(key("a"), ["x"])).toBeUndefined();
    expect(await store.change(key("a"), { set: { x: "1", y: "2" } })).toEqual({
      made: true,
      fields: { x: "1", y: "2" },
    });
    expect(await store.read(key("a"))).toEqual({ x: "1", y: "2" });
    expect(await store.read(key("a"), ["y", "z"])).toEqual({ y: "2" });
    expect(await store.read(key("a"), ["z"])).toEqual({});
    expect(await store.read(key("a"), [])).toEqual({});
    expect(await store.read(key("b"), [])).toBeUndefined();
  });

  it("changes a record only if all its fields are as expected", async () => {
    const { store, key } = fresh();
    const created = { if: { status: undefined }, set: { status: "new", nonce: "n" } };
    expect(await store.change(key("a"), created)).toEqual({ made: true, fields: { status: "new", nonce: "n" } });
    expect(await store.change(key("a"), created)).toEqual({ made: false, fields: { status: "new", nonce: "n" } });
    const both = { if: { status: "new", other: undefined }, set: { status: "old" } };
    expect((await store.change(key("a"), { ...both, if: { ...both.if, nonce: "m" } })).made).toBe(false);
    expect((await store.change(key("a"), { ...both, if: { ...both.if, missing: "" } })).made).toBe(false);
    expect(await store.change(key("a"), both)).toEqual({ made: true, fields: { status: "old", nonce: "n" } });
    expect(await store.change(key("none"), { if: { x: "1" }, set: { x: "2" } })).toEqual({ made: false, fields: {} });
    expect(await store.read(key("none"))).toBeUndefined();
  });

  it("lets exactly one of 100 simultaneous changes win", async () => {
    const { store, key } = fresh();
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        store.change(key("a"), { if: { owner: undefined }, set: { owner: String(index) }, add: { changes: 1 } }),
      ),
    );
    const winner = outcomes.findIndex(({ made }) => made);
    expect(outcomes.filter(({ made }) => made)).toHaveLength(1);
    for (const { fields } of outcomes) expect(fields).toEqual({ owner: String(winner), changes: "1" });
  });

  it("sets a field once, however often the change is repeated", async () => {
    const { store, key } = fresh();
    const step = { if: { epoch: "1" }, setOnce: { "j:1": "first" }, set: { last: "1" } };
    await store.change(key("a"), { set: { epoch: "1" } });
    expect((await store.change(key("a"), step)).made).toBe(true);
    const again = await store.change(key("a"), { ...step, setOnce: { "j:1": "second", "j:2": "x" } });
    expect(again).toEqual({ made: true, fields: { epoch: "1", "j:1": "first", "j:2": "x", last: "1" } });
    expect((await store.change(key("a"), step)).fields).toEqual(again.fields);
  });

  it("adds whole numbers, and changes nothing if a field is not one", async () => {
    const { store, key } = fresh();
    expect((await store.change(key("a"), { add: { n: 1, m: -3 } })).fields).toEqual({ n: "1", m: "-3" });
    expect((await store.change(key("a"), { add: { n: 41, m: 3 } })).fields).toEqual({ n: "42", m: "0" });
    for (const text of ["x", "", "1.5", "007", "-0", " 1"]) {
      await store.change(key("b"), { set: { text } });
      const change = { add: { ok: 1, text: 1 }, set: { other: "1" } };
      await expect(Promise.resolve().then(() => store.change(key("b"), change))).rejects.toThrow("whole number");
      expect(await store.read(key("b"))).toEqual({ text });
    }
    await expect(Promise.resolve().then(() => store.change(key("c"), { add: { n: 0.5 } }))).rejects.toThrow(
      "whole number",
    );
  });

  it("adds first, removes then, and sets last", async () => {
    const { store, key } = fresh();
    await store.change(key("a"), { set: { "j:1": "1", "j:2": "2", k: "3", gone: "4" } });
    const { fields } = await store.change(key("a"), {
      add: { k: 1 },
      remove: ["gone", "unknown"],
      removePrefix: "j:",
      set: { "j:3": "x" },
      setOnce: { gone: "again" },
    });
    expect(fields).toEqual({ k: "4", "j:3": "x", gone: "again" });
  });

  it("removes the fields whose names begin with the text, taken literally", async () => {
    const { store, key } = fresh();
    await store.change(key("a"), { set: { "*[a": "1", "*[ab": "2", xa: "3", "*": "4" } });
    expect((await store.change(key("a"), { removePrefix: "*[a" })).fields).toEqual({ xa: "3", "*": "4" });
    expect((await store.change(key("a"), { removePrefix: "" })).fields).toEqual({});
    expect(await store.read(key("a"))).toBeUndefined();
  });

  it("removes 20,000 fields at once", async () => {
    const { store, key } = fresh();
    const names = Array.from({ length: 20_000 }, (_, index) => `j:${index}`);
    for (let at = 0; at < names.length; at += 2_000) {
      const set = Object.fromEntries(names.slice(at, at + 2_000).map((name) => [name, "x"]));
      await store.change(key("a"), { set, returning: [] });
    }
    await store.change(key("a"), { set: { status: "ended" }, removePrefix: "j:" });
    expect(await store.read(key("a"))).toEqual({ status: "ended" });
  });

  it("removes a record with its last field, and returns nothing for it", async () => {
    const { store, key } = fresh();
    await store.change(key("a"), { set: { x: "1" }, expire: 60_000 });
    expect(await store.change(key("a"), { remove: ["x"] })).toEqual({ made: true, fields: {} });
    expect(await store.read(key("a"))).toBeUndefined();
    expect(await store.change(key("b"), { expire: 60_000 })).toEqual({ made: true, fields: {} });
    expect(await store.read(key("b"))).toBeUndefined();
    await store.change(key("c"), { set: { x: "1" } });
    await store.remove(key("c"));
    await store.remove(key("c"));
    expect(await store.read(key("c"))).toBeUndefined();
  });

  it("stamps fields with a time that never goes back", async () => {
    const { store, key } = fresh();
    const first = Number((await store.change(key("a"), { stamp: ["created", "updated"] })).fields.created);
    expect(Math.abs(first - Date.now())).toBeLessThan(600_000);
    const second = await store.change(key("a"), { stamp: ["updated"] });
    expect(Number(second.fields.updated)).toBeGreaterThanOrEqual(first);
    expect(second.fields.created).toBe(String(first));
    const future = String(Date.now() + 3_600_000);
    await store.change(key("a"), { set: { updated: future } });
    expect((await store.change(key("a"), { stamp: ["updated"] })).fields.updated).toBe(future);
  });

  it("returns only the fields that the change names", async () => {
    const { store, key } = fresh();
    const change = { set: { x: "1", y: "2" }, returning: ["y", "z"] };
    expect(await store.change(key("a"), change)).toEqual({ made: true, fields: { y: "2" } });
    expect(await store.change(key("a"), { if: { x: "2" }, returning: ["x"] })).toEqual({
      made: false,
      fields: { x: "1" },
    });
    expect(await store.change(key("a"), { set: { x: "3" }, returning: [] })).toEqual({ made: true, fields: {} });
  });

  it("removes a record when its time has passed, which other changes do not move", async () => {
    const { store, key } = fresh();
    // A busy machine may need longer for the next change than the record has: then it gets twice the time.
    for (let expire = 50; ; expire *= 2) {
      await store.change(key("b"), { set: { x: "1" }, expire });
      const moved = await store.change(key("b"), { expire: 3_600_000.5 });
      await store.change(key("a"), { set: { x: "1" }, expire });
      const { fields } = await store.change(key("a"), { set: { y: "1" } });
      if (fields.x === "1" && moved.fields.x === "1") break;
      await store.remove(key("a"));
    }
    await expect.poll(() => store.read(key("a")), { interval: 10 }).toBeUndefined();
    expect(await store.read(key("b"))).toEqual({ x: "1" });
    await store.change(key("c"), { set: { x: "1" }, expire: 0 });
    expect(await store.read(key("c"))).toBeUndefined();
  });

  it("does not revive the time of a record that expired", async () => {
    const { store, key } = fresh();
    await store.change(key("a"), { set: { old: "1" }, expire: 20 });
    await expect.poll(() => store.read(key("a")), { interval: 10 }).toBeUndefined();
    expect(await store.change(key("a"), { set: { new: "1" } })).toEqual({ made: true, fields: { new: "1" } });
  });

  it("keeps odd texts as keys, names, values and entries", async () => {
    const { store, key } = fresh();
    const keep = async (text: string) => {
      const fields = Object.fromEntries([
        [text, "value"],
        ["name", text],
      ]);
      expect((await store.change(key(text), { set: fields })).fields).toEqual(fields);
      expect(await store.read(key(text))).toEqual(fields);
      expect(await store.read(key(text), [text])).toEqual(Object.fromEntries([[text, "value"]]));
      expect(
        (await store.change(key(text), { if: { name: text }, removePrefix: text, setOnce: { kept: text } })).made,
      ).toBe(true);
      expect((await store.read(key(text)))?.kept).toBe(text);
      await store.append(key(text), [{ place: 1, text }], { ...LIMITS, bytes: 1_000_000 });
      expect(await store.since(key(text), 0)).toEqual([{ place: 1, text }]);
      expect(await store.claim(key(text), 60_000)).toBe(true);
      expect(await store.count(key(text), 60_000)).toBe(1);
    };
    await Promise.all(ODD_TEXTS.map(keep));
  });

  it("returns the entries of a log after a place", async () => {
    const { store, key } = fresh();
    const entries: StoredEntry[] = [1, 2, 3, 7].map((place) => ({ place, text: `text ${place}` }));
    await store.append(key("a"), entries.slice(0, 2), LIMITS);
    await store.append(key("a"), entries.slice(2), LIMITS);
    expect(await store.since(key("a"), 0)).toEqual(entries);
    expect(await store.since(key("a"), 2)).toEqual(entries.slice(2));
    expect(await store.since(key("a"), 4)).toEqual(entries.slice(3));
    expect(await store.since(key("a"), 7)).toEqual([]);
    expect(await store.since(key("a"), 100)).toEqual([]);
    expect(await store.since(key("b"), 0)).toBeUndefined();
    await store.append(key("b"), [], LIMITS);
    expect(await store.since(key("b"), 0)).toBeUndefined();
  });

  it("leaves out entries whose places are taken", async () => {
    const { store, key } = fresh();
    const entries: StoredEntry[] = [1, 2, 3].map((place) => ({ place, text: `first ${place}` }));
    await store.append(key("a"), entries, LIMITS);
    await store.append(key("a"), entries, LIMITS);
    const more = [2, 3, 4].map((place) => ({ place, text: `second ${place}` }));
    await store.append(key("a"), more, LIMITS);
    expect(await store.since(key("a"), 0)).toEqual([...entries, { place: 4, text: "second 4" }]);
  });

  it("drops the oldest entries of a log beyond its limits, and says that they are gone", async () => {
    const { store, key } = fresh();
    const entries = Array.from({ length: 10 }, (_, index) => ({ place: index + 1, text: `${index}`.repeat(10) }));
    for (const entry of entries) await store.append(key("a"), [entry], { ...LIMITS, entries: 4 });
    expect(await store.since(key("a"), 5)).toBeUndefined();
    expect(await store.since(key("a"), 6)).toEqual(entries.slice(6));
    await store.append(key("b"), entries, { ...LIMITS, bytes: 35 });
    expect(await store.since(key("b"), 6)).toBeUndefined();
    expect(await store.since(key("b"), 7)).toEqual(entries.slice(7));
    // Three bytes each in UTF-8.
    const wide = [1, 2, 3].map((place) => ({ place, text: "日".repeat(10) }));
    await store.append(key("c"), wide, { ...LIMITS, bytes: 60 });
    expect(await store.since(key("c"), 0)).toBeUndefined();
    expect(await store.since(key("c"), 1)).toEqual(wide.slice(1));
  });

  it("remembers the places of entries that were too long to keep", async () => {
    const { store, key } = fresh();
    await store.append(key("a"), [{ place: 1, text: "x".repeat(100) }], { ...LIMITS, bytes: 50 });
    expect(await store.since(key("a"), 0)).toBeUndefined();
    expect(await store.since(key("a"), 1)).toEqual([]);
    await store.append(key("a"), [{ place: 1, text: "y" }], LIMITS);
    expect(await store.since(key("a"), 1)).toEqual([]);
    await store.append(key("a"), [{ place: 2, text: "z" }], LIMITS);
    expect(await store.since(key("a"), 0)).toBeUndefined();
    expect(await store.since(key("a"), 1)).toEqual([{ place: 2, text: "z" }]);
  });

  it("removes a log when its time since the last entry has passed, and knows that its begin is gone", async () => {
    const { store, key } = fresh();
    await store.append(
      key("a"),
      [1, 2, 3].map((place) => ({ place, text: "t" })),
      { ...LIMITS, milliseconds: 30 },
    );
    await expect.poll(() => store.since(key("a"), 0), { interval: 10 }).toBeUndefined();
    await store.append(key("a"), [{ place: 4, text: "t" }], LIMITS);
    expect(await store.since(key("a"), 2)).toBeUndefined();
    expect(await store.since(key("a"), 3)).toEqual([{ place: 4, text: "t" }]);
  });
}
