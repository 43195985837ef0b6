import { Call, type CallOrigin } from "../../calls/call.ts";
import type { JsonObject } from "../../protocol/messages.ts";
import { Requests } from "../../questions/requests.ts";
import { Rounds } from "../../questions/rounds.ts";

/**
 * A read or a list inside the call of a tool. Access and middleware see it as the request that it stands for; its
 * questions, progress, log messages and cancellation are those of the tool's call.
 */
export class InnerCall extends Call {
  readonly #outer: Call;

  constructor(outer: Call, method: string, params: JsonObject) {
    const { _meta } = outer.params;
    const all = _meta === undefined ? params : { ...params, _meta };
    super(outer.server, originOf(outer), outer.revision, { jsonrpc: "2.0", id: outer.id, method, params: all });
    this.#outer = outer;
    // The state of a question belongs to the request that the client repeats.
    outer.questions ??= outer.revision.rounds ? new Rounds(outer) : new Requests(outer);
    this.questions = outer.questions;
    const shared = (key: "done" | "lateHandler" | "unanswered"): PropertyDescriptor => ({
      get: () => outer[key],
      set: (value) => {
        (outer as unknown as Record<string, unknown>)[key] = value;
      },
    });
    Object.defineProperties(this, {
      done: shared("done"),
      lateHandler: shared("lateHandler"),
      unanswered: shared("unanswered"),
    });
  }

  override get signal(): AbortSignal {
    return this.#outer.signal;
  }

  override get chain(): string {
    return this.#outer.chain;
  }

  override abort(reason: string): void {
    this.#outer.abort(reason);
  }

  override forgetLateHandler(): void {
    this.#outer.forgetLateHandler();
  }

  override notify(method: string, params: object): void {
    this.#outer.notify(method, params);
  }
}

function originOf(outer: Call): CallOrigin {
  const { origin } = outer;
  return {
    transport: origin.transport,
    get principal() {
      return origin.principal;
    },
    session: origin.session,
    address: origin.address,
    http: origin.http,
    listener: origin.listener,
    notify: (_call, text) => origin.notify(outer, text),
    respond: () => undefined,
    detach: () => origin.detach?.(outer),
  };
}
