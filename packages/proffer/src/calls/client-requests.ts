import { ERRORS } from "../protocol/errors.ts";
import type { JsonObject, RequestId, ResponseMessage } from "../protocol/messages.ts";
import type { MessageFault } from "../protocol/parse.ts";
import type { Call } from "./call.ts";

/** A client's response to a request from the server. */
export type ClientResponse = { readonly result: JsonObject } | { readonly error: JsonObject };

/** The requests that the server sent to one client and that are not answered yet. */
export class ClientRequests {
  readonly #waiting = new Map<RequestId, (response: ClientResponse) => void>();
  #next = 1;

  /** Sends a request on behalf of a call and returns the client's response. */
  send(call: Call, method: string, params: JsonObject, write: (text: string) => void): Promise<ClientResponse> {
    const id = `proffer-${this.#next++}`;
    const { signal } = call;
    return new Promise((resolve) => {
      const forget = () => {
        // The call has ended, so the client can stop asking the user.
        this.#waiting.delete(id);
        write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }));
      };
      this.#waiting.set(id, (response) => {
        signal.removeEventListener("abort", forget);
        resolve(response);
      });
      signal.addEventListener("abort", forget, { once: true });
      write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  /** Fails the request that an invalid response belongs to; otherwise its caller would wait indefinitely. */
  receiveFault({ responseTo, error: { message } }: MessageFault): void {
    if (responseTo === undefined) return;
    this.receive({ jsonrpc: "2.0", id: responseTo, error: { code: ERRORS.invalid_request, message } });
  }

  /** Resolves the request that a response belongs to; ignores a response to no request. */
  receive({ id, result = {}, error }: ResponseMessage): void {
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    resolve?.(error === undefined ? { result } : { error });
  }
}
