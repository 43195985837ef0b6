import { FetchError, type Reach } from "./options.ts";

const FARTHEST_FIRST: readonly Reach[] = ["public", "private", "loopback"];

/**
 * IP ranges, of which the first that contains an address counts. No other party may name those with "none": services with
 * the credentials of a cloud's machine, link-local and multicast addresses, and those that nobody has.
 */
const RANGES = (
  [
    ["168.63.129.16/32 169.254.0.0/16 100.100.100.200/32 192.0.0.0/24 fd00:ec2::/32", "none"],
    ["127.0.0.0/8 ::1/128", "loopback"],
    // Carrier-grade NAT and networks of tests are private networks to whoever is in them.
    ["10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 198.18.0.0/15 fc00::/7", "private"],
    ["0.0.0.0/8 192.0.2.0/24 192.88.99.0/24 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3", "none"],
    ["0.0.0.0/0", "public"],
    ["2001::/23 2001:db8::/32 3fff::/20", "none"],
    ["2000::/3", "public"],
  ] as const
).flatMap(([ranges, reach]) => ranges.split(" ").map((range) => ({ ...toRange(range), reach })));

/** IPv6 addresses that lead to an IPv4 address, and how far to shift its bits: mapped, compatible, NAT64, 6to4. */
const EMBEDDED = ([["::ffff:0:0/96"], ["::/96"], ["64:ff9b::/96"], ["2002::/16", 80]] as const).map(
  ([range, shift = 0]) => ({ ...toRange(range), shift: BigInt(shift) }),
);

/** Returns how near an IP address is; "none" for one that no other party may name. */
export function reachOf(address: string): Reach | "none" {
  const parsed = parseAddress(address);
  if (parsed === undefined) return "none";
  const embedded = EMBEDDED.find((range) => contains(range, parsed));
  // The addresses :: and ::1 are no embedded ones.
  const isEmbedded = embedded !== undefined && parsed.bits > 1n;
  const bits = isEmbedded ? (parsed.bits >> embedded.shift) & 0xffff_ffffn : parsed.bits;
  const found = isEmbedded ? { bits, size: 32 } : parsed;
  return RANGES.find((range) => contains(range, found))?.reach ?? "none";
}

/** Whether something of this reach may name an address of that one. */
function mayName(within: Reach, reach: Reach | "none"): boolean {
  return reach !== "none" && FARTHEST_FIRST.indexOf(reach) <= FARTHEST_FIRST.indexOf(within);
}

/** Returns the IP address that a URL contains; undefined for a name. The class `URL` has written it in one way. */
export function literalOf({ hostname }: URL): string | undefined {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  return /^\d+(?:\.\d+){3}$/.test(hostname) ? hostname : undefined;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Parses a URL to which secrets may be sent, or whose answer is trusted: others on the network must not read or replace
 * them.
 */
export function parseSafeUrl(text: unknown): URL | undefined {
  try {
    const url = new URL(String(text));
    const { protocol, hostname } = url;
    return protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname)) ? url : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Parses a URL that another party may have named: `https`, or on this machine.
 * @throws {FetchError} for another one, and for an IP address that is nearer than the party.
 */
export function checkUrl(text: string, within: Reach | undefined): URL {
  const url = parseSafeUrl(text);
  if (url === undefined) throw new FetchError(`${text} must be an https URL, or http on this machine.`);
  const literal = literalOf(url);
  if (literal !== undefined) checkAddress(url, literal, within);
  return url;
}

/**
 * Checks an address that a URL has, or that its name resolves to: one that is not checked could be that of a service in
 * the network of this process. @throws {FetchError}
 */
export function checkAddress({ hostname, protocol }: URL, address: string, within: Reach | undefined): void {
  const reach = reachOf(address);
  const isAllowed = within === undefined || mayName(within, reach);
  if (isAllowed && (protocol === "https:" || reach === "loopback")) return;
  const named = hostname === address || hostname === `[${address}]` ? hostname : `${hostname} (${address})`;
  throw new FetchError(`${named} is not a public address, so no other party may name it.`);
}

interface Address {
  readonly bits: bigint;
  readonly size: number;
}

interface Range extends Address {
  readonly prefix: number;
}

function toRange(text: string): Range {
  const [address = "", prefix] = text.split("/");
  return { ...(parseAddress(address) as Address), prefix: Number(prefix) };
}

function contains(range: Range, { bits, size }: Address): boolean {
  const rest = BigInt(size - range.prefix);
  return range.size === size && range.bits >> rest === bits >> rest;
}

function parseAddress(text: string): Address | undefined {
  const [, start = "", dotted] = /^([\da-f:]*?)(\d+(?:\.\d+){3})?(?:%.*)?$/i.exec(text) ?? [];
  const bytes = dotted?.split(".").map(Number) ?? [];
  if (bytes.some((byte) => byte > 255)) return undefined;
  const v4 = toBits(bytes, 8);
  if (start === "") return dotted === undefined ? undefined : { bits: v4, size: 32 };
  const written = dotted === undefined ? start : `${start}${(v4 >> 16n).toString(16)}:${(v4 & 0xffffn).toString(16)}`;
  const [head = [], tail, ...more] = written.split("::").map((part) => part.split(":").filter(Boolean));
  const groups =
    tail === undefined ? head : [...head, ...Array(Math.max(0, 8 - head.length - tail.length)).fill("0"), ...tail];
  if (more.length > 0 || groups.length !== 8 || groups.some((group) => group.length > 4)) return undefined;
  return {
    bits: toBits(
      groups.map((group) => Number.parseInt(group, 16)),
      16,
    ),
    size: 128,
  };
}

function toBits(parts: readonly number[], size: number): bigint {
  return parts.reduce((bits, part) => (bits << BigInt(size)) | BigInt(part), 0n);
}
