import type { Call } from "../../calls/call.ts";
import { callerOf } from "../../calls/caller.ts";
import { neededFor } from "../../catalog/access.ts";
import { FieldSealer } from "../../nodes/field-sealer.ts";
import { MemorySharedStore } from "../../nodes/memory-store.ts";
import type { RecordFields, SharedStore } from "../../nodes/ports.ts";
import type { ServerState } from "../../server/server.ts";
import { contain } from "../../support/async.ts";
import { randomText } from "../../support/bytes.ts";
import { covers } from "../../support/scope.ts";
import type { Tool } from "../../tools/define.ts";
import { type Part, textOf } from "./split.ts";

/** The owner of a result, and the needs of its call: a caller that asks for other parts must meet them, too. */
interface KeptCall {
  readonly owner: string;
  readonly tool: string;
  /** The names of the arguments, some of which may need scopes. */
  readonly given: readonly string[];
}

/** A part as it is kept. */
interface KeptPart extends Part {
  /** The field of the next part. */
  readonly next?: string;
}

/** A part that was found. */
interface FoundPart {
  readonly part: KeptPart;
  readonly id: string;
  readonly tool: string;
}

/** Milliseconds for which parts are kept. */
const LIFE = 600_000;
/** The random bytes for a result and for each of its parts. Only together they are a cursor: a changed one is unknown. */
const ID_BYTES = 12;
const PART_BYTES = 6;
const CURSOR = /^[\w-]{24}$/;
const ID = /^[\w-]{16}$/;

/** The length of the id of a result, with which its cursors begin. */
export const ID_LENGTH = 16;
/** The URI of all that a result lacks. */
export const RESULT_URI = "proffer-result://";

let servers = 0;

/** Keeps the parts that results lack: in the store that the nodes share, sealed, or in the memory of this process. */
class PartStore {
  readonly #store: SharedStore;
  readonly #sealer: FieldSealer;
  readonly #number = ++servers;

  constructor(server: ServerState) {
    const { cluster } = server;
    this.#store = cluster?.store ?? new MemorySharedStore();
    // Nobody else reads the memory of this process.
    this.#sealer = new FieldSealer("result", cluster && server);
  }

  /** Returns the cursor of the first part; undefined if the caller has too much already. */
  async keep(call: Call, tool: Tool, parts: readonly Part[]): Promise<string | undefined> {
    const owner = ownerOf(call);
    const id = randomText(ID_BYTES);
    const names = parts.map(() => randomText(PART_BYTES));
    const head: KeptCall = { owner, tool: tool.name, given: Object.keys(call.params.arguments ?? {}) };
    const texts = [JSON.stringify(head), ...parts.map((part, at) => JSON.stringify({ ...part, next: names[at + 1] }))];
    const fields: Record<string, string> = {};
    let bytes = 0;
    for (const [at, name] of ["head", ...names].entries()) {
      const field = await this.#sealer.seal(id, name, texts[at] as string);
      fields[name] = field;
      bytes += memoryOf(field);
    }
    const forget = () =>
      contain(
        () => this.#store.remove(keyOf(id)),
        () => {},
      );
    const entry = quota.take(`${this.#number} ${callerOf(call.origin) ?? owner}`, bytes, LIFE, forget);
    if (entry === undefined) return undefined;
    try {
      await this.#store.change(keyOf(id), { set: fields, expire: LIFE, returning: [] });
    } catch (error) {
      quota.drop(entry);
      throw error;
    }
    return id + names[0];
  }

