import { ERRORS } from "../protocol/errors.ts";
import type { JsonObject, RequestId, ResponseMessage } from "../protocol/messages.ts";
import type { MessageFault } from "../protocol/parse.ts";
import type { Call } from "./call.ts";

/** What a client answered to a request of the server's. */
export type ClientResponse = { readonly result: JsonObject } | { readonly error: JsonObject };

/** The requests that the server has sent to one client and that are not answered yet. */
export class ClientRequests {
  readonly #waiting = new Map<RequestId, (response: ClientResponse) => void>();
  #next = 1;

  /** Sends a request on behalf of a call and gives the client's response. */
  send(call: Call, method: string, params: JsonObject, write: (text: string) => void): Promise<ClientResponse> {
    const id = `proffer-${this.#next++}`;
    const { signal } = call;
    return new Promise((resolve) => {
      const forget = () => {
        // Nobody waits for the answer any more; the user should not be asked for nothing.
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

  /** Takes a response that cannot be understood: whoever waits for it would wait for ever. */
  receiveFault({ answered, error: { message } }: MessageFault): void {
    if (answered === undefined) return;
    this.receive({ jsonrpc: "2.0", id: answered, error: { code: ERRORS.invalid_request, message } });
  }

  /** Takes a response; one that nobody waits for is ignored. */
  receive({ id, result = {}, error }: ResponseMessage): void {
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    resolve?.(error === undefined ? { result } : { error });
  }
}
