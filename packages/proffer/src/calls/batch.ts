import { type Message, toText, type Wire } from "../protocol/messages.ts";
import type { MessageFault } from "../protocol/parse.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import type { Call, Origin } from "./call.ts";
import { describesItself } from "./envelope.ts";

/** More messages than this are not taken in one batch. */
const MAX_BATCH = 100;

/** Why a batch cannot be taken, if it cannot. */
export function batchProblem(items: readonly (Message | MessageFault)[], revision: Revision): string | undefined {
  if (!revision.batches) return `Protocol version ${revision.version} has no batches; send the messages one by one.`;
  if (items.length === 0) return "A batch must not be empty.";
  if (items.length > MAX_BATCH) return `A batch may have ${MAX_BATCH} messages at most.`;
  const alone = items.some(
    (item) => "method" in item && (item.method === "initialize" || describesItself(item.params)),
  );
  return alone ? "initialize, and requests that describe themselves, cannot be part of a batch." : undefined;
}

/** The origin of the requests of one batch: gathers their answers and sends them together. */
export class Batch implements Origin {
  readonly #origin: Origin;
  readonly #send: (text: string) => void;
  readonly #answers: string[] = [];
  #expected: number;

  constructor(origin: Origin, expected: number, send: (text: string) => void) {
    this.#origin = origin;
    this.#expected = expected;
    this.#send = send;
  }

  get principal(): Origin["principal"] {
    return this.#origin.principal;
  }

  get session(): Origin["session"] {
    return this.#origin.session;
  }

  get dev(): boolean {
    return this.#origin.dev;
  }

  get listener(): Origin["listener"] {
    return this.#origin.listener;
  }

  notify(call: Call, text: string): void {
    this.#origin.notify(call, text);
  }

  respond(call: Call, wire: Wire): void {
    this.#origin.settled?.(call);
    this.take(toText(wire));
  }

  get request(): Origin["request"] {
    return this.#origin.request?.bind(this.#origin);
  }

  settled(call: Call): void {
    this.#origin.settled?.(call);
  }

  detach(call: Call): void {
    this.#origin.detach?.(call);
  }

  /** A request of the batch was cancelled: its answer is not waited for any more. */
  abandoned(call: Call): void {
    this.#expected--;
    if (this.#expected === 0) this.#origin.abandoned?.(call);
    this.#flush();
  }

  /** Takes one answer. */
  take(text: string): void {
    this.#answers.push(text);
    this.#flush();
  }

  #flush(): void {
    if (this.#answers.length < this.#expected || this.#answers.length === 0) return;
    this.#send(`[${this.#answers.join(",")}]`);
    this.#answers.length = 0;
  }
}
