import type { Call } from "../../calls/call.ts";
import { within } from "../../calls/timeout.ts";
import type { Item } from "../../catalog/access.ts";
import { routeOf } from "../../catalog/find.ts";
import { isObject } from "../../protocol/messages.ts";
import type { CacheHints } from "../../protocol/model.ts";
import { SerializedResult } from "../../results/encode.ts";
import type { Feature, Work } from "../../server/feature.ts";
import { addMetrics } from "../../server/metrics.ts";
import type { ServerState } from "../../server/server.ts";
import { whenReady } from "../../support/async.ts";
import { UsageError } from "../../support/usage-error.ts";
import { MAX_URI_LENGTH } from "../../uri/parse.ts";
import { toFailure } from "./failures.ts";
import { rememberCall } from "./items.ts";
import { asRemote, innerOf, isPlain, isServer, LocalItems } from "./local.ts";
import { CONTAINS, idOf, MAX_HOPS, refuseDepth, refuseLoop, viaOf } from "./loops.ts";
import { downError, Mount } from "./mount.ts";
import { checkMountOptions, checkRemoteOptions, isRemote, type RemoteServer } from "./options.ts";
import { parkedOf } from "./parked.ts";

/** The option `servers`: other servers inside one's own. */
export const feature: Feature = {
  attach: (server) => void mountsOf(server),
  addsTools: (server) => mountsOf(server).isIncomplete,
  around: (call, work) => mountsOf(call.server).run(call, work),
  before: (call) => mountsOf(call.server).route(call),
  open: (server) => mountsOf(server).open(),
  close: (server) => mountsOf(server).close(),
};

const known = /* @__PURE__ */ new WeakMap<ServerState["features"], Mounts>();

/** The servers inside a server. The facade of `proffer dev` has the features of the version that it presents. */
function mountsOf(server: ServerState): Mounts {
  let mounts = known.get(server.features);
  if (mounts === undefined) {
    mounts = new Mounts(server);
    known.set(server.features, mounts);
  }
  return mounts;
}

/** The requests that name an item, and whose handlers may need the call. */
const NAMING = new Set([
  ...["prompts/get", "resources/read", "resources/subscribe", "subscriptions/listen", "completion/complete"],
]);

/** The servers inside one server. */
class Mounts {
  readonly #server: ServerState;
  readonly #locals: LocalItems[] = [];
  readonly #mounts: Mount[] = [];
  readonly #ownHints: CacheHints;
  readonly #ownInstructions: string | undefined;
  #loading: Promise<void> | undefined;
  #isLoaded = false;
  /** A server that is only described connects to nothing. */
  #isOpen = false;

