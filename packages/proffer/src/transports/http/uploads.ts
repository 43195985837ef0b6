import { RpcError } from "../../protocol/errors.ts";
import { busyError, type HttpError } from "./http-error.ts";

/**
 * The bytes of large requests that have not arrived completely, of the whole process. Otherwise a thousand connections
 * could each send all but the last byte of the largest message.
 */
export const uploads = { bytes: 0, max: 256 * 1024 * 1024 };

/** A request that arrives in more than one chunk. */
export class Upload {
  #bytes = 0;

  /** Counts bytes that arrived; false if they are too many, together with those of other requests. */
  add(bytes: number): boolean {
    this.#bytes += bytes;
    uploads.bytes += bytes;
    return uploads.bytes <= uploads.max;
  }

  /** The request has arrived, was rejected, or its client disconnected. */
  end(): void {
    uploads.bytes -= this.#bytes;
    this.#bytes = 0;
  }
}

export function uploadsBusyError(): HttpError {
  const limit = `${uploads.max} bytes of large requests are arriving`;
  return busyError(new RpcError("busy", `The server is busy: ${limit}. Try again later.`));
}
