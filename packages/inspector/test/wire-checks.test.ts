import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findDuplicateKey, WireChecks } from "../src/calls/wire-checks.ts";
import type { WireMessage } from "../src/protocol/data.ts";

describe("duplicate keys", () => {
  test("are found in any object, however they are written", () => {
    for (const text of ['{"a":1,"a":2}', '[{"b":{"a":1, "\\u0061" : 2}}]', '{"x":[{"a":"}"},{"a":"\\"{","a":[]}]}']) {
      expect([text, findDuplicateKey(text)]).toEqual([text, "a"]);
    }
  });

  test("no other JSON has any, and no text does harm", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => findDuplicateKey(JSON.stringify(value, null, 1)) === undefined));
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          JSON.parse(text);
        } catch {
          return true;
        }
        return findDuplicateKey(text) === undefined;
      }),
    );
  });
});

describe("checks of messages", () => {
  const message = (n: number, change: Partial<WireMessage>): WireMessage => {
    return { n, at: 0, conn: "c1", dir: "in", kind: "result", bytes: 0, revision: "2026-07-28", text: "", ...change };
  };

  test("are bounded, report each finding once, and begin anew", () => {
    let changes = 0;
    const checks = new WireChecks(
      () => undefined,
      () => changes++,
    );
    for (let n = 1; n <= 200; n++) {
      checks.look(message(n, { method: `m${n % 80}`, text: `{"id":${n},"result":{}}` }));
    }
    expect([checks.findings().length, changes]).toEqual([50, 50]);
    expect(checks.findings()[0]).toMatchObject({ line: 1, message: "The result of m1 has no resultType." });
    checks.clear();
    expect(checks.findings()).toEqual([]);
    for (const text of ["", "{", "null", '{"result":null}', '{"error":[]}', "x".repeat(2_000_000)]) {
      checks.look(message(1, { text }));
    }
    checks.look(message(2, { dir: "out", text: '{"a":1,"a":2}' }));
    expect(checks.findings()).toEqual([]);
  });

  test("codes that servers may choose are no finding; others of the reserved range, and no numbers, are", () => {
    const checks = new WireChecks(
      () => undefined,
      () => {},
    );
    for (const code of [-32602, -32700, -32042, -32000, -31000, 1, 404]) {
      checks.look(message(code, { kind: "error", text: `{"id":1,"error":{"code":${code}}}` }));
    }
    expect(checks.findings()).toEqual([]);
    for (const code of ["-32500", '"E_FAIL"', "1.5", "null"]) {
      checks.look(message(1, { kind: "error", text: `{"id":1,"error":{"code":${code}}}` }));
    }
    expect(checks.findings().map(({ message }) => /code (\S+),/.exec(message)?.[1])).toEqual([
      "-32500",
      '"E_FAIL"',
      "1.5",
      "null",
    ]);
  });

  test("older revisions have no resultType", () => {
    const checks = new WireChecks(
      () => undefined,
      () => {},
    );
    checks.look(message(1, { revision: "2025-11-25", method: "tools/list", text: '{"id":1,"result":{"tools":[]}}' }));
    expect(checks.findings()).toEqual([]);
  });
});