  /** @throws {UsageError} for a name or a server that cannot be mounted. */
  constructor(server: ServerState) {
    this.#server = server;
    const { servers = {}, cache } = server.options;
    for (const [name, given] of Object.entries(servers)) this.#add(name, given);
    // Lists of servers that recognize principals are made for this server, not for everybody.
    const isPrivate = this.#mounts.some(({ isPersonal }) => isPersonal);
    this.#ownHints = { ...server.hints, ...(isPrivate && { cacheScope: "private" as const }) };
    this.#ownInstructions = server.instructions;
    if (isPrivate && cache?.cacheScope === "public") this.#setHints(this.#ownHints);
    // A URI that is in no list is routed by `before`.
    if (this.#mounts.length > 0) server.isRestricted = true;
    addMetrics(server, "mounts", () => this.#metrics(), ["mounts", "down", "connections", "parkedCalls"]);
  }

  /** Whether a server is down: the client should still learn that there are tools. */
  get isIncomplete(): boolean {
    return this.#mounts.some(({ problem, isSettled }) => problem !== undefined || !isSettled);
  }

  open(): void {
    this.#isOpen = true;
    for (const each of [...this.#locals, ...this.#mounts]) each.open();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    parkedOf(this.#server).close();
    this.#loading = undefined;
    this.#isLoaded = false;
    await Promise.all([...this.#locals, ...this.#mounts].map((each) => each.close()));
  }

  /** Runs a request when all lists were read, or could not be. */
  run(call: Call, work: Work): unknown {
    if (this.#mounts.length === 0 || call.method === "ping" || !this.#isOpen) return work(call);
    const isList = call.method.endsWith("/list");
    const via = viaOf(call);
    if (via.length > 0 && (via.includes(idOf(this.#server)) || via.length > MAX_HOPS)) {
      // A server behind this one asks while this one asks it: it gets what there is, and finds itself in `_meta`.
      if (!isList && !OPENING.has(call.method)) refuse(call);
    } else if (!this.#isLoaded) {
      return this.#load(call).then(() => (call.done ? undefined : this.#work(call, work, isList)));
    }
    return this.#work(call, work, isList);
  }

  /** Routes a URI that is in no list to the server that knows such URIs. */
  route(call: Call): void {
    const { method, params } = call;
    const { uri } = params;
    if ((method !== "resources/read" && method !== "resources/subscribe") || typeof uri !== "string") return;
    // Not one that is hidden from the caller.
    if (uri.length > MAX_URI_LENGTH || routeOf(this.#server, uri) !== undefined) return;
    const mount = this.#mountFor(uri);
    if (mount === undefined) return;
    try {
      const value = mount.unlisted(uri);
      if (call.server.access?.filters && !call.server.access.sees(call, value)) return;
      const match = { values: {}, unknown: new Map(), faults: [] };
      call.routed = { uri, route: { value, template: undefined, match } };
    } catch (error) {
      // Not a URI that a resource could have: there is none.
      if (!(error instanceof UsageError)) throw error;
    }
  }

  #load(call: Call): Promise<void> {
    this.#loading ??= this.#readAll(call);
    return this.#loading;
  }

  /** All at once, and added in their order. */
  async #readAll(call: Call): Promise<void> {
    const first = this.#mounts.map((mount) => mount.first(call));
    const limited = first.map((pending, at) =>
      within(this.#mounts[at]?.connections.timeout ?? 0, pending).catch(() => {}),
    );
    const offers = await Promise.all(limited);
    for (const [at, mount] of this.#mounts.entries()) {
      const offer = offers[at] as Awaited<(typeof first)[number]>;
      if (offer !== undefined) mount.apply(offer);
      else void first[at]?.then((late) => late !== undefined && !mount.isSettled && mount.apply(late));
    }
    this.#isLoaded = true;
  }

  #work(call: Call, work: Work, isList: boolean): unknown {
    if (isList) {
      for (const mount of this.#mounts) {
        if (mount.problem !== undefined && mount.onDown === "fail") throw downError(mount);
        mount.refreshIfStale();
      }
      return viaOf(call).length === 0 ? work(call) : whenReady(work(call) as object, (page) => this.#withIds(page));
    }
    const { method, params } = call;
    if (NAMING.has(method)) rememberCall(call);
    else if (method === "tools/call") {
      const tool = this.#server.tools.get(String(params.name));
      // One that a feature adds may read a resource.
      if (tool === undefined || this.#isForeign(tool)) rememberCall(call);
    }
    return work(call);
  }

  /** Adds the servers whose items a list may have, for a mount that must not contain itself. */
  #withIds(page: object): object {
    const value = page instanceof SerializedResult ? page.value : page;
    const ids = [idOf(this.#server), ...this.#mounts.flatMap(({ contains }) => contains)];
    const { _meta } = value as { readonly _meta?: object };
    return { ...value, _meta: { ...(isObject(_meta) && _meta), [CONTAINS]: [...new Set(ids)] } };
  }

  #add(name: string, given: unknown): void {
    const where = `Server "${this.#server.info.name}": servers.${name}`;
    if (!/^(?!.*__)[A-Za-z][A-Za-z0-9_-]{0,31}$/.test(name))
      throw new UsageError(
        `${where} has an invalid name. Use 1 to 32 of A-Z a-z 0-9 _ -, a letter first, and no "__".`,
        "bad_name",
      );
    if (isRemote(given)) {
      checkRemoteOptions(given.options, where);
      this.#addRemote(name, given);
      return;
    }
    const { server: local, ...options } = isObject(given) && !isServer(given) ? given : { server: given };
    if (!isServer(local)) throw new UsageError(`${where} must be a server, { server } with options, or remote(…).`);
    checkMountOptions(options, where);
    const inner = innerOf(local, this.#server, where);
    if (isPlain(inner)) this.#locals.push(new LocalItems(this.#server, name, inner, options));
    else this.#addRemote(name, asRemote(inner, options));
  }

  #addRemote(name: string, given: RemoteServer): void {
    if (typeof given.target === "object" && "command" in given.target) refuseDepth();
    this.#mounts.push(new Mount(this.#server, name, given, () => this.#changed()));
  }

  /** A list without the items of a server that is down must not be kept. */
  #changed(): void {
    const isDown = this.#mounts.some(({ problem }) => problem !== undefined);
    this.#setHints(isDown ? { ...this.#ownHints, ttlMs: 0 } : this.#ownHints);
    const texts = [this.#ownInstructions, ...this.#mounts.map(({ instructions }) => instructions)];
    const given = texts.filter((text) => text !== undefined && text !== "");
    this.#server.instructions = given.length === 0 ? undefined : given.join("\n\n");
    this.#server.forgetPages();
  }

  #setHints(hints: CacheHints): void {
    (this.#server as { hints: CacheHints }).hints = hints;
  }

  #isForeign(item: Item): boolean {
    return this.#mounts.some((mount) => mount.items.owns(item));
  }

  /** Its scheme decides: a URI of this server, or of another one, is nobody else's business. */
  #mountFor(uri: string): Mount | undefined {
    const up = this.#mounts.filter(({ problem, readsAny }) => problem === undefined && readsAny);
    const scheme = uri.slice(0, uri.indexOf(":") + 1);
    const known = up.find(({ items }) => items.hasScheme(scheme));
    if (known !== undefined || up.length !== 1) return known;
    const isOwn = [...this.#server.resources].some((resource) => resource.uri.startsWith(scheme));
    return isOwn ? undefined : up[0];
  }

  #metrics(): { readonly [name: string]: number } {
    return {
      mounts: this.#mounts.length + this.#locals.length,
      down: this.#mounts.filter(({ problem }) => problem !== undefined).length,
      connections: this.#mounts.reduce((sum, { connections }) => sum + connections.size, 0),
      parkedCalls: parkedOf(this.#server).size,
    };
  }
}

/** The requests by which a connection begins. */
const OPENING = new Set(["initialize", "server/discover", "subscriptions/listen", "logging/setLevel"]);

function refuse(call: Call): void {
  try {
    refuseLoop(call);
  } catch (error) {
    throw toFailure(error, call.server.info.name, call.method);
  }
}
