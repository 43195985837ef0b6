import { toBase64 } from "../support/bytes.ts";
import { escapeToken } from "../support/json-pointer.ts";

/** A value could not be converted. `pointer` is the JSON pointer to it. */
export class CodecError extends Error {
  override readonly name = "CodecError";
  pointer = "";
}

/** Prepends a key to the JSON pointer of a `CodecError`; returns any other error unchanged. */
export function atKey(error: unknown, key: string | number): unknown {
  if (error instanceof CodecError)
    error.pointer = `/${typeof key === "string" ? escapeToken(key) : key}${error.pointer}`;
  return error;
}

/** The classes whose values are encoded as a string. */
export type TextKind = "date" | "url" | "bytes" | "buffer" | "bigint";

/** Parsing a decimal takes more than linear time, so a client could block the process with millions of digits. */
const MAX_DIGITS = 10_000;

const DECIMAL = /^-?[0-9]+$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Node's Buffer. Other run-times use the slower standard functions. */
interface NodeGlobals {
  readonly Buffer?: {
    from(text: string, encoding: "base64"): Uint8Array;
    from(bytes: ArrayBufferLike, offset: number, length: number): Uint8Array;
  };
}

const { Buffer: NodeBuffer } = globalThis as NodeGlobals;

/** How the instances of a class are encoded as a string. */
interface TextForm {
  /** Whether a text could encode an instance. */
  looksLike(text: string): boolean;
  isInstance(value: unknown): boolean;
  /** @throws {CodecError} for an invalid text. */
  read(text: string): unknown;
  /** @throws {CodecError} for an invalid instance. */
  write(value: unknown): string;
}

const BYTES = {
  // Any text could be base64.
  looksLike: () => true,
  isInstance: (value: unknown) => value instanceof Uint8Array,
  write: toBase64,
};

export const TEXT_FORMS: { readonly [Kind in TextKind]: TextForm } = {
  bigint: {
    looksLike: (text) => DECIMAL.test(text),
    isInstance: (value) => typeof value === "bigint",
    read: readBigint,
    write: String,
  },
  date: {
    looksLike: (text) => /^[0-9]{4}-/.test(text),
    isInstance: (value) => value instanceof Date,
    read: readDate,
    write: writeDate,
  },
  url: {
    looksLike: (text) => /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text),
    isInstance: (value) => value instanceof URL,
    read: readUrl,
    write: ({ href }: URL) => href,
  },
  bytes: { ...BYTES, read: fromBase64 },
  buffer: { ...BYTES, read: (text) => toBuffer(fromBase64(text)) },
};

function readDate(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) {
    throw new CodecError("must be a valid date and time, such as 2026-01-31T12:00:00Z");
  }
  return date;
}

function writeDate(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new CodecError("is an invalid Date");
  return date.toISOString();
}

function readUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new CodecError("must be an absolute URL, such as https://example.org/");
  }
}

function readBigint(text: string): bigint {
  if (text.length > MAX_DIGITS) throw new CodecError(`must have at most ${MAX_DIGITS} digits`);
  if (!DECIMAL.test(text)) throw new CodecError("must be an integer in decimal digits");
  return BigInt(text);
}

function fromBase64(text: string): Uint8Array {
  if (text.length % 4 !== 0 || !BASE64.test(text)) throw new CodecError("must be base64 with padding");
  // Copy, because small Buffers share a pool that the author's code must not see.
  if (NodeBuffer) return new Uint8Array(NodeBuffer.from(text, "base64"));
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function toBuffer(bytes: Uint8Array): Uint8Array {
  if (NodeBuffer === undefined) {
    throw new CodecError("cannot be a Buffer in this run-time; declare the parameter as Uint8Array");
  }
  return NodeBuffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
