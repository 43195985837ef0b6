import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonSchema, JsonSchemaObject } from "proffer";
import { afterAll, describe, expect, test } from "vitest";
import { createDeriver, type Deriver } from "../../src/derive/deriver.ts";
import type { Derivation } from "../../src/derive/model/description.ts";
import { createWorkspace, type Workspace } from "./workspace.ts";

/**
 * Each folder of fixtures/ is a project whose entry is `input.ts` or `input.js`; `expected.json` is the expected
 * derivation. UPDATE=1 rewrites the expectations: review the changes, and format them with Biome.
 */
const fixtures = join(dirname(fileURLToPath(import.meta.url)), "fixtures");
const names = readdirSync(fixtures).sort();
const update = process.env.UPDATE === "1";

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** The keywords that the run-time's validator supports, and the annotations, which do not affect validation. */
const KEYWORDS = new Set(
  [
    "type enum const properties required additionalProperties patternProperties propertyNames items prefixItems",
    "minItems maxItems uniqueItems contains minLength maxLength pattern format minimum maximum exclusiveMinimum",
    "exclusiveMaximum multipleOf allOf anyOf oneOf not $ref $defs",
    "minProperties maxProperties dependentRequired contentMediaType readOnly writeOnly x-mcp-header",
    "title description default examples deprecated contentEncoding",
  ].flatMap((line) => line.split(" ")),
);

/** One workspace and one deriver for each kind of entry, so every fixture except the first is a repeated derivation. */
const workspaces = new Map<string, { workspace: Workspace; deriver: Deriver }>();

afterAll(() => {
  for (const { workspace } of workspaces.values()) workspace.remove();
});

describe.each(names)("%s", (name) => {
  const source = join(fixtures, name);
  let known: Compared | undefined;

  function derivation(): Compared {
    known ??= deriveFixture(source);
    return known;
  }

  test("derives to expected.json", () => {
    const expected = join(source, "expected.json");
    if (update) writeFileSync(expected, `${JSON.stringify(derivation(), null, 2)}\n`);
    expect(derivation()).toEqual(JSON.parse(readFileSync(expected, "utf8")));
  });

  test("has only schemas that are valid for the metaschema and supported by the run-time", () => {
    for (const schema of schemasOf(derivation())) {
      expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
      expect(() => ajv.compile(schema)).not.toThrow();
      expect(unknownKeywords(schema)).toEqual([]);
    }
  });
});

type Compared = Omit<Derivation, "files">;

function deriveFixture(source: string): Compared {
  const entry = existsSync(join(source, "input.js")) ? "input.js" : "input.ts";
  let opened = workspaces.get(entry);
  if (opened === undefined) {
    const workspace = createWorkspace();
    workspace.replace(source);
    opened = { workspace, deriver: createDeriver(workspace.path(entry)) };
    workspaces.set(entry, opened);
  }
  const { workspace, deriver } = opened;
  workspace.replace(source);
  const { files: _, ...derivation } = deriver.derive();
  const local = <Item extends { file: string }>(item: Item) => ({
    ...item,
    file: relative(workspace.directory, item.file),
  });
  return {
    ...derivation,
    questions: derivation.questions.map(local),
    diagnostics: derivation.diagnostics.map(local).map((diagnostic) => ({
      ...diagnostic,
      message: diagnostic.message.replaceAll(dirname(workspace.directory), "…"),
    })),
  };
}

function schemasOf({ tools, prompts, resources, questions, settings }: Compared): JsonSchemaObject[] {
  return [
    ...tools.flatMap(({ inputSchema, outputSchema }) => (outputSchema ? [inputSchema, outputSchema] : [inputSchema])),
    ...prompts.flatMap((prompt) => prompt.arguments.map(({ schema }) => schema)),
    ...resources.flatMap(({ variables }) => variables.map(({ schema }) => schema)),
    ...questions.map(({ schema }) => schema),
    ...(settings ? [settings as JsonSchemaObject] : []),
  ];
}

function unknownKeywords(schema: JsonSchema): string[] {
  if (typeof schema === "boolean") return [];
  const unknown = Object.keys(schema).filter((key) => !KEYWORDS.has(key));
  const {
    properties,
    patternProperties,
    $defs,
    prefixItems,
    anyOf,
    oneOf,
    items,
    propertyNames,
    additionalProperties,
    not,
  } = schema;
  const maps = [properties, patternProperties, $defs].flatMap((map) => (map === undefined ? [] : Object.values(map)));
  const lists = [prefixItems, anyOf, oneOf].flatMap((list) => list ?? []);
  const single = [items, propertyNames, additionalProperties, not].filter((one) => one !== undefined);
  return [...unknown, ...[...maps, ...lists, ...single].flatMap(unknownKeywords)];
}
