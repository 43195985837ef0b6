/**
 * A format that is asserted. The check runs in linear time; the example is part of the issue message. Only the syntax
 * is checked: a host name need not be valid IDNA, for example.
 */
export interface Format {
  check(text: string): boolean;
  readonly example: string;
}

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const HOSTNAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`, "i");

const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);
const IPV6_GROUP = /^[0-9a-f]{1,4}$/i;

/** RFC 3339, appendix A: weeks cannot be combined with other units, and no unit between two others may be omitted. */
const DURATION =
  /^P(?!$)(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/;

/** RFC 5321, section 4.1.2: a dot-string or a quoted string, then the domain or an address literal. */
const EMAIL =
  /^(?:[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*|"(?:[ !#-[\]-~]|\\[ -~])*")@([^@]+)$/i;

/** RFC 3986, section 3: the scheme, the authority, and the rest. */
const URI = /^[a-z][a-z0-9+.-]*:(?:\/\/([^/?#]*))?(.*)$/is;
const URI_REST = /^(?:[a-z0-9._~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*$/i;
const AUTHORITY =
  /^(?:(?:[a-z0-9._~!$&'()*+,;=:-]|%[0-9a-f]{2})*@)?(?:\[([^\]]*)\]|(?:[a-z0-9._~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i;
const IP_FUTURE = /^v[0-9a-f]+\.[a-z0-9._~!$&'()*+,;=:-]+$/i;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

const DAYS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export const date: Format = { check: isDate, example: "2026-01-31" };

export const uuid: Format = { check: (text) => UUID.test(text), example: "0e2f3a54-5a2b-4c1d-9e8f-7a6b5c4d3e2f" };

export const formats: ReadonlyMap<string, Format> = new Map([
  ["date-time", { check: isDateTime, example: "2026-01-31T13:00:00Z" }],
  ["date", date],
  ["time", { check: (text: string) => isTime(text, 0), example: "13:00:00Z" }],
  ["duration", { check: (text: string) => DURATION.test(text), example: "P1DT12H" }],
  ["email", { check: isEmail, example: "ann@example.com" }],
  ["hostname", { check: isHostname, example: "www.example.com" }],
  ["ipv4", { check: (text: string) => IPV4.test(text), example: "192.0.2.1" }],
  ["ipv6", { check: isIpv6, example: "2001:db8::1" }],
  ["uri", { check: isUri, example: "https://example.com/a" }],
  ["uuid", uuid],
]);

function isDateTime(text: string): boolean {
  const separator = text.charAt(10);
  return (separator === "T" || separator === "t") && hasDate(text) && isTime(text, 11);
}

/** Whether the text from `start` to its end is a time with an offset. */
function isTime(text: string, start: number): boolean {
  const hour = readPair(text, start);
  const minute = readPair(text, start + 3);
  const second = readPair(text, start + 6);
  if (text.charAt(start + 2) !== ":" || text.charAt(start + 5) !== ":") return false;
  if (!(hour <= 23 && minute <= 59 && second <= 60)) return false;
  let end = start + 8;
  if (text.charAt(end) === ".") {
    const fraction = ++end;
    while (isDigit(text.charCodeAt(end))) end++;
    if (end === fraction) return false;
  }
  const offset = readOffset(text, end);
  if (offset === undefined) return false;
  if (second < 60) return true;
  // A leap second is the last second of a day in UTC, regardless of the offset (RFC 3339, section 5.7).
  return (hour * 60 + minute - offset + 1440) % 1440 === 1439;
}

/** Reads the offset at the end of the text, in minutes east of UTC. */
function readOffset(text: string, start: number): number | undefined {
  const sign = text.charAt(start);
  if (sign === "Z" || sign === "z") return text.length === start + 1 ? 0 : undefined;
  if ((sign !== "+" && sign !== "-") || text.length !== start + 6 || text.charAt(start + 3) !== ":") return undefined;
  const hours = readPair(text, start + 1);
  const minutes = readPair(text, start + 4);
  if (!(hours <= 23 && minutes <= 59)) return undefined;
  return (hours * 60 + minutes) * (sign === "+" ? 1 : -1);
}

function isHostname(text: string): boolean {
  return text.length <= 253 && HOSTNAME.test(text);
}

function isEmail(text: string): boolean {
  const domain = EMAIL.exec(text)?.[1];
  if (domain === undefined) return false;
  if (!domain.startsWith("[")) return isHostname(domain);
  if (!domain.endsWith("]")) return false;
  const literal = domain.slice(1, -1);
  return /^IPv6:/i.test(literal) ? isIpv6(literal.slice(5)) : IPV4.test(literal);
}

function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  let groups = 0;
  for (const [side, half] of halves.entries()) {
    if (half === "") continue;
    const parts = half.split(":");
    const tail = parts.at(-1) ?? "";
    if (side === halves.length - 1 && IPV4.test(tail)) {
      parts.pop();
      groups += 2;
    }
    if (!parts.every((part) => IPV6_GROUP.test(part))) return false;
    groups += parts.length;
  }
  return halves.length === 2 ? groups < 8 : groups === 8;
}

function isUri(text: string): boolean {
  const [whole, authority = "", rest = ""] = URI.exec(text) ?? [];
  // Only one "#" is allowed, before the fragment.
  if (whole === undefined || !URI_REST.test(rest.replace("#", ""))) return false;
  const match = AUTHORITY.exec(authority);
  if (match === null) return false;
  const literal = match[1];
  return literal === undefined || isIpv6(literal) || IP_FUTURE.test(literal);
}

function isDate(text: string): boolean {
  return text.length === 10 && hasDate(text);
}

/** Whether a text begins with a valid calendar date. */
function hasDate(text: string): boolean {
  const year = readPair(text, 0) * 100 + readPair(text, 2);
  const month = readPair(text, 5);
  const day = readPair(text, 8);
  if (text.charAt(4) !== "-" || text.charAt(7) !== "-" || !(year >= 0 && month >= 1 && month <= 12)) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && day <= (month === 2 && isLeap ? 29 : (DAYS[month] ?? 0));
}

/** Reads two ASCII digits; returns NaN, for which every comparison is false, if there are none. */
function readPair(text: string, at: number): number {
  const tens = text.charCodeAt(at);
  const ones = text.charCodeAt(at + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - 48) * 10 + ones - 48 : Number.NaN;
}

/** Whether a character is an ASCII digit. */
function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
