import { setTimeout as wait } from "node:timers/promises";
import type { ByteBudget } from "./byte-budget.ts";
import { readEvents, type ServerEvent } from "./event-source.ts";
import type { Headers } from "./headers.ts";
import type { SeenHead } from "./link-options.ts";

/** Milliseconds before a stream is opened again, unless the server sets another time within these bounds. */
const RETRY = 1000;
const MIN_RETRY = 100;
const MAX_RETRY = 10_000;
/** The times that a stream is opened again without an event in between. */
const MAX_RETRIES = 5;

interface StreamsOptions {
  readonly budget: ByteBudget;
  /** Sends a GET request, with more headers. */
  open(headers: Headers): Promise<Response>;
  receive(text: string, head: SeenHead): void;
  readonly signal: AbortSignal;
}

/** Where a stream broke off. */
interface Position {
  id: string | undefined;
  retry: number;
}

/** Reads the bodies of responses: JSON, or event streams, which are opened again where they broke off. */
export class HttpStreams {
  readonly #options: StreamsOptions;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  /** Reads the messages of a response. A stream that ends too early is resumed, if the server has numbered its events. */
  async read(
    response: Response,
    { isDone, canResume }: { readonly isDone: () => boolean; readonly canResume: boolean },
  ): Promise<void> {
    const type = response.headers.get("content-type") ?? "";
    if (type.startsWith("application/json") && response.body) {
      const text = await readText(this.#options.budget.meter(response.body));
      this.#options.receive(text, headOf(response));
      return;
    }
    if (!isEventStream(response)) return void (await response.body?.cancel());
    const position: Position = { id: undefined, retry: RETRY };
    try {
      for await (const _ of this.events(response, position));
    } catch (error) {
      if (!canResume || position.id === undefined) throw error;
    }
    if (canResume && position.id !== undefined && !isDone()) await this.#follow(position, isDone);
  }

  /** Receives what the server sends outside of responses, if it has a stream for that. Never rejects. */
  async listen(): Promise<void> {
    const { signal } = this.#options;
    await this.#follow({ id: undefined, retry: 0 }, () => signal.aborted).catch(() => undefined);
  }

  /** The events of a stream, after their messages were received. */
  async *events(response: Response, position?: Position): AsyncIterable<ServerEvent> {
    const { budget, receive } = this.#options;
    if (response.body === null) return;
    for await (const event of readEvents(budget.meter(response.body))) {
      if (position !== undefined) {
        position.id = event.id;
        position.retry = Math.min(Math.max(event.retry ?? position.retry, MIN_RETRY), MAX_RETRY);
      }
      if (event.type === "message") {
        receive(event.data, { ...headOf(response), ...(event.id !== undefined && { eventId: event.id }) });
      }
      yield event;
    }
  }

  /** Opens a stream again and again until there is nothing to wait for, or the server has no such stream. */
  async #follow(position: Position, isDone: () => boolean): Promise<void> {
    const { open, signal } = this.#options;
    for (let failures = 0; failures < MAX_RETRIES && !isDone(); failures++) {
      if (position.retry > 0) await wait(position.retry, undefined, { ref: false, signal });
      const response = await open(position.id === undefined ? {} : { "last-event-id": position.id });
      if (!isEventStream(response)) return void (await response.body?.cancel());
      position.retry ||= RETRY;
      try {
        for await (const _ of this.events(response, position)) failures = 0;
      } catch (error) {
        // A broken connection is one of the reasons to open it again; an exceeded limit is not.
        if (!(error instanceof TypeError) || signal.aborted) throw error;
      }
    }
  }
}

export function isEventStream(response: Response): boolean {
  return response.ok && (response.headers.get("content-type") ?? "").startsWith("text/event-stream");
}

export function headOf({ status, headers }: Response): SeenHead {
  return { status, responseHeaders: Object.fromEntries(headers) };
}

async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return new TextDecoder().decode(Buffer.concat(parts));
}
