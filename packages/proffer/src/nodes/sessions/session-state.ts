import { type Client, SessionState } from "../../calls/client.ts";
import { InvalidParams } from "../../protocol/errors.ts";
import type { LogLevel } from "../../protocol/model.ts";
import type { Revision } from "../../protocol/revisions/revision.ts";
import { utf8Length } from "../../support/bytes.ts";
import type { RecordFields } from "../ports.ts";
import type { ClusterSession } from "./cluster-session.ts";

/** The names of the fields that hold data of handlers and subscribed URIs start so. */
const DATA = "d:";
export const WATCHED = "w:";

/** The size of a sealed URI beside the URI: the name of its field, and the bytes that sealing adds. */
const WATCHED_BYTES = 80;

/** The changes that a call made to its session. */
export interface StateChange {
  /** JSON by field; it is sealed before it is stored. */
  readonly values: ReadonlyMap<string, string>;
  /** Not sealed. */
  readonly plain: RecordFields;
  readonly remove: readonly string[];
  /** Whether the node with the standalone stream must know. */
  readonly concernsListener: boolean;
}

/**
 * The state of a session, as it was when the request arrived, with the changes of its calls. Values are parsed when they
 * are read; only changed ones are saved, so that the last writer of a value wins.
 */
export class ClusterSessionState extends SessionState {
  /** The response was sent, or is about to be: later changes are saved on their own. */
  isAnswered = false;
  readonly #source: ClusterSession;
  readonly #read = new Map<string, unknown>();
  readonly #changed = new Map<string, string | undefined>();
  #watchChanges: Map<string, boolean> | undefined;

  constructor(revision: Revision, client: Client, id: string, source: ClusterSession) {
    super(revision, client, id);
    this.#source = source;
    this.ready = source.fields.i === "1";
    this.logLevel = source.fields.l as LogLevel | undefined;
  }

  override get(key: string): unknown {
    const field = DATA + key;
    if (this.#read.has(field)) return this.#read.get(field);
    const text =
      this.#changed.has(field) || this.#source.fields[field] === undefined ? undefined : this.#source.open(field);
    const value = text === undefined ? undefined : JSON.parse(text);
    this.#read.set(field, value);
    return value;
  }

  override set(key: string, value: unknown): void {
    const field = DATA + key;
    const text = checkJson(key, value);
    this.#checkSize(key, field, text);
    this.#read.set(field, value);
    this.#change(field, text);
  }

  override delete(key: string): boolean {
    const field = DATA + key;
    const existed = this.#changed.has(field)
      ? this.#changed.get(field) !== undefined
      : this.#source.fields[field] !== undefined;
    this.#read.set(field, undefined);
    if (existed) this.#change(field, undefined);
    return existed;
  }

  /** The node with the standalone stream watches it. @throws {InvalidParams} if the record would be too large. */
  override watch(uri: string): void {
    const { maxDataBytes } = this.#source;
    if (this.#size() + utf8Length(uri) + WATCHED_BYTES > maxDataBytes) {
      throw new InvalidParams(
        `Too many subscriptions: they would exceed sessions.maxDataBytes, ${maxDataBytes} bytes.`,
      );
    }
    this.#watchChanges ??= new Map();
    this.#watchChanges.set(uri, true);
  }

  override unwatch(uri: string): void {
    this.#watchChanges ??= new Map();
    this.#watchChanges.set(uri, false);
  }

  override get watchedCount(): number {
    return Object.keys(this.#source.fields).filter((name) => name.startsWith(WATCHED)).length;
  }

  /** The changes since the last time; undefined if there are none. */
  takeChange(): StateChange | undefined {
    const { fields } = this.#source;
    const plain: Record<string, string> = {};
    if (this.logLevel !== undefined && this.logLevel !== fields.l) plain.l = this.logLevel;
    if (this.ready && fields.i === undefined) plain.i = "1";
    const concernsListener = this.#watchChanges !== undefined || Object.keys(plain).length > 0;
    if (this.#changed.size === 0 && !concernsListener) return undefined;
    const values = new Map<string, string>();
    const remove: string[] = [];
    for (const [field, text] of this.#changed) {
      if (text === undefined) remove.push(field);
      else values.set(field, text);
    }
    this.#takeWatched(values, remove);
    this.#changed.clear();
    this.#watchChanges = undefined;
    return { values, plain, remove, concernsListener };
  }

  #takeWatched(values: Map<string, string>, remove: string[]): void {
    if (this.#watchChanges === undefined) return;
    const known = new Map<string, string[]>();
    for (const field of Object.keys(this.#source.fields)) {
      if (!field.startsWith(WATCHED)) continue;
      const uri = JSON.parse(this.#source.open(field) ?? "null");
      known.set(uri, [...(known.get(uri) ?? []), field]);
    }
    for (const [uri, isWatched] of this.#watchChanges) {
      const fields = known.get(uri) ?? [];
      // The name of a field is not sealed, so it must not show the URI.
      if (isWatched && fields.length === 0) values.set(WATCHED + crypto.randomUUID(), JSON.stringify(uri));
      if (!isWatched) remove.push(...fields);
    }
  }

  #change(field: string, text: string | undefined): void {
    this.#changed.set(field, text);
    if (this.isAnswered) this.#source.changedLate();
  }

  #checkSize(key: string, field: string, text: string): void {
    const { maxDataBytes } = this.#source;
    if (this.#size(field) + field.length + utf8Length(text) <= maxDataBytes) return;
    throw new RangeError(
      `ctx.session.set(${JSON.stringify(key)}): the data of this session would exceed sessions.maxDataBytes, ${maxDataBytes} bytes.`,
    );
  }

  /** The bytes of data and subscriptions in the record, without one field. Every request reads them. */
  #size(without?: string): number {
    let bytes = 0;
    for (const [name, token] of Object.entries(this.#source.fields)) {
      const counts = name.startsWith(DATA) || name.startsWith(WATCHED);
      // A sealed value is base64.
      if (counts && name !== without && !this.#changed.has(name)) bytes += name.length + token.length * 0.75;
    }
    for (const [name, value] of this.#changed) if (name !== without) bytes += name.length + utf8Length(value ?? "");
    return bytes;
  }
}

/**
 * Serializes a value of `ctx.session`. @throws {TypeError} for a value that other nodes would not read back the same: they
 * share JSON, and JSON would turn a Map into `{}` and a Date into a string without notice.
 */
function checkJson(key: string, value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {}
  if (text !== undefined && isJson(value)) return text;
  throw new TypeError(
    `ctx.session.set(${JSON.stringify(key)}): the value is not JSON. Sessions are shared by all nodes, so store only ` +
      "strings, finite numbers, booleans, null, arrays and plain objects.",
  );
}

/** The value can be serialized, so it has no cycles. */
function isJson(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return value.every(isJson);
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false;
  return Object.values(value).every((member) => member === undefined || isJson(member));
}
