import type { Claims } from "./options.ts";
import type { IssuerSettings } from "./settings.ts";

/**
 * Why a token is refused, for the log only: a caller who tries tokens must not learn it. docs/auth.md explains each.
 */
export type Reason =
  | "malformed"
  | "issuer"
  | "algorithm"
  | "type"
  | "key"
  | "ambiguous"
  | "signature"
  | "audience"
  | "expired"
  | "time"
  | "subject"
  | "bound"
  | "identity"
  | "inactive"
  | "principal"
  | "scope"
  | "unavailable";

/** A token that cannot be used. */
export class Refused {
  readonly reason: Reason;
  /** The value that is wrong, for the log; never a part of the token's text. */
  readonly found: unknown;

  constructor(reason: Reason, found?: unknown) {
    this.reason = reason;
    this.found = found;
  }
}

/** A token that its issuer vouches for. */
export interface Verified {
  readonly issuer: IssuerSettings;
  readonly claims: Claims;
  /** Seconds for which that may be remembered. */
  readonly seconds: number;
}

export type Outcome = Verified | Refused;
