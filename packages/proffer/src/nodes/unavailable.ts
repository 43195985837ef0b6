import { RpcError } from "../protocol/errors.ts";

/**
 * Why a store or queue did not do what it was asked:
 * - `timeout`: no reply in time; the command may still be executed
 * - `disconnected`: there is no connection, or it was lost before the reply
 * - `suspended`: the last calls failed, so this one was not tried
 * - `overloaded`: too many calls wait for replies
 * - `readonly`, `loading`, `full`, `cluster`, `busy`, `access`: the server refuses the command in its present state
 * - `replicas`: no replica confirmed the change in time, which this server has made
 */
export type UnavailableReason =
  | "timeout"
  | "disconnected"
  | "suspended"
  | "overloaded"
  | "readonly"
  | "loading"
  | "full"
  | "cluster"
  | "busy"
  | "access"
  | "replicas";

/**
 * The state that nodes share cannot be reached or changed now. Clients receive the error `busy`, over HTTP with status
 * 503: it is no fault of the request, and the same request may succeed later.
 */
export class StoreUnavailable extends RpcError {
  override readonly name = "StoreUnavailable";
  readonly reason: UnavailableReason;

  /** The client receives a text without the reason, which would describe the operator's machines. `cause` is logged. */
  constructor(reason: UnavailableReason, cause?: unknown) {
    super("busy", "A service that this server needs is not available. Try again later.", { cause });
    this.reason = reason;
  }
}
