import { accessOf, type VisibleSet } from "../calls/access.ts";
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
  /** Those for every client. */
  readonly #forAll: readonly Reader[];
  readonly #lists = new Map<string, VisibleSet<Tool>>();
  #nextId = 0;

  constructor(server: ServerState) {
    this.#server = server;
    this.#readers = createReaders(server);
    this.#forAll = this.#readers.filter(({ isForAll }) => isForAll);
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
    const readers = this.#for(call);
    if (!access?.filters) {
      const all = () => this.#createList(this.#server.tools.entries(), readers, ({ resources }) => resources);
      return this.#remember(String(readers.length), all);
    }
    const own = access.visibleSet(call, TOOLS) as VisibleSet<Tool>;
    const isListed = new Map(
      readers.flatMap(({ resources }) => resources).map((item) => [item, access.lists(call, item)] as const),
    );
    const marks = [...isListed.values()].map((listed) => (listed ? "1" : "0")).join("");
    const visible = ({ resources }: Reader) => resources.filter((item) => isListed.get(item));
    return this.#remember(`${own.id} ${marks}`, () => this.#createList(own.entries, readers, visible));
  }

  #remember(key: string, create: () => VisibleSet<Tool>): VisibleSet<Tool> {
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.#lists.keys();
    if (oldest !== undefined && this.#lists.size >= MAX_LISTS) this.#lists.delete(oldest);
    const list = create();
    this.#lists.set(key, list);
    return list;
  }

  #createList(
    own: readonly Entry<Tool>[],
    readers: readonly Reader[],
    visible: (reader: Reader) => readonly Resource[],
  ): VisibleSet<Tool> {
    const more = readers.flatMap((reader): Entry<Tool>[] => {
      const resources = visible(reader);
      return resources.length === 0 ? [] : [{ item: reader.describe(resources), position: reader.position }];
    });
    return { id: this.#nextId++, entries: [...own, ...more], pages: new Map() };
  }

  #for(call: Call): readonly Reader[] {
    return hasAllReaders(this.#server, call) ? this.#readers : this.#forAll;
  }
}

const NO_SCOPES = { scopes: undefined, paramScopes: undefined };
