import { inspect, isDeepStrictEqual } from "node:util";
import type { Ajv2020 } from "ajv/dist/2020.js";
import type { Manifest } from "proffer/derived";
import { CodecError } from "../../packages/proffer/src/derived/codec-text.ts";
import type { Oracle } from "./assignability.ts";
import { type DerivedType, findType } from "./derived-type.ts";
import { drawValue, NoValue } from "./draw.ts";
import { isKnown } from "./known-differences.ts";
import { mutate } from "./mutate.ts";
import { createRandom } from "./random.ts";
import { nameOf, writeCase } from "./text.ts";
import { forEachType, type TypeCase, type TypeTree } from "./type-tree.ts";
import { valueText } from "./value-text.ts";

/** Values of a type that are valid by construction, and changed copies of each. */
const VALUES = 4;
const CHANGES = 5;

/** A question to TypeScript, with the meaning of its answer. */
interface Doubt {
  readonly to: string;
  readonly value: string;
  judge(isAssignable: boolean): void;
}

/** The differences, and the number of verdicts of each kind: a comparison without rejected values would prove little. */
export interface Tally {
  accepted: number;
  rejected: number;
  refused: number;
  /** The differences, each with the type, the value and both verdicts. */
  findings: string[];
}

/** Compares derived types with TypeScript. */
export function compare(
  cases: readonly TypeCase[],
  manifest: Pick<Manifest, "tools">,
  oracle: Oracle,
  ajv: Ajv2020,
): Tally {
  const tally: Tally = { accepted: 0, rejected: 0, refused: 0, findings: [] };
  const doubts: Doubt[] = [];
  for (const [id, given] of cases.entries()) {
    const derived = findType(manifest, id, ajv);
    const { input, output } = {
      input: isKnown(given, "input") ? undefined : derived.input,
      output: isKnown(given, "output") ? undefined : derived.output,
    };
    if (input === undefined || output === undefined) tally.refused++;
    if (input !== undefined || output !== undefined) doubts.push(...compareCase(given, id, { input, output }, tally));
  }
  const views = ["input", "output"] as const;
  const declarations = views.flatMap((view) => cases.flatMap((given, id) => writeCase(given, id, view)));
  const answers = oracle.ask(declarations, doubts);
  for (const [index, { judge }] of doubts.entries()) judge(answers[index] === true);
  return tally;
}

