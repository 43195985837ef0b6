import { accessOf, type VisibleSet } from "../../calls/access.ts";
import type { Call } from "../../calls/call.ts";
import { hasAllResourceTools, resourceToolsOf } from "../../calls/resource-tools.ts";
import type { Entry } from "../../catalog/registry.ts";
import type { Resource } from "../../resources/define.ts";
import type { ServerState } from "../../server/server.ts";
import { UsageError } from "../../support/usage-error.ts";
import type { Tool } from "../../tools/define.ts";
import { TOOLS } from "../../tools/methods.ts";
import { createResourceTools } from "./create.ts";
import type { MissingTool } from "./names.ts";
import type { ResourceTool } from "./resource-tool.ts";

/** More lists than these are made again: a server with a list per caller must not keep a list per caller. */
const MAX_LISTS = 64;

/** The tools that read the resources of a server, until its tools or resources change. */
export class ResourceTools {
  readonly #server: ServerState;
  readonly #tools: readonly ResourceTool[];
  /** Those for every client. */
  readonly #forAll: readonly ResourceTool[];
  readonly #lists = new Map<string, VisibleSet<Tool>>();
  #nextId = 0;

  constructor(server: ServerState) {
    this.#server = server;
    this.#tools = createResourceTools(server, (missing) => report(server, missing));
    this.#forAll = this.#tools.filter(({ isForAll }) => isForAll);
  }

  /** @throws {UsageError} if a resource has no free name and must have a tool. */
  static of(server: ServerState): ResourceTools {
    const state = resourceToolsOf(server);
    state.tools ??= new ResourceTools(server);
    return state.tools;
  }

  namesFor(call: Call): string[] {
    return this.#for(call).map(({ name }) => name);
  }

  /** The tool that a request calls, if it exists for the caller. It needs the scopes of what it reads. */
  find(call: Call): Tool | undefined {
    const { name, arguments: given } = call.params;
    const tool = this.#for(call).find((each) => each.name === name);
    const access = accessOf(this.#server);
    const seen = tool?.resources.filter((resource) => access?.sees(call, resource) ?? true) ?? [];
    if (tool === undefined || seen.length === 0) return undefined;
    const { uri } = (given ?? {}) as { readonly uri?: unknown };
    const target = tool.resources.length === 1 ? seen[0] : seen.find((resource) => resource.uri === uri);
    const { scopes, paramScopes } = tool.isList || target === undefined ? NO_SCOPES : target;
    return {
      ...tool.describe(seen),
      scopes,
      paramScopes,
      handle: (input) => tool.run(call, input as Readonly<Record<string, unknown>>, seen),
    };
  }

  /** All tools as the caller sees them: those of the author first. Made once for all callers that see the same. */
  listFor(call: Call): VisibleSet<Tool> {
    const access = accessOf(this.#server);
    const tools = this.#for(call);
    if (!access?.filters) {
      const all = () => this.#createList(this.#server.tools.entries(), tools, ({ resources }) => resources);
      return this.#remember(String(tools.length), all);
    }
    const own = access.visibleSet(call, TOOLS) as VisibleSet<Tool>;
    const isListed = new Map(
      tools.flatMap(({ resources }) => resources).map((item) => [item, access.lists(call, item)] as const),
    );
    const marks = [...isListed.values()].map((listed) => (listed ? "1" : "0")).join("");
    const visible = ({ resources }: ResourceTool) => resources.filter((item) => isListed.get(item));
    return this.#remember(`${own.id} ${marks}`, () => this.#createList(own.entries, tools, visible));
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
    tools: readonly ResourceTool[],
    visible: (tool: ResourceTool) => readonly Resource[],
  ): VisibleSet<Tool> {
    const more = tools.flatMap((tool): Entry<Tool>[] => {
      const resources = visible(tool);
      return resources.length === 0 ? [] : [{ item: tool.describe(resources), position: tool.position }];
    });
    return { id: this.#nextId++, entries: [...own, ...more], pages: new Map() };
  }

  #for(call: Call): readonly ResourceTool[] {
    return hasAllResourceTools(this.#server, call) ? this.#tools : this.#forAll;
  }
}

/** The resources whose missing tool was reported. */
const reported = new WeakSet<Resource>();

/** @throws {UsageError} if all resources must be tools. */
function report(server: ServerState, { resource, reason }: MissingTool): void {
  const message = `${reason} Rename the resource or one of the tools.`;
  if (server.options.resourceTools === "always")
    throw new UsageError("duplicate", `Server "${server.info.name}": ${message}`);
  if (!reported.has(resource)) server.log({ level: "warning", message, uri: resource.uri });
  reported.add(resource);
}

const NO_SCOPES = { scopes: undefined, paramScopes: undefined };
