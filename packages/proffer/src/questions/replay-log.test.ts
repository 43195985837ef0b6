import fc from "fast-check";
import { expect, it } from "vitest";
import { ASK, ReplayLog, STEP } from "./replay-log.ts";

const operation = fc.tuple(fc.constantFrom(ASK, STEP), fc.nat({ max: 30 })).map(([kind, n]) => `${kind}${n}`);
const json = fc.oneof(fc.json(), fc.constant(""));

it("What is known is found in any order, also after a journey, and nothing else is", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(operation, json), { selector: ([name]) => name }),
      fc.array(operation),
      (entries, asked) => {
        const known = new ReplayLog();
        for (const [name, text] of entries) known.add(name, text);
        const expected = new Map(entries);
        expect(known.answers).toBe(entries.filter(([name]) => name.startsWith(ASK)).length);
        for (const each of [known, new ReplayLog(known.text, known.answers)]) {
          expect(asked.map((name) => each.get(name))).toEqual(asked.map((name) => expected.get(name)));
        }
      },
    ),
  );
});
