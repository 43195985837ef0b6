import { type Access, accessOf, type VisibleSet } from "../calls/access.ts";
import type { Call } from "../calls/call.ts";
import { hasAllReaders, readersOf } from "../calls/readers.ts";
import type { Entry } from "../catalog/registry.ts";
import type { Resource } from "../resources/define.ts";
import type { ServerState } from "../server/server.ts";
import type { Tool } from "../tools/define.ts";
import { TOOLS } from "../tools/methods.ts";
import { createReaders } from "./create-readers.ts";
import type { Reader } from "./reader.ts";

/** More lists than these are made again: a server with a list per caller must not keep a list per caller. */
const MAX_LISTS = 64;

/** The tools that read the resources of a server, until its tools or resources change. */
export class Readers {
  readonly #server: ServerState;
  readonly #readers: readonly Reader[];
  readonly #lists = new Map<string, VisibleSet<Tool>>();
  #nextId = 0;

  constructor(server: ServerState) {
    this.#server = server;
    this.#readers = createReaders(server);
  }

  /** @throws {UsageError} if a resource has no free name and must have a tool. */
  static of(server: ServerState): Readers {
    const state = readersOf(server);
    state.tools ??= new Readers(server);
    return state.tools;
  }

  namesFor(call: Call): string[] {
    return this.#for(call).map(({ name }) => name);
  }

  /** The tool that a request calls, if it exists for the caller. It needs the scopes of what it reads. */
  find(call: Call): Tool | undefined {
    const { name, arguments: given } = call.params;
    const reader = this.#for(call).find((each) => each.name === name);
    const access = accessOf(this.#server);
    const seen = reader?.resources.filter((resource) => access?.sees(call, resource) ?? true) ?? [];
    if (reader === undefined || seen.length === 0) return undefined;
    const { uri } = (given ?? {}) as { readonly uri?: unknown };
    const target = reader.resources.length === 1 ? seen[0] : seen.find((resource) => resource.uri === uri);
    const { scopes, paramScopes } = reader.isList || target === undefined ? NO_SCOPES : target;
    return {
      ...reader.describe(seen),
      scopes,
      paramScopes,
      handle: (input) => reader.run(call, input as Readonly<Record<string, unknown>>, seen),
    };
  }

  /** All tools as the caller sees them: those of the author first. Made once for all callers that see the same. */
  listFor(call: Call): VisibleSet<Tool> {
    const access = accessOf(this.#server);
    const own = access?.visibleSet(call, TOOLS);
    const readers = this.#for(call);
    const visible = readers.map((reader) => reader.resources.filter((resource) => isListed(call, access, resource)));
    const key = JSON.stringify([readers.length, own?.id, visible.map((each, i) => marks(readers[i], each))]);
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const more = readers.flatMap((reader, i): Entry<Tool>[] => {
      const resources = visible[i] ?? [];
      return resources.length === 0 ? [] : [{ item: reader.describe(resources), position: reader.position }];
    });
    const entries = [...(own?.entries ?? this.#server.tools.entries()), ...more];
    const list: VisibleSet<Tool> = { id: this.#nextId++, entries, pages: new Map() };
    const [oldest] = this.#lists.keys();
    if (oldest !== undefined && this.#lists.size >= MAX_LISTS) this.#lists.delete(oldest);
    this.#lists.set(key, list);
    return list;
  }

  #for(call: Call): readonly Reader[] {
    return hasAllReaders(this.#server, call) ? this.#readers : this.#readers.filter(({ isForAll }) => isForAll);
  }
}

const NO_SCOPES = { scopes: undefined, paramScopes: undefined };

function isListed(call: Call, access: Access | undefined, resource: Resource): boolean {
  return access?.filters ? access.lists(call, resource) : true;
}

/** Distinguishes the parts of a reader's resources that callers see; the number is enough for all of them. */
function marks(reader: Reader | undefined, visible: readonly Resource[]): string | number {
  if (reader === undefined || visible.length === reader.resources.length) return visible.length;
  return reader.resources.map((resource) => (visible.includes(resource) ? "1" : "0")).join("");
}
