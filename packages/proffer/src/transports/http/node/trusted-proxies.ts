import { BlockList, isIP } from "node:net";
import { UsageError } from "../../../support/usage-error.ts";

/** The proxies whose `X-Forwarded-For` header is believed: anybody else could write any address into it. */
export class TrustedProxies {
  readonly #addresses = new BlockList();

  /** Accepts addresses and networks such as "10.0.0.0/8". @throws {UsageError} for anything else. */
  constructor(addresses: readonly string[], where: string) {
    for (const each of addresses) this.#add(each, where);
  }

  /** The client behind a peer: the last address of the header that is not a trusted proxy's. */
  clientOf(peer: string | undefined, forwardedFor: string | undefined): string | undefined {
    if (peer === undefined || forwardedFor === undefined || !this.#has(peer)) return peer;
    let client = peer;
    // Each proxy appends the address that it received the request from, so only the end of the list can be believed.
    for (const address of forwardedFor.split(",").reverse()) {
      const hop = address.trim();
      if (isIP(hop) === 0) return client;
      client = hop;
      if (!this.#has(hop)) return client;
    }
    return client;
  }

  #has(address: string): boolean {
    return this.#addresses.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  }

  #add(written: string, where: string): void {
    const [address = "", bits, ...rest] = written.split("/");
    const version = isIP(address);
    const prefix = bits === undefined ? undefined : Number(bits);
    const isPrefix = prefix === undefined || (/^\d+$/.test(bits ?? "") && prefix <= (version === 4 ? 32 : 128));
    if (version === 0 || !isPrefix || rest.length > 0) {
      throw new UsageError(
        "bad_option",
        `${where}: trustedProxies accepts addresses and networks such as "10.0.0.7" or "10.0.0.0/8", not ${JSON.stringify(written)}.`,
      );
    }
    const family = version === 4 ? "ipv4" : "ipv6";
    if (prefix === undefined) this.#addresses.addAddress(address, family);
    else this.#addresses.addSubnet(address, prefix, family);
  }
}
