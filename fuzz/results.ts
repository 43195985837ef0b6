import assert from "node:assert/strict";
import fc from "fast-check";
import { createDerivedServer } from "proffer/built";
import { connect } from "proffer/testing";
import { createDeriver } from "../packages/cli/src/derive/deriver.ts";
import { createWorkspace } from "../packages/cli/test/derive/workspace.ts";
import type { Target } from "./target.ts";

/** The type of a part of a result. `planted` are the properties that its value has at run time, and the type has not. */
type Part =
  | { kind: "string" | "number" | "date" | "error" | "generic error" | "unknown" }
  | { kind: "array" | "set" | "map" | "record" | "nullable" | "tuple" | "optional" | "box"; of: Part }
  | { kind: "interface" | "toJSON" | "message"; members: Part[]; planted: Planted[] }
  | { kind: "tagged"; members: Part[][]; chosen: number; planted: Planted[] };

/** How a secret hides in an object. Only the first leaves where results are open: the author sees it in a debugger. */
const PLANTED = ["own", "getter", "symbol", "not enumerable", "inherited", "inherited getter", "toJSON"] as const;
type Planted = (typeof PLANTED)[number];

/** A secret that may leave in an open result, and one that never may. */
const [OPEN, HIDDEN] = ["SECRET-open", "SECRET-hidden"];
const TIME = "2026-01-31T00:00:00.000Z";

const { part } = fc.letrec<{ part: Part }>((tie) => {
  const members = fc.array(tie("part"), { minLength: 1, maxLength: 3 });
  const planted = fc.uniqueArray(fc.constantFrom(...PLANTED), { maxLength: 3 });
  const leaf = fc.constantFrom("string" as const, "number", "date", "error", "generic error", "unknown");
  const holder = fc.constantFrom("array" as const, "set", "map", "record", "nullable", "tuple", "optional", "box");
  return {
    part: fc.oneof(
      { maxDepth: 4, depthIdentifier: "results" },
      { weight: 3, arbitrary: fc.record({ kind: leaf }) },
      { weight: 4, arbitrary: fc.record({ kind: holder, of: tie("part") }) },
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constantFrom("interface", "toJSON", "message"), members, planted }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant("tagged" as const),
          members: fc.array(members, { minLength: 2, maxLength: 2 }),
          chosen: fc.nat({ max: 1 }),
          planted,
        }),
      },
    ) as fc.Arbitrary<Part>,
  };
});

/** Returns what results contain, as classes of all kinds, by their types: nothing else leaves. */
export const results: Target = {
  name: "results",
  runs: 12,
  open() {
    const workspace = createWorkspace();
    workspace.write({ "input.ts": "" });
    const deriver = createDeriver(workspace.path("input.ts"));
    const property = fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 10 }), async (parts) => {
      workspace.write({ "input.ts": moduleOf(parts) });
      const { diagnostics, ...manifest } = deriver.derive();
      const error = diagnostics.find(({ severity }) => severity === "error");
      if (error) throw new Error(`${error.code} ${error.message}\n${moduleOf(parts)}`);
      const module = Object.fromEntries(
        parts.flatMap((each, index) => [
          [`tool${index}`, () => makeValue(each)],
          [`list${index}`, () => [makeValue(each)].values()],
          [`resource${index}`, async () => makeValue(each)],
        ]),
      );
      for (const closedResults of [true, false]) {
        const client = await connect(createDerivedServer(manifest, async () => module, { closedResults }));
        for (const [index, each] of parts.entries()) {
          const expected = jsonOf(each);
          const tool = await client.call(`tool${index}`);
          // A plain text has no schema, and no structured content.
          const plain = each.kind === "string" ? (tool.content[0] as { text: string }).text : undefined;
          check(tool, tool.structuredContent ?? plain, expected, closedResults, each);
          const list = await client.call(`list${index}`);
          check(list, list.structuredContent, [expected], closedResults, each);
          const { contents } = await client.read(`x://${index}`);
          const text = (contents[0] as { text: string }).text;
          check(contents, typeof expected === "string" ? text : JSON.parse(text), expected, isClosable(each), each);
        }
        await client.close();
      }
    });
    return { property, close: () => workspace.remove() };
  },
};

function check(whole: unknown, value: unknown, expected: unknown, isClosed: boolean, part: Part): void {
  const sent = JSON.stringify(whole);
  const where = `${textOf(part, new Map())}\n${JSON.stringify(part)}\n${sent}`;
  assert.ok(!sent.includes(HIDDEN), `a hidden secret leaves: ${where}`);
  assert.ok(!isClosed || !sent.includes(OPEN), `a secret leaves a closed result: ${where}`);
  const shown = JSON.parse(JSON.stringify(value ?? null), (name, inner) => (name === "extra" ? undefined : inner));
  assert.deepEqual(shown, expected, where);
}

/** Whether the type of a resource names properties, which `@closed` needs. */
function isClosable(part: Part): boolean {
  if (part.kind === "optional" || part.kind === "nullable") return isClosable(part.of);
  return part.kind !== "unknown";
}

function moduleOf(parts: readonly Part[]): string {
  const declared = new Map<string, string>();
  const functions = parts.map((each, index) => {
    const type = textOf(each, declared);
    return `export declare function tool${index}(): ${type};
      export declare function list${index}(): Generator<${type}>;
      /** A resource. @resource x://${index} ${isClosable(each) ? "@closed" : ""} */
      export declare function resource${index}(): Promise<${type}>;`;
  });
  return `interface Box<T> { value: T }
    declare class GenericError<T> extends Error { data: T; }
    ${[...declared].map(([name, body]) => `interface ${name} ${body}`).join("\n")}
    ${functions.join("\n")}`;
}

