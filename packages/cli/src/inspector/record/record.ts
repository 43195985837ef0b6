import type { HttpHead, Lane, WireLine, WireMessage } from "../protocol/wire.ts";
import { Mask } from "./mask.ts";
import { readMessage } from "./message.ts";
import { Thread } from "./thread.ts";

const MAX_MESSAGES = 10_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** Clients of `dev` come and go. */
const MAX_LANES = 200;

/** A message as it was seen on a connection. */
export interface Seen {
  readonly conn: string;
  readonly dir: "out" | "in";
  readonly text: string;
  readonly http?: HttpHead | undefined;
  readonly note?: string | undefined;
}

/** Receives what is new in a record. */
export interface RecordObserver {
  line?(line: WireLine): void;
  lane?(lane: Lane): void;
  cleared?(): void;
}

/** The messages of all connections: the newest 10,000, of at most 32 MiB. Secrets are masked before they enter it. */
export class WireRecord {
  readonly mask: Mask;
  readonly #began = performance.now();
  readonly #observers = new Set<RecordObserver>();
  readonly #messages = new Map<number, WireMessage>();
  readonly #lanes = new Map<string, Lane>();
  readonly #threads = new Map<string, Thread>();
  #bytes = 0;
  #last = 0;
  #lastConn = 0;

  constructor(mask = new Mask()) {
    this.mask = mask;
  }

  /** Calls the functions for everything that is new, until the returned function is called. */
  observe(observer: RecordObserver): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  /** Milliseconds since the record began. */
  now(): number {
    return performance.now() - this.#began;
  }

  /** Returns a name for a new connection. */
  newConn(): string {
    return `c${++this.#lastConn}`;
  }

  /** Adds a lane or replaces what is known of it. */
  setLane(lane: Lane): void {
    this.#lanes.delete(lane.conn);
    this.#lanes.set(lane.conn, lane);
    if (!lane.open) this.#threads.delete(lane.conn);
    for (const each of this.#observers) each.lane?.(lane);
    if (this.#lanes.size <= MAX_LANES) return;
    const dropped = [...this.#lanes.values()].find(({ open }) => !open);
    if (dropped !== undefined) this.#lanes.delete(dropped.conn);
  }

  /** Adds a message and returns its line. */
  add({ conn, dir, text, http, note: given }: Seen): WireLine {
    const at = this.now();
    const n = ++this.#last;
    const shown = this.mask.text(text);
    const message = readMessage(shown);
    const thread = this.#threads.get(conn) ?? new Thread();
    this.#threads.set(conn, thread);
    const { kind, id, method, about, status } = message;
    const revision = this.#lanes.get(conn)?.revision;
    const note = given ?? message.note;
    const line: WireLine = {
      n,
      at,
      conn,
      dir,
      kind,
      bytes: Buffer.byteLength(text),
      ...(revision !== undefined && { revision }),
      ...(method !== undefined && { method }),
      ...(about !== undefined && { about }),
      ...(id !== undefined && { id }),
      ...(status !== undefined && { status }),
      ...(http?.status !== undefined && { httpStatus: http.status }),
      ...(note !== undefined && { note }),
      ...thread.relate(dir, message, n, at),
    };
    this.#keep({ ...line, text: shown, ...(http && { http: this.#maskHead(http) }) });
    for (const each of this.#observers) each.line?.(line);
    return line;
  }

  /** Adds a message of an earlier recording as it is. */
  restore(message: WireMessage): void {
    this.#last = Math.max(this.#last, message.n);
    this.#keep(message);
  }

  get(n: number): WireMessage | undefined {
    return this.#messages.get(n);
  }

  /** All messages, oldest first. */
  messages(): Iterable<WireMessage> {
    return this.#messages.values();
  }

  /** All messages without their texts, oldest first. */
  *lines(): Iterable<WireLine> {
    for (const { text: _, http: __, ...line } of this.#messages.values()) yield line;
  }

  lanes(): Iterable<Lane> {
    return this.#lanes.values();
  }

  /** Forgets the messages. Numbers continue, so that no address names another message. */
  clear(): void {
    this.#messages.clear();
    this.#bytes = 0;
    for (const each of this.#observers) each.cleared?.();
  }

  #keep(message: WireMessage): void {
    this.#messages.set(message.n, message);
    this.#bytes += sizeOf(message);
    for (const [n, oldest] of this.#messages) {
      if (this.#messages.size <= MAX_MESSAGES && this.#bytes <= MAX_BYTES) return;
      // The newest message is kept whatever its size: it is the one that somebody looks for.
      if (n === message.n) return;
      this.#messages.delete(n);
      this.#bytes -= sizeOf(oldest);
    }
  }

  #maskHead(head: HttpHead): HttpHead {
    const { requestHeaders, responseHeaders } = head;
    return {
      ...head,
      ...(requestHeaders && { requestHeaders: this.mask.headers(requestHeaders) }),
      ...(responseHeaders && { responseHeaders: this.mask.headers(responseHeaders) }),
    };
  }
}

/** The characters of a head count too: a server may send kilobytes of them with each message. */
function sizeOf({ bytes, http }: WireMessage): number {
  const headers = [http?.requestHeaders, http?.responseHeaders].flatMap((each) => Object.entries(each ?? {}));
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length, bytes);
}
