import { toBase64 } from "../../support/bytes.ts";

/** A row as returned by a driver. */
export type Row = Readonly<Record<string, unknown>>;

/** Serializes rows as a JSON array. Integers beyond the safe range become strings, bytes become base64. */
export function toJsonRows(rows: readonly Row[]): string {
  return JSON.stringify(rows, function (this: Record<string, unknown>, key, value: unknown) {
    // `value` is not the Buffer any more: JSON.stringify has already called its toJSON.
    const own = this[key];
    if (own instanceof Uint8Array) return toBase64(own);
    return typeof value === "bigint" ? toSafeNumber(value) : value;
  });
}

/** Serializes rows as CSV (RFC 4180) with a header line. */
export function toCsvRows(rows: readonly Row[], columns: readonly string[] = Object.keys(rows[0] ?? {})): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  return lines.map((line) => `${line.map(toField).join(",")}\r\n`).join("");
}

function toField(value: unknown): string {
  const text = toText(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return toBase64(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function toSafeNumber(value: bigint): number | string {
  return BigInt(Number(value)) === value && Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}
