// The formats that parameters of resources have, too. A server starts without the others.

/**
 * A format that is asserted. The check runs in linear time; the example is part of the issue message. Only the syntax
 * is checked: a host name need not be valid IDNA, for example.
 */
export interface Format {
  check(text: string): boolean;
  readonly example: string;
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

const DAYS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export const date: Format = { check: isDate, example: "2026-01-31" };

export const uuid: Format = { check: (text) => UUID.test(text), example: "0e2f3a54-5a2b-4c1d-9e8f-7a6b5c4d3e2f" };

function isDate(text: string): boolean {
  return text.length === 10 && hasDate(text);
}

/** Whether a text begins with a valid calendar date. */
export function hasDate(text: string): boolean {
  const year = readPair(text, 0) * 100 + readPair(text, 2);
  const month = readPair(text, 5);
  const day = readPair(text, 8);
  if (text.charAt(4) !== "-" || text.charAt(7) !== "-" || !(year >= 0 && month >= 1 && month <= 12)) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && day <= (month === 2 && isLeap ? 29 : (DAYS[month] ?? 0));
}

/** Reads two ASCII digits; returns NaN, for which every comparison is false, if there are none. */
export function readPair(text: string, at: number): number {
  const tens = text.charCodeAt(at);
  const ones = text.charCodeAt(at + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - 48) * 10 + ones - 48 : Number.NaN;
}

/** Whether a character is an ASCII digit. */
export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
