import { isIPv6 } from "node:net";
import { LOOPBACK_NAMES } from "../guard.ts";

/** The default address to listen on: reachable only from this machine. */
export const LOOPBACK = "127.0.0.1";
/** Addresses that mean every interface, and that no client can connect to. */
const ANY: ReadonlySet<string> = new Set(["0.0.0.0", "::", ""]);

/** Removes the brackets that an IPv6 address has in a URL: Node listens on `::1`, not on `[::1]`. */
export function withoutBrackets(host: string): string {
  return /^\[.*\]$/.test(host) ? host.slice(1, -1) : host;
}

/** Whether only this machine can connect to the address. */
export function isLoopback(host: string): boolean {
  return host.toLowerCase() === "localhost" || host.startsWith("127.") || toUrlHost(host) === "[::1]";
}

/** The names that clients use because the server listens on this address; none if it listens on every interface. */
export function ownNames(host: string): string[] {
  if (ANY.has(host)) return [];
  // A browser sends an IPv6 address in its shortest form, other clients as it was typed.
  const names = isIPv6(host) ? new Set([`[${withoutZone(host)}]`, toUrlHost(host)]) : [host];
  // `allowLocalhost` decides about the usual names of this machine.
  return [...names].filter((name) => !LOOPBACK_NAMES.includes(name.toLowerCase()));
}

/**
 * The host part of a URL that reaches the server from this machine.
 * @param address - the address that the operating system reports for `host`
 */
export function reachableHost(host: string, address: string): string {
  if (!ANY.has(address)) return toUrlHost(host);
  return isIPv6(address) ? "[::1]" : LOOPBACK;
}

function toUrlHost(host: string): string {
  return isIPv6(host) ? new URL(`http://[${withoutZone(host)}]`).hostname : host;
}

/** Removes the interface of `fe80::1%eth0`, which URLs and `Host` headers cannot contain. */
function withoutZone(address: string): string {
  return address.replace(/%.*/, "");
}
