import type { ContentBlock } from "../protocol/model.ts";
import type { Failure, Marked, Result } from "../results/content.ts";
import type { CustomCodec } from "../schema/custom-codec.ts";

/**
 * The JSON form of a value that a function returns, as its server writes it: a `Date` is a string, a `Map` with texts as
 * keys an object, an element that is undefined null. `Codecs` are the codecs of the server's module.
 */
export type Wire<Value, Codecs = never> =
  IsAny<Value> extends true
    ? unknown
    : Value extends unknown
      ? [Codecs] extends [never]
        ? Form<Value, Codecs>
        : CodecForm<Value, Codecs>
      : never;

type IsAny<Value> = 0 extends 1 & Value ? true : false;

type CodecForm<Value, Codecs> =
  JsonOf<Value, Codecs> extends infer Found
    ? [Found] extends [never]
      ? Form<Value, Codecs>
      : Found extends readonly [infer Json]
        ? Wire<Json, Codecs>
        : never
    : never;

/** The type that the codec of a type writes, in a tuple: it may be never or null. */
type JsonOf<Value, Codecs> =
  Codecs extends CustomCodec<infer Own, infer Json>
    ? [Value] extends [Own]
      ? [Own] extends [Value]
        ? readonly [Json]
        : never
      : never
    : never;

type Form<Value, Codecs> = Value extends string | number | boolean | null | undefined
  ? Unbranded<Value>
  : Value extends bigint
    ? string
    : Value extends Code
      ? never
      : Value extends Date | URL | ArrayBufferLike | DataView | Uint8Array | Uint8ClampedArray
        ? string
        : Value extends Numbers
          ? number[]
          : Value extends BigInt64Array | BigUint64Array
            ? string[]
            : Value extends Error
              ? { name: string; message: string }
              : Value extends ReadonlyMap<infer Key, infer Item>
                ? MapForm<Key, Item, Codecs>
                : Value extends ReadonlySet<infer Item>
                  ? Element<Item, Codecs>[]
                  : Value extends readonly unknown[]
                    ? ListForm<Value, Codecs>
                    : Value extends { toJSON(...options: never[]): infer Json }
                      ? Written<Json, Codecs>
                      : keyof Value extends never
                        ? unknown
                        : ObjectForm<Value, Codecs>;

/** JSON has none of these. */
type Code = ((...args: never[]) => unknown) | (abstract new (...args: never[]) => unknown) | symbol;

type Numbers = (Int8Array | Int16Array | Uint16Array | Int32Array | Uint32Array) | (Float32Array | Float64Array);

/** A brand exists only for the compiler. */
type Unbranded<Value> = keyof Value extends keyof string | keyof number | keyof boolean
  ? Value
  : Value extends string
    ? string
    : Value extends number
      ? number
      : boolean;

/** The elements of arrays and sets cannot be absent. */
type Element<Value, Codecs> = Wire<Exclude<Value, undefined>, Codecs> | (undefined extends Value ? null : never);

type MapForm<Key, Item, Codecs> = [Key] extends [string]
  ? string extends Key
    ? { [key: string]: Wire<Item, Codecs> }
    : { [Name in Key]?: Wire<Item, Codecs> }
  : [Element<Key, Codecs>, Element<Item, Codecs>][];

/** Only tuples have a property "0", and only they are mapped: a list may contain itself. */
type ListForm<Value extends readonly unknown[], Codecs> = "0" extends keyof Value
  ? { -readonly [Index in keyof Value]: Element<Value[Index], Codecs> }
  : Element<Value[number], Codecs>[];

/** The value that `toJSON` returned is not asked again. */
type Written<Json, Codecs> = Json extends { toJSON(): unknown }
  ? Json extends Date
    ? string
    : unknown
  : Wire<Json, Codecs>;

type ObjectForm<Value, Codecs> = Flat<
  {
    -readonly [Key in keyof Value as undefined extends Value[Key] ? never : DataKey<Key, Value[Key]>]: Wire<
      Value[Key],
      Codecs
    >;
  } & {
    -readonly [Key in keyof Value as undefined extends Value[Key] ? DataKey<Key, Value[Key]> : never]?: Wire<
      Exclude<Value[Key], undefined>,
      Codecs
    >;
  }
>;

/** Symbols are brands, and functions are not data. */
type DataKey<Key, Value> = Key extends symbol
  ? never
  : IsAny<Value> extends true
    ? Key
    : [Value] extends [Code | undefined]
      ? never
      : Key;

type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/**
 * The type of a call's result for the return type of a function: its value as JSON, the items of an iterable, null where
 * it may return nothing. A function of content, such as `image(…)`, gives the blocks.
 */
export type Returned<Value, Codecs = never> =
  IsAny<Value> extends true ? unknown : Given<Exclude<Awaited<Value>, Failure>, Codecs>;

type Given<Value, Codecs> =
  IsAny<Value> extends true
    ? unknown
    : [Value] extends [Nothing]
      ? undefined
      : [ContentIn<Value>] extends [never]
        ? Data<Exclude<Value, Nothing>, Codecs> | NullFor<Value>
        : [Exclude<Value, ContentIn<Value> | Nothing>] extends [never]
          ? readonly ContentBlock[]
          : unknown;

// biome-ignore lint/suspicious/noConfusingVoidType: the type of functions that return nothing
type Nothing = void | undefined;
type NullFor<Value> = Value extends Nothing ? null : never;

type ContentIn<Value> = Value extends unknown ? (IsContent<Value> extends true ? Value : never) : never;

/** A list that is always empty is data. */
type IsContent<Value> = Value extends Marked<"block"> | Blob | ReadableStream | Pipe
  ? true
  : Value extends readonly (infer Item)[]
    ? IsOnly<Item, Marked<"block"> | Failure>
    : Value extends AsyncIterable<infer Item>
      ? IsOnly<Item, string | Uint8Array>
      : false;

/** A stream of Node. */
interface Pipe {
  readonly readable: boolean;
  pipe(...targets: never[]): unknown;
}

type IsOnly<Item, Type> =
  IsAny<Item> extends true ? false : [Item] extends [never] ? false : [Item] extends [Type] ? true : false;

type Data<Value, Codecs> =
  Value extends Result<infer Inner>
    ? Given<Inner, Codecs>
    : Value extends { readonly content: readonly { readonly type: string }[] }
      ? unknown
      : Value extends AsyncIterable<infer Item>
        ? Element<Item, Codecs>[]
        : Value extends object
          ? [Exclude<keyof Value, keyof Generator | "map" | "filter" | "take" | "drop">] extends [never]
            ? Value extends Iterable<infer Item>
              ? Element<Item, Codecs>[]
              : Wire<Value, Codecs>
            : Wire<Value, Codecs>
          : Wire<Value, Codecs>;
