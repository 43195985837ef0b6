import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type HttpService, serveHttp } from "proffer/http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { load } from "../../packages/cli/src/modules/load.ts";

// Frameworks convert the schemas of tools before a model sees them, and validate the calls of the model by them.

const here = fileURLToPath(new URL(".", import.meta.url));
const run = promisify(execFile);

type Sample = readonly [tool: string, input: Readonly<Record<string, unknown>>];

const SAMPLES: readonly Sample[] = [
  ["pay", { order: "7", payment: { kind: "card", card: "4111" } }],
  ["pay", { order: "7", payment: { kind: "transfer", iban: "DE89" } }],
  ["refund", { order: "7", to: { kind: "card", card: "4111" } }],
  ["refund", { order: "7", to: null }],
  ["ship", { order: "7", to: { by: "parcel", street: "High Street 1", city: "York" } }],
  ["ship", { order: "7", to: { by: "locker", station: 3, code: "x", days: 2 } }],
  ["ship", { order: "7", to: { by: "pickup", shop: "a", from: "2026-01-01T00:00:00.000Z", note: "b" } }],
  [
    "draw",
    {
      shapes: [
        { shape: "circle", radius: 1 },
        { shape: "square", side: 2 },
      ],
    },
  ],
  ["move", { by: 3 }],
  ["move", { by: "end" }],
  ["filter", { state: "open", size: 2 }],
  ["read", { file: { version: 1, lines: ["a"] } }],
  ["read", { file: { version: 2, pages: 3 } }],
  ["rate", { rating: { rated: { by: "stars", stars: 5 } } }],
  ["rate", { rating: { rated: { by: "words", words: "good" } } }],
];

/** Tools whose unions of scalars a framework drops, for every server: it accepts their calls, but the model sees no type. */
const UNTYPED: { readonly [framework: string]: readonly string[] } = { LangChain: ["move"] };

interface Schema {
  readonly type?: string | readonly string[];
  /** In place of the type "null", in the API of Gemini. */
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly items?: Schema;
}

interface Output {
  readonly listed: readonly { readonly name: string; readonly schema: Schema; readonly isStrict?: boolean }[];
  readonly results: readonly { readonly text?: string; readonly error?: string }[];
}

let service: HttpService;

beforeAll(async () => {
  const install = 'import { ensureInstalledIn } from "./scripts/npm.mjs"; ensureInstalledIn("lab/converters");';
  const options = { cwd: join(here, "../.."), encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", install], options);
  expect(status, stderr).toBe(0);
  service = await serveHttp(await load(join(here, "functions.ts")), { port: 0 });
}, 600_000);

afterAll(() => service?.close());

/** Whether a schema tells a model the type of each part of a value. APIs write types in capitals, and numbers as text. */
function describes(schema: Schema | undefined, value: unknown): boolean {
  if (schema === undefined) return false;
  if (schema.anyOf !== undefined) return schema.anyOf.some((one) => describes(one, value));
  const types = [schema.type ?? []].flat().map((type) => type.toLowerCase());
  if (schema.enum !== undefined && !schema.enum.map(String).includes(String(value))) return false;
  if (Array.isArray(value)) return types.includes("array") && value.every((item) => describes(schema.items, item));
  if (value === null) return types.includes("null") || schema.nullable === true;
  if (typeof value !== "object") return types.includes(typeof value);
  return (
    types.includes("object") &&
    Object.entries(value).every(([name, part]) => describes(schema.properties?.[name], part))
  );
}

/** The value as a model in strict mode sends it: with null for each property that it leaves out. */
function withNulls(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withNulls(schema.items ?? {}, item));
  if (typeof value !== "object" || value === null) return value;
  const names = Object.keys(schema.properties ?? {});
  const own = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    names.map((name) => [name, name in own ? withNulls(schema.properties?.[name] ?? {}, own[name]) : null]),
  );
}

async function converse(framework: string, samples: readonly Sample[]): Promise<Output> {
  const args = [join(here, "converters.mjs"), framework, service.url, JSON.stringify(samples)];
  const { stdout } = await run(process.execPath, args, { cwd: here, maxBuffer: 64 * 1024 * 1024, timeout: 300_000 });
  return JSON.parse(stdout);
}

const FRAMEWORKS = [
  ...readFileSync(join(here, "converters.mjs"), "utf8").matchAll(/^ {2}async "?([\w ]+?)"?\(\) \{$/gm),
];

it("are at least eight", () => {
  expect(FRAMEWORKS.length).toBeGreaterThanOrEqual(8);
});

describe.each(FRAMEWORKS.map(([, name = ""]) => name))("%s", (framework) => {
  it("shows the type of every part of each call to the model, and passes the call on", async () => {
    const { listed, results } = await converse(framework, SAMPLES);
    const schemas = new Map(listed.map(({ name, schema }) => [name, schema]));
    expect(schemas.size).toBe(8);
    for (const [index, [tool, input]] of SAMPLES.entries()) {
      const { text = "null", error } = results[index] ?? {};
      const isTyped = !UNTYPED[framework]?.includes(tool);
      expect({ tool, input, isTyped: describes(schemas.get(tool), input) }).toEqual({ tool, input, isTyped });
      expect({ error, received: error ?? JSON.parse(text) }).toEqual({ error: undefined, received: input });
    }
  });
});

it("OpenAI Agents converts every tool to strict mode, and drops the nulls of the model", async () => {
  const { listed } = await converse("OpenAI Agents", []);
  expect(listed.filter(({ isStrict }) => !isStrict)).toEqual([]);
  const schemas = new Map(listed.map(({ name, schema }) => [name, schema]));
  const strict = SAMPLES.map(([tool, input]): Sample => {
    return [tool, withNulls(schemas.get(tool) ?? {}, input) as Sample[1]];
  });
  expect(JSON.stringify(strict)).toContain('"iban":null');
  const { results } = await converse("OpenAI Agents", strict);
  expect(results.map(({ text = "null", error }) => error ?? JSON.parse(text))).toEqual(
    SAMPLES.map(([, input]) => input),
  );
});
