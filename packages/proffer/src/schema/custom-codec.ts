import { UsageError } from "../support/usage-error.ts";
import type { JsonSchemaObject } from "./json-schema/types.ts";

/** How values of a type are written as JSON, and read from it. All functions are synchronous. */
export interface CodecOptions<Value, Json> {
  /**
   * Keywords of the JSON form's schema, such as `{ pattern: "^\\d+$" }`, in addition to those of its type. Written as a
   * literal, because clients receive the schema before the module is imported.
   */
  readonly schema?: JsonSchemaObject;
  /**
   * Returns the value of a JSON form that matches the schema. An exception rejects the argument; the client sees the
   * message of a `ToolError`, and of no other exception.
   */
  readonly decode: (json: Json) => Value;
  /** Returns the JSON form of a value. */
  readonly encode: (value: Value) => Json;
  /** Whether a value has the type; needed to encode a union with a type that is not a class. Default: any class instance. */
  readonly is?: (value: unknown) => boolean;
}

/** Registered, because the module and the command line may have separate copies of Proffer. */
const CODEC = Symbol.for("proffer.codec");

/** A codec of the type `Value`, created by `defineCodec`. */
export interface CustomCodec<Value, Json> {
  readonly [CODEC]: CodecOptions<Value, Json>;
}

/**
 * Defines how a type is written as JSON, wherever parameters and results of exported functions have it. Export the codec
 * from the served module or from a file that it imports.
 *
 * @example
 * /** A decimal number, such as 12.50. *\/
 * export const decimal = defineCodec<Decimal, string>({
 *   schema: { pattern: "^-?\\d+(\\.\\d+)?$" },
 *   decode: (text) => new Decimal(text),
 *   encode: (value) => value.toFixed(),
 * });
 */
export function defineCodec<Value, Json>(options: CodecOptions<Value, Json>): CustomCodec<Value, Json>;
/**
 * Makes arguments instances of a class, with its methods and decorators: creates each without arguments, and sets the
 * members that the class declares and the schema has checked. Results are not changed.
 *
 * @example
 * export const createUser = defineCodec(CreateUser);
 */
export function defineCodec<Value extends object>(type: new () => Value): CustomCodec<Value, Value>;
export function defineCodec<Value, Json>(
  given: CodecOptions<Value, Json> | (new () => Value & object),
): CustomCodec<Value, Json> {
  if (typeof given === "function") {
    const decode = (members: Json) => instanceOf(given, members as object);
    return { [CODEC]: { decode, encode: (value) => value as unknown as Json } };
  }
  const { decode, encode } = given ?? {};
  if (typeof decode !== "function" || typeof encode !== "function")
    throw new UsageError("defineCodec() needs the functions decode and encode.", "wrong_use");
  return { [CODEC]: given };
}

function instanceOf<Value extends object>(type: new () => Value, members: object): Value {
  const instance = new type();
  for (const [name, value] of Object.entries(members)) {
    // If the class has an index signature, clients choose names: no method is replaced, and no prototype.
    const inherited = Object.hasOwn(instance, name) ? undefined : Reflect.get(instance, name);
    if (typeof inherited === "function" || name === "__proto__") continue;
    (instance as Record<string, unknown>)[name] = value;
  }
  return instance;
}

/** Returns the options of a codec; undefined for any other value. */
export function codecOptions(codec: unknown): CodecOptions<unknown, unknown> | undefined {
  return (codec as Partial<CustomCodec<unknown, unknown>> | null | undefined)?.[CODEC];
}
