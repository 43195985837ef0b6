import type {
  HttpHead,
  Lane,
  MessageRecord,
  RecordObserver,
  SeenMessage,
  WireLine,
  WireMessage,
} from "@proffer/inspector";
import { defined } from "../terminal/json.ts";
import { everySpelling } from "../terminal/redact.ts";
import { createRelate, type Relate, readMessage } from "./message.ts";

const MAX_MESSAGES = 10_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** Clients of `dev` come and go. */
const MAX_LANES = 200;

/** The messages of all connections: the newest 10,000, of at most 32 MiB. Secrets are masked before they enter it. */
export class WireRecord implements MessageRecord {
  readonly mask: Mask;
  readonly #began = performance.now();
  readonly #observers = new Set<RecordObserver>();
  readonly #messages = new Map<number, WireMessage>();
  readonly #lanes = new Map<string, Lane>();
  readonly #relate = new Map<string, Relate>();
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

  /** Adds a lane or replaces an earlier version of it. */
  setLane(lane: Lane): void {
    this.#lanes.delete(lane.conn);
    this.#lanes.set(lane.conn, lane);
    if (!lane.open) this.#relate.delete(lane.conn);
    for (const each of this.#observers) each.lane?.(lane);
    if (this.#lanes.size <= MAX_LANES) return;
    const dropped = [...this.#lanes.values()].find(({ open }) => !open);
    if (dropped !== undefined) this.#lanes.delete(dropped.conn);
  }

  /** Adds a message and returns its line. */
  add({ conn, dir, text, http, note: given }: SeenMessage): WireLine {
    const at = this.now();
    const n = ++this.#last;
    const shown = this.mask.text(text);
    const message = readMessage(shown);
    const relate = this.#relate.get(conn) ?? createRelate();
    this.#relate.set(conn, relate);
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
      ...defined({ revision, method, about, id, status, httpStatus: http?.status, note }),
      ...relate(dir, message, n, at),
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

/** The names of headers that hold credentials; many servers have their own, such as `x-api-key` or `x-auth-token`. */
const SECRET_NAMES = /auth|cookie|key|token|secret|password|signature|credential/;
/** These say which credentials a server wants. */
const CHALLENGES = new Set(["www-authenticate", "proxy-authenticate"]);
/** The whole id of a session is enough to continue it; its beginning distinguishes sessions. */
const SESSION = "mcp-session-id";
const SHOWN_OF_SESSION = 8;
const MASKED = "***";
/** The scheme of an `authorization` header is no secret. */
const SCHEME = /^(?:basic|bearer|digest|token) /i;
/** A shorter value occurs in other text by chance. */
const MIN_LENGTH = 6;

type Headers = { readonly [name: string]: string };

/**
 * Hides secrets before anything is recorded: the values of headers that hold credentials, and everything that the user
 * passed with `--header`, also where a server repeats it in a message.
 */
export class Mask {
  readonly #names: ReadonlySet<string>;
  readonly #values: RegExp;

  /** @param given - the headers of the command line, which are all secret. */
  constructor(given: Headers = {}) {
    this.#names = new Set(Object.keys(given).map((name) => name.toLowerCase()));
    const values = Object.values(given).flatMap((value) => [value, value.replace(SCHEME, ""), passwordIn(value)]);
    this.#values = everySpelling(values.filter(({ length }) => length >= MIN_LENGTH));
  }

  headers(headers: Headers): Headers {
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
    return Object.fromEntries(lower.map(([name, value]) => [name, this.#header(name, value)]));
  }

  #header(name: string, value: string): string {
    if (this.#names.has(name)) return MASKED;
    if (name === SESSION) return value.slice(0, Math.min(SHOWN_OF_SESSION, value.length >> 2)) + MASKED;
    return SECRET_NAMES.test(name) && !CHALLENGES.has(name) ? MASKED : this.text(value);
  }

  text(text: string): string {
    return text.replace(this.#values, MASKED);
  }

  /** The same for the strings in a value. */
  json<Value>(value: Value): Value {
    if (value === undefined) return value;
    const text = JSON.stringify(value);
    const masked = this.text(text);
    return masked === text ? value : JSON.parse(masked);
  }
}

/** The password in Basic credentials, which a server may repeat without their encoding. */
function passwordIn(value: string): string {
  const [, encoded = ""] = /^basic +(\S+)$/i.exec(value) ?? [];
  return Buffer.from(encoded, "base64")
    .toString()
    .replace(/^[^:]*:/, "");
}
