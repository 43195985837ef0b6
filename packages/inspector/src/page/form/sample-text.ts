import type { TextShape } from "./field.ts";
import { samplePattern } from "./sample-pattern.ts";

const FORMATS: { readonly [format: string]: string } = {
  date: "2026-01-31",
  "date-time": "2026-01-31T13:00:00Z",
  time: "13:00:00Z",
  duration: "P1D",
  email: "ann@example.com",
  hostname: "www.example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/a",
  uuid: "0e2f3a54-5a2b-4c1d-9e8f-7a6b5c4d3e2f",
};
const MAX_LENGTH = 1000;
const WORDS = "example text ";

/** Makes a text for a field; `number` makes several different ones. */
export function sampleText(shape: TextShape, number: number): string {
  const { format, pattern, minLength = 0, maxLength = MAX_LENGTH } = shape;
  const known = format !== undefined && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (known !== undefined) return known;
  if (pattern !== undefined) return fromPattern(pattern, minLength, maxLength) ?? "example";
  const text = number === 0 ? "example" : `example ${number + 1}`;
  const long = text.length < minLength ? WORDS.repeat(Math.ceil(Math.min(minLength, MAX_LENGTH) / WORDS.length)) : text;
  return long.slice(0, Math.max(minLength, Math.min(maxLength, text.length)));
}

const MAX_TRIES = 64;

function fromPattern(pattern: string, least: number, most: number): string | undefined {
  let first: string | undefined;
  for (let more = 0; more < MAX_TRIES; more++) {
    const sample = samplePattern(pattern, more);
    if (sample === undefined) return first;
    first ??= sample;
    if (sample.length >= least && sample.length <= most) return sample;
  }
  return first;
}
