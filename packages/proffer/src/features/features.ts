import type { Call, Method } from "../calls/call.ts";
import type { Client } from "../calls/client.ts";
import type { Item } from "../catalog/access.ts";
import type { ChangeKind, ListKind, ResourceChange } from "../catalog/changes.ts";
import type { Cluster } from "../nodes/ports.ts";
import type { Feature, FeatureRow } from "../server/feature.ts";
import type { ServerState } from "../server/server.ts";
import { badOption, UsageError } from "../support/usage-error.ts";
import type { MaxResult } from "../tools/define.ts";

/** The requests whose answer depends on the tools of the client. */
const ABOUT_TOOLS: ReadonlySet<string> = new Set([
  ...["initialize", "server/discover", "tools/list", "tools/call", "subscriptions/listen"],
]);

const LISTS_OF_TOOLS: ReadonlySet<string> = new Set(["tools/list", "server/discover"]);

/** Whether the client decides which resources are tools. */
function hasClientTools({ server: { options, resources } }: Call): boolean {
  return resources.size > 0 && (options.resourceTools ?? "auto") === "auto";
}

/**
 * Every optional feature and extension: the only place of the core that names them, besides the types of their options.
 * The order is that of their hooks.
 */
export const FEATURES: readonly FeatureRow[] = [
  {
    // Cuts large results, and adds the tool `more`.
    isNeeded: ({ options }, added) => checkMaxResult(options) || (added?.kind === "tool" && checkMaxResult(added)),
    load: () => import("./max-result/feature.ts"),
  },
  {
    // Serves instructions for models, with files.
    isNeeded: ({ options }) => options.skills !== undefined,
    dependsOnClient: ({ method, server }) => LISTS_OF_TOOLS.has(method) && server.options.skills !== undefined,
    hasLifespan: true,
    load: () => import("./skills/feature.ts"),
  },
  {
    // Other servers inside one's own. Before those that look for items.
    isNeeded: ({ options }) => options.servers !== undefined,
    hasLifespan: true,
    load: () => import("./mounts/feature.ts"),
  },
  {
    // Shows only some items: by the option, or by `?toolsets=`.
    isNeeded: ({ options }) => options.toolsets !== undefined,
    isNeededBy: ({ origin }) => origin.query?.includes("toolsets=") === true,
    load: () => import("./toolsets/feature.ts"),
  },
  {
    // Reads resources by tools, for models that cannot read them.
    isNeeded: ({ options }, added) =>
      options.resourceTools === "always" || (added?.kind === "resource" && added.tool === true),
    isNeededBy: (call) =>
      ABOUT_TOOLS.has(call.method) && hasClientTools(call) && call.client.profile?.readsResources === false,
    dependsOnClient: (call) => LISTS_OF_TOOLS.has(call.method) && hasClientTools(call),
    load: () => import("./resource-tools/feature.ts"),
  },
  {
    // Converts names, schemas and results for clients that would lose a part of them.
    isNeeded: ({ options }) => options.adapt === true,
    load: () => import("./adapt/feature.ts"),
  },
  {
    // Calls that outlive their requests.
    isNeeded: (_server, added) => added?.kind === "tool" && added.task !== undefined,
    hasLifespan: true,
    check: checkQueue,
    load: () => import("./tasks/feature.ts"),
  },
  {
    // Several nodes.
    isNeeded: ({ joinsCluster }) => joinsCluster,
    hasLifespan: true,
    check: checkCluster,
    load: () => import("./cluster/feature.ts"),
  },
];

/** A feature that has a hook. */
type With<Hook extends keyof Feature> = Feature & Required<Pick<Feature, Hook>>;

const NONE: readonly never[] = [];

/** The features of one server. A server without any has empty slots: nothing is loaded, and nothing runs for a call. */
export class Features {
  /** Requests wait for it. It rejects if a feature cannot be loaded or attached: then every request is refused. */
  loading: Promise<void> | undefined;
  methods: ReadonlyMap<string, Method>;
  around: Feature["around"];
  #all: readonly Feature[] = [];
  readonly #byHook = new Map<keyof Feature, readonly Feature[]>();
  readonly #server: ServerState;
  readonly #table: readonly FeatureRow[];
  readonly #needed = new Map<FeatureRow, Feature | undefined>();
  readonly #conditional: readonly FeatureRow[];

  constructor(server: ServerState, table: readonly FeatureRow[], methods: ReadonlyMap<string, Method>) {
    this.#server = server;
    this.#table = table;
    this.#conditional = table.filter(({ isNeededBy }) => isNeededBy !== undefined);
    this.methods = methods;
  }