function compareCase(given: TypeCase, id: number, { input, output }: DerivedType, tally: Tally): Doubt[] {
  const random = createRandom(given.seed);
  const doubts: Doubt[] = [];
  const hasExactValues = isExact(given);
  for (let count = 0; count < VALUES; count++) {
    // Results may contain undefined, arguments may not.
    if (output) compareResult(draw(true));
    const { value } = draw(false) ?? {};
    if (value === undefined) break;
    if (output === undefined && input?.codec !== undefined) continue;
    if (output) compareResult({ value });
    const written = output ? output.encode(value) : value;
    if (hasBigint(written)) continue;
    const json = toJson(written);
    compareArgument(json, true);
    if (output && input && hasExactValues) compareRoundTrip(value, json);
    for (let change = 0; change < CHANGES; change++) {
      const changed = mutate(json, random);
      compareArgument(changed, false);
      compareOutput(changed);
    }
  }
  return doubts;

  function draw(isResult: boolean): { value: unknown } | undefined {
    try {
      return { value: drawValue(given, random, isResult) };
    } catch (error) {
      if (error instanceof NoValue) return undefined;
      throw error;
    }
  }

  /** A result of the type must match the output schema. */
  function compareResult(drawn: { value: unknown } | undefined): void {
    if (output === undefined || drawn === undefined) return;
    const { value } = drawn;
    const written = output.encode(value);
    const { schema } = output;
    if (hasBigint(written)) {
      fail("is not JSON", written, true, schema);
      return;
    }
    const json = toJson(written);
    ask(withoutUndefined(value), "output", (isAssignable) => {
      if (!isAssignable) fail("is drawn as a value of the type", value, false);
    });
    // The server validates the encoded value before it is JSON.
    if (!output.accepts(written)) fail("is refused by the output schema before it is JSON", written, true, schema);
    else if (!output.accepts(json)) fail("is refused by the output schema", json, true, schema);
    else if (!output.acceptsByAjv(json)) fail("is refused by the output schema in ajv", json, true, schema);
  }

  /** A result that is passed back as an argument must be the same value. */
  function compareRoundTrip(value: unknown, json: unknown): void {
    const decoded = input?.decode(json);
    if (decoded instanceof CodecError) fail(`cannot be decoded: ${decoded.message}`, json, true);
    else if (!isDeepStrictEqual(decoded?.value, value)) fail(`is decoded as ${show(decoded?.value)}`, value, true);
  }

  /** An argument must be accepted if and only if it is the JSON of a value of the type. */
  function compareArgument(json: unknown, isDrawn: boolean): void {
    if (input === undefined) return;
    const isAccepted = input.accepts(json);
    if (input.acceptsByAjv(json) !== isAccepted) fail("has another verdict in ajv", json, undefined, input.schema);
    const decoded = isAccepted ? input.decode(json) : undefined;
    if (decoded !== undefined && !(decoded instanceof CodecError)) {
      tally.accepted++;
      ask(decoded.value, "input", (isAssignable) => {
        if (!isAssignable) fail(`is accepted as ${show(decoded.value)}`, json, isAssignable, input.schema);
      });
      return;
    }
    tally.rejected++;
    if (isDrawn) fail("is refused by the input schema", json, true, input.schema);
    // A string that is not a date is no Date for TypeScript either, so only types without a codec can be compared.
    if (input.codec !== undefined) return;
    ask(json, "input", (isAssignable) => {
      if (isAssignable && !isExcess(json, input.accepts)) fail("is refused", json, isAssignable, input.schema);
    });
  }

  /** The output schema is open, as TypeScript is for a value that is not a literal. */
  function compareOutput(json: unknown): void {
    if (output === undefined) return;
    const isAccepted = output.accepts(json);
    if (output.acceptsByAjv(json) !== isAccepted) fail("has another verdict in ajv", json, undefined, output.schema);
    if (!isAccepted && input?.accepts(json))
      fail("is accepted only by the input schema", json, undefined, output.schema);
    if (output.codec !== undefined) return;
    ask(json, "output", (isAssignable) => {
      if (isAssignable !== isAccepted) {
        fail(`is ${isAccepted ? "accepted" : "refused"} by the output schema`, json, isAssignable, output.schema);
      }
    });
  }

  function ask(value: unknown, view: "input" | "output", judge: (isAssignable: boolean) => void): void {
    doubts.push({ to: nameOf(id, view), value: valueText(value), judge });
  }

  function fail(problem: string, value: unknown, isAssignable: boolean | undefined, schema?: unknown): void {
    tally.findings.push(
      [
        ...writeCase(given, id, "source"),
        `value: ${show(value)}`,
        `derivation: ${problem}`,
        ...(isAssignable === undefined ? [] : [`TypeScript: ${isAssignable ? "assignable" : "not assignable"}`]),
        ...(schema === undefined ? [] : [`schema: ${JSON.stringify(schema)}`]),
      ].join("\n"),
    );
  }
}

function show(value: unknown): string {
  return inspect(value, { depth: null, breakLength: Number.POSITIVE_INFINITY });
}

/** The types whose JSON is a text. */
const TEXTS = ["date", "url", "bigint", "bytes"] as const;

/** Whether the type determines the class of each part. `unknown` does not, and in `Date | string` a text stays a text. */
function isExact(given: TypeCase): boolean {
  const kinds = new Set<TypeTree["kind"]>();
  forEachType(given, ({ kind }) => kinds.add(kind));
  const mixesTexts = kinds.has("union") && (kinds.has("string") || kinds.has("name"));
  return !kinds.has("unknown") && !(mixesTexts && TEXTS.some((kind) => kinds.has(kind)));
}

/** Whether a value is not JSON, because an encoder has left a bigint in it. */
function hasBigint(value: unknown): boolean {
  return typeof value === "object" && value !== null ? Object.values(value).some(hasBigint) : typeof value === "bigint";
}

function toJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Returns a value without undefined, as JSON has it: such properties are missing, such elements are null. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutUndefined(item ?? null));
  if (value instanceof Set) return new Set([...value].map(withoutUndefined));
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, withoutUndefined(item)]));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutUndefined(item)]));
}

/** At most this many properties are removed. */
const MAX_EXCESS = 3;

/**
 * Whether a value is refused only because inputs are closed: without some properties it is accepted. TypeScript refuses
 * further properties only in object literals, and in unions only those that no member has.
 */
export function isExcess(value: unknown, accepts: (value: unknown) => boolean): boolean {
  let level = [value];
  for (let removed = 0; removed < MAX_EXCESS; removed++) {
    level = level.flatMap(withoutEach);
    if (level.some(accepts)) return true;
  }
  return false;
}

/** Returns all copies of a value that lack one property of one object. */
function withoutEach(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => withoutEach(item).map((copy) => value.with(index, copy)));
  }
  return Object.entries(value).flatMap(([name, item]) => {
    const { [name]: _, ...rest } = value as Record<string, unknown>;
    return [rest, ...withoutEach(item).map((copy) => ({ ...value, [name]: copy }))];
  });
}
