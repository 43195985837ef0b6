import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../support/usage-error.ts";
import { compileJsonSchema } from "./compile.ts";
import type { JsonSchema } from "./types.ts";

// The official test suite of JSON Schema 2020-12.
const SUITE = new URL("../../../test/json-schema-suite/", import.meta.url);

interface Group {
  description: string;
  schema: JsonSchema;
  tests: { description: string; data: unknown; valid: boolean }[];
}

/** Optional parts of the suite that must pass as well. */
const OPTIONAL = [
  ...["anchor", "bignum", "ecmascript-regex", "float-overflow", "no-schema", "non-bmp-regex"],
  ...["date-time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "time", "unknown", "uri", "uuid"].map(
    (name) => `format/${name}`,
  ),
].map((name) => `optional/${name}`);

const NESTED_ID = "nested $id";
const OTHER_RESOURCE = "a $ref that leaves the schema";
const UNEVALUATED = "unevaluatedProperties";

/** Files whose groups must all be rejected, and why. */
const REJECTED_FILES = new Map([
  ["defs", OTHER_RESOURCE],
  ["dynamicRef", "$dynamicRef and $dynamicAnchor"],
  ["refRemote", OTHER_RESOURCE],
  ["unevaluatedItems", "unevaluatedItems"],
  ["unevaluatedProperties", UNEVALUATED],
  ["vocabulary", "another dialect"],
]);

/** Groups that must be rejected, and why. */
const REJECTED_GROUPS = new Map([
  ["anchor: Location-independent identifier with absolute URI", NESTED_ID],
  ["anchor: Location-independent identifier with base URI change in subschema", NESTED_ID],
  ["anchor: same $anchor with different base uri", NESTED_ID],
  ["not: collect annotations inside a 'not', even if collection is disabled", UNEVALUATED],
  ["ref: remote ref, containing refs itself", OTHER_RESOURCE],
  ["ref: Recursive references between schemas", NESTED_ID],
  ["ref: ref creates new scope when adjacent to keywords", UNEVALUATED],
  ["ref: refs with relative uris and defs", NESTED_ID],
  ["ref: relative refs with absolute uris and defs", NESTED_ID],
  ["ref: $id must be resolved against nearest parent, not just immediate parent", NESTED_ID],
  ["ref: order of evaluation: $id and $ref", NESTED_ID],
  ["ref: order of evaluation: $id and $anchor and $ref", NESTED_ID],
  ["ref: order of evaluation: $id and $ref on nested schema", NESTED_ID],
  ["ref: simple URN base URI with $ref via the URN", OTHER_RESOURCE],
  ["ref: URN base URI with URN and JSON pointer ref", OTHER_RESOURCE],
  ["ref: URN base URI with URN and anchor ref", OTHER_RESOURCE],
  ["ref: URN ref with nested pointer ref", NESTED_ID],
  ["ref: ref to if", NESTED_ID],
  ["ref: ref to then", NESTED_ID],
  ["ref: ref to else", NESTED_ID],
  ["ref: ref with absolute-path-reference", NESTED_ID],
]);

/** Formats are asserted here, so the tests that expect formats to be annotations are skipped. */
const ASSERTED = ["date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uri", "uuid"];
const ANNOTATIONS = new Set(ASSERTED.map((name) => `invalid ${name} string is only an annotation by default`));

/** Only the syntax of host names is checked: IDNA validation needs Unicode tables. */
const IDNA_GROUP = "optional/format/hostname: validation of A-label (punycode) host names";

describe("The official test suite", () => {
  const required = readdirSync(SUITE).filter((name) => name.endsWith(".json"));
  for (const file of [...required.map((name) => name.slice(0, -".json".length)), ...OPTIONAL]) {
    const groups: Group[] = JSON.parse(readFileSync(new URL(`${file}.json`, SUITE), "utf8"));
    for (const group of groups) {
      const name = `${file}: ${group.description}`;
      const reason = REJECTED_FILES.get(file) ?? REJECTED_GROUPS.get(name);
      if (reason !== undefined) it(`is rejected in ${name}, because of ${reason}`, () => expectRejection(group));
      else it(`passes in ${name}`, () => expectAgreement(group, name));
    }
  }
});

function expectRejection({ schema }: Group): void {
  expect(() => compileJsonSchema(schema)).toThrow(UsageError);
}

function expectAgreement({ schema, tests }: Group, name: string): void {
  const compiled = compileJsonSchema(schema);
  for (const { description, data, valid } of tests) {
    if (ANNOTATIONS.has(description) || (name === IDNA_GROUP && !valid)) continue;
    expect(compiled.check(data), description).toBe(valid);
    expect(compiled.issues(data).length === 0, description).toBe(valid);
  }
}