  /** Loads the features that the server needs now. */
  need(added?: Item): void {
    for (const row of this.#table) if (!this.#needed.has(row) && row.isNeeded(this.#server, added)) this.#load(row);
  }

  /** The promise that a call waits for; undefined if everything that it needs is loaded. */
  of(call: Call): Promise<void> | undefined {
    for (const row of this.#conditional) if (!this.#needed.has(row) && row.isNeededBy?.(call)) this.#load(row);
    return this.loading;
  }

  /** Whether a feature gives different clients different answers to a request. */
  dependOnClient(call: Call): boolean {
    return this.#table.some((row) => row.dependsOnClient?.(call));
  }

  /** @throws {UsageError} if the server must not be served with its options. */
  check(): void {
    for (const row of this.#needed.keys()) row.check?.(this.#server);
  }

  /** The features with a hook, in the order of the table. */
  with<Hook extends keyof Feature>(hook: Hook): readonly With<Hook>[] {
    if (this.#all.length === 0) return NONE;
    let found = this.#byHook.get(hook);
    if (found === undefined) {
      found = this.#all.filter((each) => each[hook] !== undefined);
      this.#byHook.set(hook, found);
    }
    return found as readonly With<Hook>[];
  }

  /** Whether features may add tools for a client to those of the author. */
  addTools(client: () => Client | undefined): boolean {
    const adding = this.with("addsTools");
    return adding.length > 0 && adding.some((feature) => feature.addsTools(this.#server, client()));
  }

  /** The list whose change is announced to a client; undefined if nothing changed for it. */
  changeFor(client: () => Client | undefined, changed: ChangeKind): ListKind | undefined {
    if (changed !== "addedTools") return changed;
    return this.addTools(client) ? "tools" : undefined;
  }

  /** Notifies the features of a changed resource, now or once they are loaded. */
  notified(changed: ResourceChange): void {
    if (this.#needed.size === 0) return;
    const notify = () => {
      for (const feature of this.with("notified")) feature.notified(this.#server, changed);
    };
    if (this.loading === undefined) notify();
    else this.loading.then(notify, () => {});
  }

  /** Whether a feature does something when the server is opened or closed. */
  get hasLifespan(): boolean {
    return [...this.#needed.keys()].some(({ hasLifespan }) => hasLifespan);
  }

  #load(row: FeatureRow): void {
    this.#needed.set(row, undefined);
    const loading = this.#attach(row, row.load(), this.loading).then(() => {
      if (this.loading === loading) this.loading = undefined;
    });
    this.loading = loading;
    // A request that waits for it reports the failure.
    loading.catch(() => {});
  }

  /** The features are loaded at the same time, and attached in the order in which they were needed. */
  async #attach(row: FeatureRow, loaded: ReturnType<FeatureRow["load"]>, earlier = Promise.resolve()): Promise<void> {
    const { feature } = (await Promise.all([loaded, earlier]))[0];
    row.check?.(this.#server);
    feature.attach?.(this.#server);
    this.#needed.set(row, feature);
    this.#all = this.#table.flatMap((each) => this.#needed.get(each) ?? []);
    this.#byHook.clear();
    this.methods = new Map([...this.methods, ...Object.entries(feature.methods ?? {})]);
    this.around = this.with("around").reduceRight<Feature["around"]>(
      (inner, { around: outer }) =>
        inner === undefined ? outer : (call, work) => outer(call, (same) => inner(same, work)),
      undefined,
    );
    this.#server.forgetPages();
  }
}

/** A tool, or the options of a server. */
interface Limited {
  readonly name: string;
  readonly maxResult?: MaxResult | undefined;
}

/** Whether results are cut. @throws {UsageError} for a limit that leaves no room for the sentence about the rest. */
function checkMaxResult({ name, maxResult }: Limited): boolean {
  if (!maxResult) return false;
  // Exactly one of them.
  if ((maxResult.tokens as number) >= 1000 !== (maxResult.bytes as number) >= 1000) return true;
  throw badOption(`"${name}"`, "maxResult", "{ tokens } or { bytes } from 1000", maxResult);
}

/** @throws {UsageError} if the nodes of a server share no queue. */
function checkQueue({ cluster, info }: ServerState): void {
  if (cluster === undefined || cluster.queue !== undefined) return;
  throw new UsageError(`Server "${info.name}": a tool with task needs a queue: set cluster.queue.`);
}

/** The methods of each port. */
const PORTS: { readonly [Port in keyof Cluster]-?: readonly string[] } = {
  store: ["claim", "count", "read", "change", "remove", "append", "since"],
  bus: ["publish", "subscribe"],
  queue: ["push", "work"],
};

/** Checks the option `cluster` before a server is served. @throws {UsageError} that names the missing method. */
function checkCluster({ cluster, info }: ServerState): void {
  for (const [port, methods] of Object.entries(PORTS)) {
    const given: Record<string, unknown> | undefined = (cluster as never)?.[port];
    if (given === undefined && port === "queue") continue;
    const missing = methods.find((method) => typeof given?.[method] !== "function");
    if (missing !== undefined)
      throw new UsageError(`Server "${info.name}": cluster.${port} must have the method ${missing}.`);
  }
}
