import { isObject, isRequest, type Message, toText } from "../protocol/messages.ts";
import { MessageFault } from "../protocol/parse.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import type { Revisions } from "../protocol/revisions/table.ts";
import type { CallOrigin } from "./call.ts";
import { hasEnvelope, META } from "./client.ts";

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
export interface Batch extends CallOrigin {
  /** Adds one response, and sends all of them if it is the last. */
  add(text: string): void;
}

export function createBatch(origin: CallOrigin, responses: number, send: (text: string) => void): Batch {
  const { transport, address, query, http, listener } = origin;
  const texts: string[] = [];
  let expected = responses;

  function add(text: string): void {
    texts.push(text);
    flush();
  }

  function flush(): void {
    if (texts.length < expected || texts.length === 0) return;
    send(`[${texts.join(",")}]`);
    texts.length = 0;
  }

  return {
    transport,
    address,
    query,
    http,
    listener,
    get principal() {
      return origin.principal;
    },
    get session() {
      return origin.session;
    },
    request: origin.request?.bind(origin),
    notify: (call, text) => origin.notify(call, text),
    respond(call, wire) {
      origin.onSettled?.(call);
      add(toText(wire));
    },
    onSettled: (call) => origin.onSettled?.(call),
    detach: (call) => origin.detach?.(call),
    /** A cancelled request gets no response. */
    onCancelled(call) {
      expected--;
      if (expected === 0) origin.onCancelled?.(call);
      flush();
    },
    add,
  };
}
