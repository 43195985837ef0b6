import fc from "fast-check";
import { expect, it } from "vitest";
import { ASK, ReplayLog, STEP } from "./replay.ts";

const operation = fc.tuple(fc.constantFrom(ASK, STEP), fc.nat({ max: 30 })).map(([kind, n]) => `${kind}${n}`);
const json = fc.oneof(fc.json(), fc.constant(""));

it("a replay log finds its entries in any order, also after a round trip, and nothing else", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(operation, json), { selector: ([name]) => name }),
      fc.array(operation),
      (entries, asked) => {
        const log = new ReplayLog();
        for (const [name, text] of entries) log.add(name, text);
        const expected = new Map(entries);
        expect(log.answers).toBe(entries.filter(([name]) => name.startsWith(ASK)).length);
        for (const each of [log, new ReplayLog(log.text, log.answers)]) {
          expect(asked.map((name) => each.get(name))).toEqual(asked.map((name) => expected.get(name)));
        }
      },
    ),
  );
});
