import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { actionFor } from "../src/page/shell/keys.ts";
import { formatRoute, fromBase64url, parseRoute, type Route, toBase64url } from "../src/page/state/route.ts";
import { differences } from "../src/page/text/differences.ts";
import { duration, size, visible } from "../src/page/text/format.ts";
import { readJsonLines } from "../src/page/text/json.ts";
import type { ItemKind, Json } from "../src/protocol/data.ts";

function parsed(path: string): Route {
  return parseRoute(new URL(path, "http://127.0.0.1:6280"));
}

const anyString = fc.string({ unit: "binary" });
const anyKind = fc.constantFrom<ItemKind>("tool", "prompt", "resource", "template");

describe("addresses", () => {
  test.each<[string, Route["shown"]]>([
    ["/", { pane: "home" }],
    ["/tools/order", { pane: "item", kind: "tool", key: "order" }],
    ["/prompts/review", { pane: "item", kind: "prompt", key: "review" }],
    ["/resources?uri=orders%3A%2F%2Fall", { pane: "item", kind: "resource", key: "orders://all" }],
    ["/templates/orders%3A%2F%2F%7Bid%7D", { pane: "item", kind: "template", key: "orders://{id}" }],
    ["/wire", { pane: "wire" }],
    ["/wire/17", { pane: "wire", n: 17 }],
    ["/history", { pane: "history" }],
    ["/history/ab12", { pane: "history", id: "ab12" }],
    ["/clients/client-1", { pane: "client", conn: "client-1" }],
  ])("%s", (path, shown) => {
    expect(parsed(path)).toEqual({ shown });
    expect(formatRoute({ shown })).toBe(path);
  });

  test.each(["/other", "/wire/x", "/tools", "/tools/a/b", "/wire/99999999999"])("%s is unknown", (path) => {
    expect(parsed(path).shown).toEqual({ pane: "unknown", path });
  });

  test("a segment that is not UTF-8 is a name", () => {
    expect(parsed("/tools/%ff").shown).toEqual({ pane: "item", kind: "tool", key: "%ff" });
  });

  test("every item, with any arguments, has an address that leads to it", () => {
    fc.assert(
      fc.property(anyKind, anyString, fc.dictionary(anyString, fc.jsonValue()), (kind, key, object) => {
        const value = JSON.parse(JSON.stringify(object));
        const route: Route = { shown: { pane: "item", kind, key }, revision: "2025-06-18", value, filter: "a:b c" };
        expect(parsed(formatRoute(route))).toEqual(route);
      }),
    );
  });

  test("more than 8 kB of arguments are left out whole", () => {
    const shown = { pane: "item", kind: "tool", key: "order" } as const;
    expect(formatRoute({ shown, value: { text: "x".repeat(9000) } })).toBe("/tools/order");
  });

  test.each(["%%%", "e30x", toBase64url([1]), toBase64url("x")])(
    "damaged arguments %s are left out and said",
    (coded) => {
      const route = parsed(`/tools/order?a=${encodeURIComponent(coded)}`);
      expect([route.value, route.damaged]).toEqual([undefined, true]);
    },
  );

  test("base64url keeps every JSON value", () => {
    fc.assert(
      fc.property(fc.oneof(anyString, fc.jsonValue()), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as Json;
        const text = toBase64url(json);
        expect(text).toMatch(/^[\w-]*$/);
        expect(fromBase64url(text)).toEqual(json);
      }),
    );
  });
});

test("JSON Lines are read however the bytes are cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue(), { maxLength: 8 }),
      fc.integer({ min: 1, max: 7 }),
      async (values, length) => {
        const bytes = new TextEncoder().encode(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
        const read: unknown[] = [];
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            for (let at = 0; at < bytes.length; at += length) controller.enqueue(bytes.subarray(at, at + length));
            controller.close();
          },
        });
        await readJsonLines(body, (some) => read.push(...some));
        expect(JSON.stringify(read)).toBe(JSON.stringify(values));
      },
    ),
  );
});

describe("keys", () => {
  const key = (name: string, change = {}) => ({ key: name, ctrlKey: false, metaKey: false, altKey: false, ...change });
  const calm = { typing: false, singleKeys: true, going: false };

  test("with a modifier act everywhere", () => {
    for (const typing of [false, true]) {
      expect(actionFor(key("k", { ctrlKey: true }), { ...calm, typing })).toEqual({ do: "palette" });
      expect(actionFor(key("Enter", { metaKey: true }), { ...calm, typing })).toEqual({ do: "call" });
    }
  });

  test("of a single letter act only where nobody types, and can be switched off", () => {
    for (const name of ["/", "?", "j", "k", "[", "]"]) {
      expect(actionFor(key(name), calm)).toBeDefined();
      expect(actionFor(key(name), { ...calm, typing: true })).toBeUndefined();
      expect(actionFor(key(name), { ...calm, singleKeys: false })).toBeUndefined();
      expect(actionFor(key(name, { altKey: true }), calm)).toBeUndefined();
    }
  });

  test("after g go somewhere", () => {
    expect(actionFor(key("w"), { ...calm, going: true })).toEqual({ do: "go", to: "wire" });
    expect(actionFor(key("w"), calm)).toBeUndefined();
  });

  test("Esc cancels also from a field", () => {
    expect(actionFor(key("Escape"), { ...calm, typing: true, singleKeys: false })).toEqual({ do: "cancel" });
  });
});

describe("texts", () => {
  test.each([
    ["order\u202eredro", "order⟨U+202E⟩redro"],
    ["\u001b[31mred", "⟨U+001B⟩[31mred"],
    ["a\u200bb", "a⟨U+200B⟩b"],
    ["\ud800", "⟨U+D800⟩"],
    ["a\n\tb\r\nc", "a\n\tb\r\nc"],
    ["👩‍🚀 Füße 日本", "👩‍🚀 Füße 日本"],
  ])("hidden characters of %j are visible", (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test("units", () => {
    expect([0, 0.4, 12.4, 1300, 125_000].map(duration)).toEqual(["0 ms", "0.4 ms", "12 ms", "1.3 s", "2 min 5 s"]);
    expect([0, 9999, 12_345, 4_500_000].map(size)).toEqual(["0 B", "9999 B", "12.3 kB", "4.5 MB"]);
  });

  test("differences have pointers", () => {
    expect(
      differences({ a: { "x/y": 1, same: [1] }, b: [1, 2] }, { a: { "x/y": 2, same: [1] }, b: [1], c: null }),
    ).toEqual([
      { pointer: "/a/x~1y", before: 1, after: 2 },
      { pointer: "/b/1", before: 2 },
      { pointer: "/c", after: null },
    ]);
  });

  test("equal values have no differences", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as Json;
        expect(differences(json, structuredClone(json))).toEqual([]);
      }),
    );
  });
});
