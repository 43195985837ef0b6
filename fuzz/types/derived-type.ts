import type { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonSchemaObject } from "proffer";
import { type Codec, decode, encode, type Manifest } from "proffer/derived";
import { CodecError } from "../../packages/proffer/src/derived/codec-text.ts";
import { compileJsonSchema } from "../../packages/proffer/src/schema/json-schema/compile.ts";
import { SOURCE_PRELUDE, writeCase } from "./text.ts";
import type { TypeCase } from "./type-tree.ts";

/** One side of a derived type: its schema and its codec. */
export interface DerivedSide {
  readonly schema: JsonSchemaObject;
  readonly codec: Codec | undefined;
  /** The verdict of our validator. */
  accepts(json: unknown): boolean;
  /** The verdict of ajv, which must be the same. */
  acceptsByAjv(json: unknown): boolean;
}

/** The members of a derivation that describe a type; undefined where the type was refused. */
export interface DerivedType {
  readonly input: (DerivedSide & { decode(json: unknown): { value: unknown } | CodecError }) | undefined;
  readonly output: (DerivedSide & { encode(value: unknown): unknown }) | undefined;
}

/** Writes a module of some cases. Each has two functions: its type is the parameter of one, and the result of the other. */
export function moduleOf(cases: readonly TypeCase[]): string {
  const texts = cases.map((given, id) => [
    ...writeCase(given, id, "source"),
    `/** Takes. */ export function in${id}(value: T${id}): void { void value; }`,
    `/** Makes. */ export function out${id}(): T${id} { return null as never; }`,
  ]);
  return [SOURCE_PRELUDE, ...texts.flat()].join("\n");
}

/** Finds the functions of a case. */
export function findType({ tools }: Pick<Manifest, "tools">, id: number, ajv: Ajv2020): DerivedType {
  const taker = tools.find(({ name }) => name === `in${id}`);
  const maker = tools.find(({ name }) => name === `out${id}`);
  return {
    input: taker && {
      ...sideOf(taker.inputSchema, taker.binding.decode, ajv, (value) => ({ value })),
      decode(json) {
        try {
          const codec = taker.binding.decode;
          return (codec ? decode(codec, { value: json }) : { value: json }) as { value: unknown };
        } catch (error) {
          if (error instanceof CodecError) return error;
          throw error;
        }
      },
    },
    output: maker?.outputSchema && {
      ...sideOf(maker.outputSchema, maker.binding.result.encode, ajv, (value) => value),
      encode(value) {
        const codec = maker.binding.result.encode;
        return codec ? encode(codec, value) : value;
      },
    },
  };
}

function sideOf(
  schema: JsonSchemaObject,
  codec: Codec | undefined,
  ajv: Ajv2020,
  wrap: (json: unknown) => unknown,
): DerivedSide {
  const ours = compileJsonSchema(schema);
  const theirs = ajv.compile(schema);
  ajv.removeSchema(schema);
  return {
    schema,
    codec,
    accepts: (json) => ours.check(wrap(json)),
    acceptsByAjv: (json) => theirs(wrap(json)) === true,
  };
}
