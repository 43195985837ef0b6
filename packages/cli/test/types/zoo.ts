/** Return types, each with an expression of a value. */
export const CASES: { readonly [name: string]: readonly [type: string, value: string] } = {
  text: ["string", '"a"'],
  literals: ['"a" | 5 | true | null', "5"],
  port: ["Port", "5 as Port"],
  level: ["Level", "Level.High"],
  bigint: ["bigint", "10n ** 30n"],
  date: ["Date", "new Date(0)"],
  url: ["URL", 'new URL("https://example.org/")'],
  bytes: ["{ data: Uint8Array; more: ArrayBuffer }", "{ data: new Uint8Array([1]), more: new Uint8Array([2]).buffer }"],
  whole: ["Uint8Array", "new Uint8Array([1])"],
  buffer: ["Buffer", 'Buffer.from("a")'],
  numbers: ["{ a: Float64Array; b: BigInt64Array }", "{ a: new Float64Array([1]), b: new BigInt64Array([1n]) }"],
  set: ["Set<Date>", "new Set([new Date(0)])"],
  map: ["Map<string, Set<bigint>>", 'new Map([["a", new Set([1n])]])'],
  keyed: ['ReadonlyMap<"a" | "b", Date>', 'new Map([["a" as const, new Date(0)]])'],
  entries: ["Map<Date, { at: Date }>", "new Map([[new Date(0), { at: new Date(1) }]])"],
  list: ["readonly (Date | undefined)[]", "[new Date(0), undefined]"],
  tuple: ["[string, Date?]", '["a", new Date(0)]'],
  open: ["[string, ...bigint[]]", '["a", 1n]'],
  points: ["[from: number, to: Date]", "[1, new Date(0)]"],
  days: ["Days", "[new Date(0)]"],
  index: ["Index<Date>", 'new Map([["a", new Date(0)]])'],
  price: ["{ price: Price; list: Price[] }", "{ price: new Price(), list: [new Price()] }"],
  order: ["Order", "{ id: 1n, due: undefined, note: undefined }"],
  omitted: ["{ a?: string; b: Date | undefined; c: number | undefined }", "{ b: new Date(0), c: undefined }"],
  error: ["{ problem: Error; own: Broken }", '{ problem: new TypeError("a"), own: new Broken("b") }'],
  nothing: ["void", "undefined"],
  maybe: ["Order | undefined", "undefined"],
  nullable: ["Date | null", "null"],
  later: ["Promise<Date>", "Promise.resolve(new Date(0))"],
  unions: ["Date | number | Set<string> | { at: Date }", "{ at: new Date(0) }"],
  kinds: ['{ kind: "a"; at: Date } | { kind: "b"; n: bigint }', '{ kind: "b", n: 1n }'],
  record: ["Record<string, Date>", "{ a: new Date(0) }"],
  some: ["{ id: string; [key: string]: string | { at: Date } }", '{ id: "a", b: { at: new Date(0) } }'],
  tree: ["Tree", "{ at: new Date(0), children: [{ at: new Date(1) }] }"],
  json: ["Json", '["a", { b: [1, null] }]'],
  anything: ["unknown", "({ a: 1 })"],
  hidden: ["{ cache: object; extra: unknown }", "{ cache: { a: 1 }, extra: new Map() }"],
  generated: ["Generator<Date>", "(function* () { yield new Date(0); })()"],
  streamed: ["AsyncIterable<bigint>", "(async function* () { yield 1n; })()"],
  joined: ["AsyncGenerator<string>", '(async function* () { yield "a"; })()'],
  image: ["Content", 'image("aGk=", "image/png")'],
  blocks: ["Content[]", '[text("a"), text("b")]'],
  mixed: ["string | Content", '"a"'],
  failing: ["Date | Failure", "new Date(0)"],
  result: ["Result<{ at: Date }>", 'result({ at: new Date(0) }, { content: "soon" })'],
  whole2: ["CallResult", '({ content: [{ type: "text", text: "a" }] })'],
  money: [
    "{ sum: Money; all: Money[]; by: Map<string, Money> }",
    '{ sum: new Money(5), all: [], by: new Map([["a", new Money(6)]]) }',
  ],
  moneyOrNot: ["Money | null | string", "new Money(1)"],
  partial: ['Partial<Pick<Order, "id" | "due">>', "{ id: 5n }"],
  page: ["Page<Date>", "{ items: [new Date(0)] }"],
  regexp: ["RegExpMatchArray | null", '"aa".match(/a/)'],
};

/** A module with a function for each case: its name ends with an underscore. */
export const ZOO = `
  import { type CallResult, type Content, defineCodec, type Failure, image, type Result, result, text } from "proffer";
  type Port = number & { readonly brand: "Port" };
  enum Level { Low, High }
  interface Days extends ReadonlyArray<Date> {}
  interface Index<Value> extends Map<string, Value> {}
  interface Tree { at: Date; children?: Tree[] }
  interface Page<Item> { items: Item[]; next?: string }
  interface Order { readonly id: bigint; due: Date | undefined; note?: string }
  type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
  class Price { #digits = "1.50"; toJSON(): { digits: string } { return { digits: this.#digits }; } }
  class Broken extends Error { readonly secret = 1; }
  export class Money { constructor(readonly cents: number) {} plus(other: Money) { return new Money(this.cents + other.cents); } }
  export const money = defineCodec<Money, { cents: number; at?: Date }>({
    decode: ({ cents }) => new Money(cents), encode: ({ cents }) => ({ cents }), is: (value) => value instanceof Money });
  ${Object.entries(CASES)
    .map(([name, [type, value]]) => `/** A case. */ export function ${name}_(): ${type} { return ${value}; }`)
    .join("\n")}
`;