  /** Finds the part of a cursor, for a caller that may see it. Whether others exist makes no difference. */
  async part(call: Call, cursor: string): Promise<FoundPart | undefined> {
    if (!CURSOR.test(cursor)) return undefined;
    const id = cursor.slice(0, ID_LENGTH);
    const name = cursor.slice(ID_LENGTH);
    const found = await this.#read(call, id, ["head", name]);
    const part = found && (await this.#sealer.openJson<KeptPart>(id, name, found.fields));
    return part && { part, id, tool: found.head.tool };
  }

  /** Finds the texts of all parts, in their order. */
  async texts(call: Call, id: string): Promise<readonly string[] | undefined> {
    const found = ID.test(id) ? await this.#read(call, id) : undefined;
    if (found === undefined) return undefined;
    const parts = new Map<string, KeptPart>();
    for (const name of Object.keys(found.fields)) {
      const part = name === "head" ? undefined : await this.#sealer.openJson<KeptPart>(id, name, found.fields);
      if (part !== undefined) parts.set(name, part);
    }
    const later = new Set([...parts.values()].map(({ next }) => next));
    const first = [...parts.keys()].find((name) => !later.has(name));
    const ordered: KeptPart[] = [];
    for (let part = parts.get(first ?? ""); part !== undefined; part = parts.get(part.next ?? "")) ordered.push(part);
    return joined(ordered);
  }

  async #read(
    call: Call,
    id: string,
    names?: readonly string[],
  ): Promise<{ readonly head: KeptCall; readonly fields: RecordFields } | undefined> {
    const fields = await this.#store.read(keyOf(id), names);
    const head = fields && (await this.#sealer.openJson<KeptCall>(id, "head", fields));
    return head && mayUse(call, head) ? { head, fields } : undefined;
  }
}

/** The texts of the parts: those that were split are whole again. */
function joined(parts: readonly KeptPart[]): string[] {
  const texts: string[][] = [];
  for (const { content, continues, count } of parts) {
    for (const [at, block] of content.entries()) {
      const text = textOf(block) ?? JSON.stringify(block);
      const last = texts.at(-1);
      const isArray = count.noun === "items" && last !== undefined && count.from > 1;
      if (last === undefined || at > 0 || !(continues || isArray)) texts.push([text]);
      else if (isArray) last.push((last.pop() as string).slice(0, -1), `,${text.slice(1)}`);
      else last.push(text);
    }
  }
  // At once: to cut the end of a text and add to it would copy all of it for each part.
  return texts.map((pieces) => pieces.join(""));
}

const known = new WeakMap<ServerState, PartStore>();

/** The parts of the results of a server. Created with the first one: the environment may still choose the store that nodes share. */
export function partsOf(server: ServerState): PartStore {
  const store = known.get(server) ?? new PartStore(server);
  known.set(server, store);
  return store;
}

/** Who may read a result: the principal, or else the session. Without both, any holder of the cursor. */
function ownerOf({ origin: { principal, session } }: Call): string {
  if (principal !== undefined) return `principal ${principal.id}`;
  return session === undefined ? "" : `session ${session.id}`;
}

/** Whether the caller could make the call now. A tool that is gone has no rules to check. */
function mayUse(call: Call, { owner, tool: name, given }: KeptCall): boolean {
  const tool = call.server.tools.get(name);
  if (tool === undefined || owner !== ownerOf(call)) return false;
  const access = call.server.access;
  if (access === undefined) return true;
  const needed = neededFor({ item: tool, given: Object.fromEntries(given.map((name) => [name, true])) });
  return access.sees(call, tool) && (needed.length === 0 || covers(call.origin, needed));
}

function keyOf(id: string): string {
  return `result ${id}`;
}

/** The bytes of a text in memory: two for each character, if one of them needs two. */
function memoryOf(text: string): number {
  return /[^\0-\xff]/.test(text) ? text.length * 2 : text.length;
}

/** Bytes that one process keeps for all callers, and for one of them. */
const MAX_BYTES = 64 * 1024 * 1024;
export const MAX_CALLER_BYTES = 8 * 1024 * 1024;

/** Bytes that are kept: for whom, until when, and how to forget them. */
interface Entry {
  readonly caller: string;
  readonly bytes: number;
  readonly expires: number;
  readonly forget: () => void;
}

/** The entries of one caller, oldest first. */
interface OwnEntries {
  bytes: number;
  readonly entries: Set<Entry>;
}

/** Counts the bytes that are kept. */
export class ByteQuota {
  readonly #max: number;
  readonly #maxCaller: number;
  /** Oldest first. */
  readonly #entries = new Set<Entry>();
  readonly #callers = new Map<string, OwnEntries>();
  #bytes = 0;

  constructor(max: number = MAX_BYTES, maxCaller: number = MAX_CALLER_BYTES) {
    this.#max = max;
    this.#maxCaller = maxCaller;
  }

  /**
   * Counts bytes for a time in milliseconds; undefined if the caller has too many. If the process has too many, the oldest
   * of the caller with the most are forgotten: others could not keep anything.
   */
  take(caller: string, bytes: number, milliseconds: number, forget: () => void): Entry | undefined {
    const now = Date.now();
    for (const entry of this.#entries) {
      if (entry.expires > now) break;
      this.drop(entry);
    }
    if ((this.#callers.get(caller)?.bytes ?? 0) + bytes > this.#maxCaller) return undefined;
    while (this.#bytes + bytes > this.#max) {
      const [oldest] = this.#largest()?.entries ?? [];
      if (oldest === undefined) return undefined;
      this.drop(oldest);
      oldest.forget();
    }
    const entry = { caller, bytes, expires: now + milliseconds, forget };
    const own = this.#callers.get(caller) ?? { bytes: 0, entries: new Set() };
    this.#callers.set(caller, own);
    own.entries.add(entry);
    own.bytes += bytes;
    this.#entries.add(entry);
    this.#bytes += bytes;
    return entry;
  }

  /** Counts them no more: they are not kept. */
  drop(entry: Entry): void {
    const own = this.#callers.get(entry.caller);
    if (own === undefined || !this.#entries.delete(entry)) return;
    this.#bytes -= entry.bytes;
    own.bytes -= entry.bytes;
    own.entries.delete(entry);
    if (own.entries.size === 0) this.#callers.delete(entry.caller);
  }

  #largest(): OwnEntries | undefined {
    let largest: OwnEntries | undefined;
    for (const own of this.#callers.values()) if (own.bytes > (largest?.bytes ?? 0)) largest = own;
    return largest;
  }
}

/** One for the process. */
const quota = new ByteQuota();
