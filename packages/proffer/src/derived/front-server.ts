import type { ListKind } from "../catalog/changes.ts";
import type { Entry, Registry } from "../catalog/registry.ts";
import type { Prompt } from "../prompts/define.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import type { Resource } from "../resources/define.ts";
import type { ResourceMatch, ResourceRegistry } from "../resources/registry.ts";
import type { SerializedResult } from "../results/serialized.ts";
import { type Public, type Server, ServerState, stateOf } from "../server/server.ts";
import type { Tool } from "../tools/define.ts";

/** Functions that replace an item whenever a client uses it. Lists show the original. */
export interface Substitutes {
  tool(tool: Tool): Tool;
  prompt(prompt: Prompt): Prompt;
  resource(resource: Resource): Resource;
}

/** A server that presents the catalog of another one, which can be exchanged while clients are connected. */
export interface FrontServer {
  readonly server: Server;
  /**
   * Presents the catalog of `next` from now on, including items that are added to it or removed from it later. Clients
   * are notified of the lists in `changed`.
   */
  present(next: Server, changed: readonly ListKind[]): void;
}

const KINDS = ["tools", "prompts", "resources"] as const;

/**
 * Creates a front for the successive versions of a server. It keeps the options of the first version, such as its name,
 * limits and middleware, because clients learn some of them only when they connect.
 */
export function createFrontServer(first: Server, substitutes: Substitutes): FrontServer {
  const { options, revisions } = stateOf(first);
  const declared = KINDS.filter((kind) => options[kind] !== undefined);
  const front = new ServerState({ ...options, ...Object.fromEntries(declared.map((kind) => [kind, []])) }, revisions);
  return {
    server: front,
    present(next, changed) {
      const state = stateOf(next);
      state.front = front;
      front.tools = new RegistryView(state.tools, substitutes.tool);
      front.prompts = new RegistryView(state.prompts, substitutes.prompt);
      front.resources = new ResourceView(state.resources, substitutes.resource);
      front.pages.clear();
      for (const kind of changed) front.listChanged(kind);
    },
  };
}

class RegistryView<Item extends { readonly kind: string }, Source extends Public<Registry<Item>>>
  implements Public<Registry<Item>>
{
  protected readonly source: Source;
  protected readonly substitute: (item: Item) => Item;

  constructor(source: Source, substitute: (item: Item) => Item) {
    this.source = source;
    this.substitute = substitute;
  }

  get size(): number {
    return this.source.size;
  }

  get(key: string): Item | undefined {
    const item = this.source.get(key);
    return item === undefined ? undefined : this.substitute(item);
  }

  add(item: Item): void {
    this.source.add(item);
  }

  remove(key: string): boolean {
    return this.source.remove(key);
  }

  keys(): Iterable<string> {
    return this.source.keys();
  }

  entries(): readonly Entry<Item>[] {
    return this.source.entries();
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.source[Symbol.iterator]();
  }
}

class ResourceView extends RegistryView<Resource, Public<ResourceRegistry>> implements Public<ResourceRegistry> {
  get completes(): boolean {
    return this.source.completes;
  }

  get sources(): readonly Entry<Resource>[] {
    return this.source.sources;
  }

  template(text: string): Resource | undefined {
    return this.source.template(text);
  }

  find(uri: string): ResourceMatch {
    const { resource, params } = this.source.find(uri);
    return { resource: this.substitute(resource), params };
  }

  serialized(resource: Resource, revision: Revision): SerializedResult | undefined {
    return this.source.serialized(resource, revision);
  }

  cacheSerialized(resource: Resource, revision: Revision, result: SerializedResult): void {
    this.source.cacheSerialized(resource, revision, result);
  }
}
