import { accessOf, neededFor } from "../../calls/access.ts";
import type { Call } from "../../calls/call.ts";
import { covers } from "../../calls/scopes.ts";
import { MemorySharedStore } from "../../nodes/memory-store.ts";
import type { Later, RecordFields, SharedStore } from "../../nodes/ports.ts";
import { isObject } from "../../protocol/messages.ts";
import type { ServerState } from "../../server/server.ts";
import { toBase64Url } from "../../support/bytes.ts";
import { type Sealer, sealerOf } from "../../support/seal.ts";
import type { Tool } from "../../tools/define.ts";
import { Ledger } from "./ledger.ts";
import { ID_LENGTH } from "./offers.ts";
import type { Part } from "./split.ts";

/** Whose result it is, and what the caller needs to see the rest: as much as for the call. */
interface Head {
  readonly owner: string;
  readonly tool: string;
  /** The names of the arguments, some of which may need scopes. */
  readonly given: readonly string[];
}

/** A part as it is kept. */
export interface KeptPart extends Part {
  /** The field of the next part. */
  readonly next?: string;
}

/** A part that was found. */
export interface FoundPart {
  readonly part: KeptPart;
  readonly id: string;
  readonly tool: string;
}

/** Milliseconds for which a rest is kept. */
const LIFE = 600_000;
/** The random bytes of a rest and of each of its parts. Only together they are a cursor: a changed one is unknown. */
const ID_BYTES = 12;
const PART_BYTES = 6;
const CURSOR = /^[\w-]{24}$/;
const ID = /^[\w-]{16}$/;

/** One for the process. */
const ledger = new Ledger();
let servers = 0;

/** Keeps what results lack: in the store that the nodes share, sealed, or in the memory of this process. */
export class Rests {
  readonly #store: SharedStore;
  readonly #sealer: Sealer | undefined;
  readonly #number = ++servers;

  constructor(server: ServerState) {
    const { cluster } = server;
    this.#store = cluster?.store ?? new MemorySharedStore();
    // Nobody else reads the memory of this process.
    this.#sealer = cluster && sealerOf(server);
  }

  /** Returns the cursor of the first part; undefined if the caller or the process has too much already. */
  async keep(call: Call, tool: Tool, parts: readonly Part[]): Promise<string | undefined> {
    const owner = ownerOf(call);
    const id = random(ID_BYTES);
    const names = parts.map(() => random(PART_BYTES));
    const head: Head = { owner, tool: tool.name, given: Object.keys(call.params.arguments ?? {}) };
    const texts = [JSON.stringify(head), ...parts.map((part, at) => JSON.stringify({ ...part, next: names[at + 1] }))];
    const fields: Record<string, string> = {};
    let bytes = 0;
    for (const [at, name] of ["head", ...names].entries()) {
      const field = await this.#seal(id, name, texts[at] as string);
      fields[name] = field;
      bytes += memoryOf(field);
    }
    const entry = ledger.take(`${this.#number} ${owner}`, bytes, LIFE);
    if (entry === undefined) return undefined;
    try {
      await this.#store.change(keyOf(id), { set: fields, expire: LIFE, returning: [] });
    } catch (error) {
      ledger.drop(entry);
      throw error;
    }
    return id + names[0];
  }

  /** Finds the part of a cursor, for a caller who may see it. Whether others exist makes no difference. */
  async part(call: Call, cursor: string): Promise<FoundPart | undefined> {
    if (!CURSOR.test(cursor)) return undefined;
    const id = cursor.slice(0, ID_LENGTH);
    const name = cursor.slice(ID_LENGTH);
    const found = await this.#read(call, id, ["head", name]);
    const part = found && (await this.#open<KeptPart>(id, name, found.fields));
    return part && { part, id, tool: found.head.tool };
  }

  /** Finds all parts of a rest, in their order. */
  async all(call: Call, id: string): Promise<readonly KeptPart[] | undefined> {
    const found = ID.test(id) ? await this.#read(call, id) : undefined;
    if (found === undefined) return undefined;
    const parts = new Map<string, KeptPart>();
    for (const name of Object.keys(found.fields)) {
      const part = name === "head" ? undefined : await this.#open<KeptPart>(id, name, found.fields);
      if (part !== undefined) parts.set(name, part);
    }
    const later = new Set([...parts.values()].map(({ next }) => next));
    const first = [...parts.keys()].find((name) => !later.has(name));
    const ordered: KeptPart[] = [];
    for (let part = parts.get(first ?? ""); part !== undefined; part = parts.get(part.next ?? "")) ordered.push(part);
    return ordered;
  }

  async #read(
    call: Call,
    id: string,
    names?: readonly string[],
  ): Promise<{ readonly head: Head; readonly fields: RecordFields } | undefined> {
    const fields = await this.#store.read(keyOf(id), names);
    const head = fields && (await this.#open<Head>(id, "head", fields));
    return head && mayUse(call, head) ? { head, fields } : undefined;
  }

  /** Seals a field for its place: in another record or under another name it does not open. */
  #seal(id: string, name: string, text: string): Later<string> {
    return this.#sealer === undefined ? text : this.#sealer.seal("result", text, `${id} ${name}`);
  }

  async #open<Value>(id: string, name: string, fields: RecordFields): Promise<Value | undefined> {
    const field = fields[name];
    if (field === undefined) return undefined;
    const text = this.#sealer === undefined ? field : await this.#sealer.open("result", field, `${id} ${name}`);
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return isObject(value) ? (value as Value) : undefined;
  }
}

const known = new WeakMap<ServerState, Rests>();

/** The rests of a server. Created with the first one: the environment may still choose what the nodes share. */
export function restsOf(server: ServerState): Rests {
  const rests = known.get(server) ?? new Rests(server);
  known.set(server, rests);
  return rests;
}

/** The principal, or else the session. Without both, whoever has the cursor is the caller. */
function ownerOf({ origin: { principal, session } }: Call): string {
  if (principal !== undefined) return `principal ${principal.id}`;
  return session === undefined ? "" : `session ${session.id}`;
}

/** Whether the caller could make the call now. A tool that is gone has no rules to check. */
function mayUse(call: Call, { owner, tool: name, given }: Head): boolean {
  const tool = call.server.tools.get(name);
  if (tool === undefined || owner !== ownerOf(call)) return false;
  const access = accessOf(call.server);
  if (access === undefined) return true;
  const needed = neededFor({ item: tool, given: Object.fromEntries(given.map((name) => [name, true])) });
  return access.sees(call, tool) && (needed.length === 0 || covers(call.origin, needed));
}

function keyOf(id: string): string {
  return `result ${id}`;
}

function random(bytes: number): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** The bytes of a text in memory: two for each character, if one of them needs two. */
function memoryOf(text: string): number {
  return /[^\0-\xff]/.test(text) ? text.length * 2 : text.length;
}
