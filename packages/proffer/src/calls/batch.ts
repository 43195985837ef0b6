import { isObject, isRequest, type Message, toText, type Wire } from "../protocol/messages.ts";
import { MessageFault } from "../protocol/parse.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import type { Revisions } from "../protocol/revisions/table.ts";
import type { Call, CallOrigin } from "./call.ts";
import { hasEnvelope, META } from "./envelope.ts";

const MAX_BATCH = 100;

type Items = readonly (Message | MessageFault)[];

/** The revision that a message of the batch names; undefined if there is none. */
export function batchRevision(items: Items, revisions: Revisions): Revision | undefined {
  for (const item of items) {
    const { _meta } = ("params" in item && item.params) || {};
    const revision = isObject(_meta) ? revisions.get(_meta[META.protocolVersion] as string) : undefined;
    if (revision !== undefined) return revision;
  }
  return undefined;
}

/** Why a batch is rejected; undefined if it is acceptable. */
export function batchProblem(items: Items, revision: Revision): string | undefined {
  if (!revision.batches) {
    return `Protocol version ${revision.version} does not support batches; send the messages one by one.`;
  }
  if (items.length === 0) return "A batch must not be empty.";
  if (items.length > MAX_BATCH) return `A batch may contain at most ${MAX_BATCH} messages.`;
  const single = items.some((item) => "method" in item && (item.method === "initialize" || hasEnvelope(item.params)));
  return single ? "A batch must not contain initialize or a request with a protocol version in _meta." : undefined;
}

/** The number of responses that a batch gets. */
export function countResponses(items: Items): number {
  return items.filter((item) => (item instanceof MessageFault ? !item.notification : isRequest(item))).length;
}

/** The origin of the requests in one batch: collects their responses and sends them together. */
export class Batch implements CallOrigin {
  readonly #origin: CallOrigin;
  readonly #send: (text: string) => void;
  readonly #responses: string[] = [];
  #expected: number;

  constructor(origin: CallOrigin, expected: number, send: (text: string) => void) {
    this.#origin = origin;
    this.#expected = expected;
    this.#send = send;
  }

  get transport(): CallOrigin["transport"] {
    return this.#origin.transport;
  }

  get principal(): CallOrigin["principal"] {
    return this.#origin.principal;
  }

  get session(): CallOrigin["session"] {
    return this.#origin.session;
  }

  get address(): CallOrigin["address"] {
    return this.#origin.address;
  }

  get query(): string | undefined {
    return this.#origin.query;
  }

  get http(): CallOrigin["http"] {
    return this.#origin.http;
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

  /** A cancelled request gets no response. */
  onCancelled(call: Call): void {
    this.#expected--;
    if (this.#expected === 0) this.#origin.onCancelled?.(call);
    this.#flush();
  }

  /** Adds one response, and sends all of them if it is the last. */
  add(text: string): void {
    this.#responses.push(text);
    this.#flush();
  }

  #flush(): void {
    if (this.#responses.length < this.#expected || this.#responses.length === 0) return;
    this.#send(`[${this.#responses.join(",")}]`);
    this.#responses.length = 0;
  }
}
