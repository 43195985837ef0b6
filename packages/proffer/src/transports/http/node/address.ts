import { BlockList, isIP, isIPv6 } from "node:net";
import type { ServerState } from "../../../server/server.ts";
import { UsageError } from "../../../support/usage-error.ts";
import type { HttpEndpoint } from "../endpoint.ts";
import { LOOPBACK_NAMES } from "../guard.ts";
import type { HttpOptions } from "../options.ts";

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

/** The proxies whose `X-Forwarded-For` header is believed: anybody else could write any address into it. */
export class TrustedProxies {
  readonly #addresses = new BlockList();

  /** Accepts addresses and networks such as "10.0.0.0/8". @throws {UsageError} for anything else. */
  constructor(addresses: readonly string[], where: string) {
    for (const each of addresses) this.#add(each, where);
  }

  /** The client behind a trusted proxy: the last address of the header that is not a trusted proxy's. */
  clientOf(proxy: string, forwardedFor: string): string {
    let client = proxy;
    // Each proxy appends the address that it received the request from, so only the end of the list can be believed.
    for (const address of forwardedFor.split(",").reverse()) {
      const hop = address.trim();
      if (isIP(hop) === 0) return client;
      client = hop;
      if (!this.has(hop)) return client;
    }
    return client;
  }

  has(address: string | undefined): boolean {
    return address !== undefined && this.#addresses.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  }

  #add(written: string, where: string): void {
    const [address = "", bits, ...rest] = written.split("/");
    const version = isIP(address);
    const prefix = bits === undefined ? undefined : Number(bits);
    const isPrefix = prefix === undefined || (/^\d+$/.test(bits ?? "") && prefix <= (version === 4 ? 32 : 128));
    if (version === 0 || !isPrefix || rest.length > 0) {
      throw new UsageError(
        `${where}: trustedProxies (--trusted-proxy) accepts addresses and networks such as "10.0.0.7" or "10.0.0.0/8", not ${JSON.stringify(written)}.`,
      );
    }
    const family = version === 4 ? "ipv4" : "ipv6";
    if (prefix === undefined) this.#addresses.addAddress(address, family);
    else this.#addresses.addSubnet(address, prefix, family);
  }
}

/** The servers that have warned of a proxy. */
const warned = new WeakSet<object>();

/** Warns once that somebody who is not trusted reports addresses: behind a proxy, all anonymous callers would be one. */
export function warnOfProxy({ server, options }: HttpEndpoint, peer: string | undefined): void {
  if (peer === undefined || options.caller !== undefined || warned.has(server)) return;
  warned.add(server);
  const address = peer.replace(/^::ffff:/, "");
  const message =
    `Requests from ${address} have X-Forwarded-For, which is ignored because anyone can write it: anonymous callers behind ` +
    `that address have one share together. If it is your proxy, add trustedProxies: ["${address}"], or ` +
    `--trusted-proxy ${address}.`;
  server.log({ level: "warning", message });
}

/**
 * The warning of a server that other machines can connect to without authentication, if it has tools that are marked as
 * destructive; undefined if there is no reason for one.
 */
export function exposureOf(
  host: string,
  { tools }: Pick<ServerState, "tools">,
  { authenticate }: HttpOptions,
): string | undefined {
  if (authenticate !== undefined) return undefined;
  const destructive = [...tools].filter(({ description }) => description.annotations?.destructiveHint === true);
  const [first] = destructive;
  if (first === undefined) return undefined;
  const others = destructive.length - 1;
  const more = others === 0 ? "" : ` and ${others} more destructive ${others === 1 ? "tool" : "tools"}`;
  return (
    `Listening on ${host || "all interfaces"} without authentication: everyone who reaches the server may call the ` +
    `destructive tool "${first.name}"${more}. Set authenticate, or --oauth-issuer and --oauth-resource.`
  );
}
