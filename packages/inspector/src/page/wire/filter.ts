import type { WireLine } from "../../protocol/data.ts";
import { type Exchange, isFailure, linesOf, outcomeOf, segmentsOf, timeOf } from "./exchange.ts";

/** `method:tools/call status:error duration:>500ms bytes:>10k name:order -ping "some text"` */
export interface Filter {
  readonly tests: readonly Test[];
  /** Why terms cannot be read. They are left out. */
  readonly problems: readonly string[];
}

type Test = (exchange: Exchange, now: number) => boolean;
type ParsedTest = Test | { readonly problem: string };

const KEYS: { readonly [key: string]: (value: string) => ParsedTest } = {
  method: (value) => some(({ method }) => has(method, value)),
  name: (value) => some(({ about }) => has(about, value)),
  status: statusIs,
  revision: (value) => some(({ revision }) => has(revision, value)),
  dir: (value) => some(({ dir }) => dir === value),
  duration: (value) =>
    compared(value, "duration", DURATIONS, (exchange, now) => timeOf("server", segmentsOf(exchange, now))),
  bytes: (value) =>
    compared(value, "bytes", SIZES, (exchange) => linesOf(exchange).reduce((sum, { bytes }) => sum + bytes, 0)),
};
const DURATIONS: { readonly [unit: string]: number } = { "": 1, ms: 1, s: 1000, m: 60_000, min: 60_000 };
const SIZES: { readonly [unit: string]: number } = { "": 1, b: 1, k: 1000, kb: 1000, m: 1_000_000, mb: 1_000_000 };

/** Each term of a filter: a sign, perhaps a key, a value in quotes or without spaces. */
const TERM = /(-?)(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/gi;

/** The terms must all hold. A word with another colon, such as `orders://7`, is text. */
export function parseFilter(text: string): Filter {
  const tests: Test[] = [];
  const problems: string[] = [];
  for (const [term, sign, key = "", quoted, plain = ""] of text.matchAll(TERM)) {
    const value = (quoted ?? plain).toLowerCase();
    const known = Object.hasOwn(KEYS, key.toLowerCase()) ? KEYS[key.toLowerCase()] : undefined;
    const reading = known?.(value) ?? containing((key ? term.slice(sign?.length) : value).toLowerCase());
    if (typeof reading !== "function") problems.push(reading.problem);
    else tests.push(sign ? (exchange, now) => !reading(exchange, now) : reading);
  }
  return { tests, problems };
}

export function matchesFilter({ tests }: Filter, exchange: Exchange, now: number): boolean {
  return tests.every((test) => test(exchange, now));
}

function some(test: (line: WireLine) => boolean): Test {
  return (exchange) => linesOf(exchange).some(test);
}

function has(text: string | undefined, part: string): boolean {
  return text?.toLowerCase().includes(part) ?? false;
}

function containing(part: string): Test {
  return some(({ method, about, status, note, id }) =>
    [method, about, status, note, String(id ?? "")].some((text) => has(text, part)),
  );
}

/** `status:error` is every kind of failure; anything else is the start of a status, an error code or an HTTP status. */
function statusIs(value: string): Test {
  if (value === "error") return (exchange) => linesOf(exchange).some(isFailure);
  if (value === "open") return (exchange) => exchange.line.kind === "request" && outcomeOf(exchange) === undefined;
  return some(({ status, httpStatus }) => [status, String(httpStatus ?? "")].some((text) => has(text, value)));
}

function compared(
  value: string,
  key: string,
  units: { readonly [unit: string]: number },
  measure: (exchange: Exchange, now: number) => number,
): ParsedTest {
  const [, sign = "", digits, unit = ""] = /^(<=|>=|<|>)?(\d+(?:\.\d+)?)([a-z]*)$/.exec(value) ?? [];
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (digits === undefined || factor === undefined) {
    const example = key === "bytes" ? "bytes:>10k" : "duration:>500ms";
    return { problem: `"${key}:${value}" is not a limit such as ${example}.` };
  }
  const limit = Number(digits) * factor;
  return (exchange, now) => holds(measure(exchange, now), sign, limit);
}

function holds(measured: number, sign: string, limit: number): boolean {
  if (sign === "<") return measured < limit;
  if (sign === "<=") return measured <= limit;
  if (sign === ">") return measured > limit;
  return measured >= limit;
}