/** Writes the type of a part. */
function textOf(part: Part, declared: Map<string, string>): string {
  const membersOf = (members: readonly Part[], more = "") =>
    `{ ${more}${members.map((each, i) => `m${i}${each.kind === "optional" ? "?" : ""}: ${textOf(each, declared)};`).join(" ")} }`;
  const named = (body: string) => {
    const name = `T${declared.size}`;
    declared.set(name, body);
    return name;
  };
  switch (part.kind) {
    case "date":
      return "Date";
    case "error":
      return "Error";
    case "generic error":
      return "GenericError<string>";
    case "string":
    case "number":
    case "unknown":
      return part.kind;
    case "interface":
      return named(membersOf(part.members));
    case "message":
      return named(membersOf(part.members, "message: string; "));
    case "toJSON":
      return named(`{ toJSON(): ${membersOf(part.members)} }`);
    case "tagged":
      return `(${part.members.map((members, i) => named(membersOf(members, `kind: "k${i}"; `))).join(" | ")})`;
    default: {
      const of = textOf(part.of, declared);
      const forms = {
        array: `(${of})[]`,
        set: `Set<${of}>`,
        map: `Map<string, ${of}>`,
        record: `Record<string, ${of}>`,
      };
      const others = { nullable: `(${of} | null)`, tuple: `[${of}, string]`, optional: of, box: `Box<${of}>` };
      return { ...forms, ...others }[part.kind];
    }
  }
}

/** Returns the JSON that the type of a part shows. */
function jsonOf(part: Part): unknown {
  const membersOf = (members: readonly Part[], more = {}) => ({
    ...more,
    ...Object.fromEntries(members.map((each, i) => [`m${i}`, jsonOf(each)])),
  });
  switch (part.kind) {
    case "string":
      return "text";
    case "number":
      return 1.5;
    case "date":
      return TIME;
    case "error":
    case "generic error":
    case "unknown":
      return { name: "Error", message: "bad" };
    case "interface":
    case "toJSON":
      return membersOf(part.members);
    case "message":
      return membersOf(part.members, { message: "hello" });
    case "tagged":
      return membersOf(part.members[part.chosen] ?? [], { kind: `k${part.chosen}` });
    case "array":
    case "set":
      return [jsonOf(part.of)];
    case "map":
    case "record":
      return { a: jsonOf(part.of) };
    case "tuple":
      return [jsonOf(part.of), "text"];
    case "box":
      return { value: jsonOf(part.of) };
    default:
      return jsonOf(part.of);
  }
}

/** Returns the value of a part, with its secrets. */
function makeValue(part: Part): unknown {
  const membersOf = (members: readonly Part[], more = {}) => ({
    ...more,
    ...Object.fromEntries(members.map((each, i) => [`m${i}`, makeValue(each)])),
  });
  switch (part.kind) {
    case "string":
      return "text";
    case "number":
      return 1.5;
    case "date":
      return new Date(TIME);
    case "error":
    case "generic error":
    case "unknown":
      return Object.assign(new Error("bad", { cause: HIDDEN }), {
        data: HIDDEN,
        headers: { authorization: HIDDEN },
        toJSON: () => ({ message: "bad", headers: HIDDEN }),
      });
    case "interface":
      return plant(membersOf(part.members), part.planted);
    case "message":
      return plant(membersOf(part.members, { message: "hello" }), part.planted);
    case "toJSON":
      return plant(membersOf(part.members), [...part.planted, "toJSON"]);
    case "tagged":
      return plant(membersOf(part.members[part.chosen] ?? [], { kind: `k${part.chosen}` }), part.planted);
    case "array":
      return [makeValue(part.of)];
    case "set":
      return new Set([makeValue(part.of)]);
    case "map":
      return new Map([["a", makeValue(part.of)]]);
    case "record":
      return { a: makeValue(part.of) };
    case "tuple":
      return [makeValue(part.of), "text"];
    case "box":
      return { value: makeValue(part.of) };
    default:
      return makeValue(part.of);
  }
}

/** Hides secrets in an object, as a class does. */
function plant(members: object, planted: readonly Planted[]): object {
  const has = (kind: Planted) => planted.includes(kind);
  const prototype = Object.create(has("inherited") ? { extra: HIDDEN } : Object.prototype);
  if (has("inherited getter")) Object.defineProperty(prototype, "extra", { get: () => HIDDEN });
  // Its result has the members, and the object itself has a property that it leaves out.
  if (has("toJSON")) prototype.toJSON = () => ({ ...members });
  Object.defineProperty(prototype, "toJSON", { enumerable: false, value: prototype.toJSON });
  const value = Object.create(prototype, Object.getOwnPropertyDescriptors(members));
  const leaves = has("toJSON") ? HIDDEN : OPEN;
  const own = { enumerable: true, configurable: true };
  if (has("own")) Object.defineProperty(value, "extra", { ...own, value: leaves });
  if (has("getter")) Object.defineProperty(value, "extra", { ...own, get: () => leaves });
  if (has("symbol")) value[Symbol("secret")] = HIDDEN;
  if (has("not enumerable")) Object.defineProperty(value, "hidden", { value: HIDDEN });
  if (has("toJSON")) value.passwordHash = HIDDEN;
  return value;
}
