import type { CallOrigin } from "../../calls/call.ts";
import { InFlight, isUncounted } from "../../calls/in-flight.ts";
import type { Principal } from "../../calls/principal.ts";
import type { ChangeListener } from "../../catalog/changes.ts";
import { RpcError } from "../../protocol/errors.ts";

/** What tells one client from another: its principal, else its session, else its address. */
export interface ClientIdentity {
  readonly principal?: Principal | undefined;
  /** The session, which listens for changes. */
  readonly listener?: ChangeListener | undefined;
  readonly address?: string | undefined;
}

/** Whether anything is known about a client; over some run-times, nothing is known about an anonymous one. */
export function isKnown({ principal, listener, address }: ClientIdentity): boolean {
  return (principal ?? listener ?? address) !== undefined;
}

/** Clients about whom nothing is known are different clients. */
export function isSameClient(a: ClientIdentity, b: ClientIdentity): boolean {
  if (a.principal !== undefined || b.principal !== undefined) return a.principal?.id === b.principal?.id;
  if (a.listener !== undefined || b.listener !== undefined) return a.listener === b.listener;
  return a.address !== undefined && a.address === b.address;
}

/**
 * A client has its share of a busy server: 429, while other clients are served. Otherwise one client could take the
 * whole server. Shares apply once half of a limit is in use, so that a server with few clients does not count them.
 */
export class ShareError extends RpcError {
  constructor(share: number, things: string) {
    super("busy", `The server is busy, and this client has ${share} ${things}, its share. Try again later.`);
  }
}

/** The calls in flight of one endpoint, with a share for each client. */
export class SharedInFlight extends InFlight {
  readonly #max: number;
  readonly #share: number;

  constructor(max: number, share: number) {
    super(max);
    this.#max = max;
    this.#share = share;
  }

  override busy(origin: CallOrigin): RpcError | undefined {
    const full = super.busy(origin);
    if (full !== undefined || this.size * 2 < this.#max) return full;
    return this.#count(origin) < this.#share ? undefined : new ShareError(this.#share, "requests in flight");
  }

  #count(client: ClientIdentity): number {
    let count = 0;
    for (const call of this.calls) if (!isUncounted(call) && isSameClient(call.origin, client)) count++;
    for (const call of this.late) if (isSameClient(call.origin, client)) count++;
    return count;
  }
}
