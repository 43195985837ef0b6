import { ERRORS } from "../protocol/errors.ts";
import type { JsonObject, RequestId, ResponseMessage } from "../protocol/messages.ts";
import type { MessageFault } from "../protocol/parse.ts";
import { ToolError } from "../results/content.ts";
import type { Call } from "./call.ts";
import { delayOf } from "./timeout.ts";

/** A client's response to a request from the server. */
export type ClientResponse = { readonly result: JsonObject } | { readonly error: JsonObject };

/** The requests that the server sent to one client and that are not answered yet. */
export class ClientRequests {
  readonly #waiting = new Map<RequestId, (response: ClientResponse) => void>();
  readonly #createId: () => string;
  #next = 1;
  #calls = 0;

  constructor(createId?: () => string) {
    this.#createId = createId ?? (() => `proffer-${this.#next++}`);
  }

  /** The number of calls that wait for a response. */
  get calls(): number {
    return this.#calls;
  }

  /** Sends a request on behalf of a call and returns the client's response. */
  send(call: Call, method: string, params: JsonObject, write: (text: string) => void): Promise<ClientResponse> {
    const id = this.#createId();
    call.unanswered ??= new Set();
    const { unanswered } = call;
    return new Promise((resolve) => {
      const forget = () => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        unanswered.delete(withdraw);
        if (unanswered.size === 0) this.#calls--;
      };
      // The call has ended, so the client can stop asking the user.
      const withdraw = () => {
        forget();
        write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }));
      };
      const timer = setTimeout(() => {
        withdraw();
        if (!call.done) call.interrupt(nobodyAnswered(call));
      }, delayOf(call.server.limits.questionTimeout));
      if (unanswered.size === 0) this.#calls++;
      unanswered.add(withdraw);
      this.#waiting.set(id, (response) => {
        forget();
        resolve(response);
      });
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
    this.#waiting.get(id)?.(error === undefined ? { result } : { error });
  }
}

function nobodyAnswered({ server }: Call): ToolError {
  return new ToolError(`Nobody answered within ${durationText(server.limits.questionTimeout)}.`);
}

/** Writes a number of milliseconds as people say it: "10 minutes", "1.5 s". */
function durationText(milliseconds: number): string {
  const minutes = milliseconds / 60_000;
  return minutes > 1 && Number.isInteger(minutes) ? `${minutes} minutes` : `${milliseconds / 1000} s`;
}
