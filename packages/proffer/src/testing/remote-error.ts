import type { ErrorObject } from "../protocol/errors.ts";

/** An error response of the server. */
export class RemoteError extends Error {
  override readonly name = "RemoteError";
  readonly code: number;
  readonly data: unknown;

  constructor(error: ErrorObject) {
    super(error.message);
    this.code = error.code;
    this.data = error.data;
  }
}
