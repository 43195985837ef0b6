import { type Message, toText, type Wire } from "../protocol/messages.ts";
import type { MessageFault } from "../protocol/parse.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import type { Call, CallOrigin } from "./call.ts";
import { hasEnvelope } from "./envelope.ts";

/** More messages than this are not taken in one batch. */
const MAX_BATCH = 100;

/** Why a batch cannot be taken, if it cannot. */
export function batchProblem(items: readonly (Message | MessageFault)[], revision: Revision): string | undefined {
  if (!revision.batches) return `Protocol version ${revision.version} has no batches; send the messages one by one.`;
  if (items.length === 0) return "A batch must not be empty.";
  if (items.length > MAX_BATCH) return `A batch may have ${MAX_BATCH} messages at most.`;
  const alone = items.some((item) => "method" in item && (item.method === "initialize" || hasEnvelope(item.params)));
  return alone ? "initialize, and requests that describe themselves, cannot be part of a batch." : undefined;
}

/** The origin of the requests of one batch: gathers their answers and sends them together. */
export class Batch implements CallOrigin {
  readonly #origin: CallOrigin;
  readonly #send: (text: string) => void;
  readonly #answers: string[] = [];
  #expected: number;

  constructor(origin: CallOrigin, expected: number, send: (text: string) => void) {
    this.#origin = origin;
    this.#expected = expected;
    this.#send = send;
  }

  get principal(): CallOrigin["principal"] {
    return this.#origin.principal;
  }

  get session(): CallOrigin["session"] {
    return this.#origin.session;
  }

  get exposeErrors(): boolean {
    return this.#origin.exposeErrors;
  }

  get listener(): CallOrigin["listener"] {
    return this.#origin.listener;
  }

  notify(call: Call, text: string): void {
    this.#origin.notify(call, text);
  }

  respond(call: Call, wire: Wire): void {
    this.#origin.onSettled?.(call);
    this.add(toText(wire));
  }

  get request(): CallOrigin["request"] {
    return this.#origin.request?.bind(this.#origin);
  }

  onSettled(call: Call): void {
    this.#origin.onSettled?.(call);
  }

  detach(call: Call): void {
    this.#origin.detach?.(call);
  }

  /** A request of the batch was cancelled: its answer is not waited for any more. */
  onCancelled(call: Call): void {
    this.#expected--;
    if (this.#expected === 0) this.#origin.onCancelled?.(call);
    this.#flush();
  }

  /** Takes one answer. */
  add(text: string): void {
    this.#answers.push(text);
    this.#flush();
  }

  #flush(): void {
    if (this.#answers.length < this.#expected || this.#answers.length === 0) return;
    this.#send(`[${this.#answers.join(",")}]`);
    this.#answers.length = 0;
  }
}
