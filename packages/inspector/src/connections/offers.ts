import { ConnectionError, type RemoteError } from "proffer/client";
import { tokensOf } from "proffer/derived";
import type { ClientView, ModelView } from "../protocol/api.ts";
import type { Item, JsonObject, Lane, Offer, ServerInfo } from "../protocol/data.ts";
import { ApiProblem } from "../support/api-problem.ts";
import type { ClientProfile, ClientProfiles, ServerCode } from "../support/host.ts";
import { bytesOf, hasHandshake, isObject } from "../support/values.ts";
import type { Connected } from "./connected.ts";
import type { Connections } from "./connections.ts";

const CHANGES = /^notifications\/(?:tools|prompts|resources)\/list_changed$/;
const KINDS = ["tools", "prompts", "resources"] as const;

/** Is called when a server ends a subscription, as it does before it stops. If it is still there, it calls `again`. */
type StreamEnded = (connected: Connected, again: () => void) => void;

/** The offers of a server on each revision that somebody looked at, read again when its lists change. */
export class Offers {
  readonly #use: (revision: string) => Promise<Connected>;
  readonly #changed: (offer: Offer) => void;
  readonly #streamEnded: StreamEnded;
  readonly #code: ServerCode | undefined;
  readonly #offers = new Map<string, Offer>();
  readonly #reading = new Map<string, Promise<Offer>>();
  /** The clients that subscribed to changes of lists. */
  readonly #subscribed = new WeakSet<Connected>();
  /** The revisions that will be read again in the next turn: an edit changes several lists at once. */
  readonly #waiting = new Set<string>();
  #version = 0;

  constructor(
    use: (revision: string) => Promise<Connected>,
    changed: (offer: Offer) => void,
    streamEnded: StreamEnded,
    code?: ServerCode,
  ) {
    this.#use = use;
    this.#changed = changed;
    this.#streamEnded = streamEnded;
    this.#code = code;
  }

  /** The newest version of all offers. */
  get version(): number {
    return this.#version;
  }

  /** All offers that are known. */
  known(): Iterable<Offer> {
    return this.#offers.values();
  }

  find(revision: string): Offer | undefined {
    return this.#offers.get(revision);
  }

  /** Returns the offer of a revision, and reads it if it is not known. */
  get(revision: string): Promise<Offer> {
    const known = this.#offers.get(revision);
    return known === undefined ? this.read(revision) : Promise.resolve(known);
  }

  /** Reads an offer again; a change during a reading causes another one. */
  read(revision: string): Promise<Offer> {
    const earlier = this.#reading.get(revision);
    const reading = (earlier ?? Promise.resolve()).catch(() => {}).then(() => this.#read(revision));
    this.#reading.set(revision, reading);
    const forget = () => {
      if (this.#reading.get(revision) === reading) this.#reading.delete(revision);
    };
    reading.then(forget, forget);
    return reading;
  }

  /** Finds the places of the items again, after an edit that no list shows. */
  relocate(): void {
    for (const [revision, offer] of this.#offers) {
      const items = offer.items.map((item) => withPlace(item, this.#code));
      const next = { ...offer, version: ++this.#version, items, files: this.#code?.files() ?? [] };
      this.#offers.set(revision, next);
      this.#changed(next);
    }
  }

  /** Looks at a notification of the server. */
  notified({ revision }: Connected, method: string): void {
    if (!CHANGES.test(method) || this.#waiting.has(revision)) return;
    this.#waiting.add(revision);
    setImmediate(() => {
      this.#waiting.delete(revision);
      this.read(revision).catch(() => {});
    });
  }

  async #read(revision: string): Promise<Offer> {
    const connected = await this.#use(revision);
    // Before the lists are read, so that no change is missed.
    this.#subscribe(connected);
    const offer = await readOffer(connected, ++this.#version, this.#code);
    this.#offers.set(revision, offer);
    this.#changed(offer);
    return offer;
  }

  /** Older revisions notify every client. A server that refuses has no changes to notify of. */
  #subscribe(connected: Connected): void {
    if (hasHandshake(connected.revision) || this.#subscribed.has(connected)) return;
    this.#subscribed.add(connected);
    const { capabilities } = connected;
    const lists = KINDS.filter((kind) => isObject(capabilities[kind]) && capabilities[kind].listChanged === true);
    if (lists.length === 0) return;
    const notifications = Object.fromEntries(lists.map((kind) => [`${kind}ListChanged`, true]));
    const again = () => {
      this.#subscribed.delete(connected);
      this.#streamEnded(connected, () => this.#subscribe(connected));
    };
    connected.client.requestOnce("subscriptions/listen", { notifications }).then(again, (error) => {
      if (error instanceof ConnectionError) again();
    });
  }
}

/** More entries of one list help nobody, and the page keeps them all. No model gets a larger entry. */
const MAX_ENTRIES = 10_000;
const MAX_ENTRY_BYTES = 1024 * 1024;
const MAX_BYTES = 16 * 1024 * 1024;
const METHOD_NOT_FOUND = -32601;

/** The lists, and the member by which their entries differ. Models get those that are counted. */
const LISTS = [
  { kind: "tool", capability: "tools", method: "listTools", key: "name", isCounted: true },
  { kind: "prompt", capability: "prompts", method: "listPrompts", key: "name", isCounted: true },
  { kind: "resource", capability: "resources", method: "listResources", key: "uri", isCounted: false },
  { kind: "template", capability: "resources", method: "listTemplates", key: "uriTemplate", isCounted: false },
] as const;

/** Reads all lists of a server. A list that cannot be read is a problem of the offer, not a failure. */
async function readOffer(connected: Connected, version: number, code?: ServerCode): Promise<Offer> {
  const { capabilities, client } = connected;
  const items: Item[] = [];
  const problems: string[] = [];
  let bytes = 0;
  for (const { kind, capability, method, key, isCounted } of LISTS) {
    if (!capabilities[capability]) continue;
    try {
      const entries = (await client[method]()) as unknown as JsonObject[];
      const kept = entries.slice(0, MAX_ENTRIES);
      if (kept.length < entries.length)
        problems.push(`Only the first ${MAX_ENTRIES} of ${entries.length} ${kind}s are shown.`);
      for (const description of kept) {
        const size = bytesOf(description);
        if (size > MAX_ENTRY_BYTES) {
          problems.push(`A ${kind} has ${size} bytes, more than 1 MiB, and is not shown.`);
          continue;
        }
        bytes += size;
        if (bytes > MAX_BYTES) break;
        // No model sees `_meta`.
        const tokens = isCounted ? tokensOf(bytesOf({ ...description, _meta: undefined })) : undefined;
        const item = { kind, key: String(description[key]), description, ...(tokens !== undefined && { tokens }) };
        items.push(withPlace(item, code));
      }
    } catch (error) {
      const { code: refusal, method: asked, message } = error as Partial<RemoteError> & Error;
      // Many servers declare resources, and know no request for templates.
      if (refusal !== METHOD_NOT_FOUND) problems.push(asked === undefined ? message : `${asked}: ${message}`);
    }
  }
  if (bytes > MAX_BYTES)
    problems.push(`The lists have more than ${MAX_BYTES / 1024 / 1024} MiB; the rest is not shown.`);
  const tokens = items.reduce((sum, item) => sum + (item.kind === "tool" ? (item.tokens ?? 0) : 0), 0);
  const { revision } = connected;
  return { version, revision, server: toServerInfo(connected), items, files: code?.files() ?? [], problems, tokens };
}

/** The item with its place in the code, as far as it is known now. */
function withPlace({ place: _, ...item }: Item, code?: ServerCode): Item {
  const place = code?.placeOf(item.kind, item.key);
  return place === undefined ? item : { ...item, place };
}

/** Newer revisions have the name of the server in `_meta`. */
function toServerInfo({ client, capabilities }: Connected): ServerInfo {
  const { serverInfo, _meta, instructions } = client.opened;
  const info = serverInfo ?? (isObject(_meta) ? _meta["io.modelcontextprotocol/serverInfo"] : undefined);
  const { name, title, version } = isObject(info) ? info : {};
  return {
    name: typeof name === "string" ? name : "server",
    ...(typeof title === "string" && { title }),
    ...(typeof version === "string" && { version }),
    ...(typeof instructions === "string" && { instructions }),
    capabilities,
  };
}

/**
 * Reads the offer to a watched client: on its revision, under its name and with its capabilities, because a server may
 * adapt its lists to them. Then cuts it as the profile of the client says. @throws {ApiProblem}
 */
export async function viewOfClient(
  connections: Connections,
  profiles: ClientProfiles,
  lanes: Iterable<Lane>,
  conn: string,
): Promise<ClientView> {
  const lane = [...lanes].find((each) => each.conn === conn && each.role === "client");
  if (lane === undefined) {
    throw new ApiProblem(404, "unknown_client", "The inspector does not know this client, or not any more.");
  }
  const { name, version = "", capabilities = {}, revision = connections.revisions[0] ?? "" } = lane;
  const connected = await connections.open({
    revision,
    purpose: `as ${name}`,
    as: { info: { name, version }, capabilities },
  });
  try {
    const offer = await readOffer(connected, 0);
    const profile = profiles.find({ name, version });
    const items = profile === undefined ? offer.items.map((item) => whole(item, name)) : await cut(offer, profile);
    return {
      revision,
      ...(profile && { profile: profile.title }),
      capabilities,
      items,
      tokens: items.reduce((sum, { kind, tokens = 0 }) => sum + (kind === "tool" ? tokens : 0), 0),
      problems: offer.problems,
    };
  } finally {
    await connected.close();
  }
}

type Seen = ClientView["items"][number];

async function cut(offer: Offer, { title, readsResources, viewTools }: ClientProfile): Promise<Seen[]> {
  const tools = await viewTools(offer);
  const unread = !readsResources ? [`The model of ${title} cannot read resources by itself`] : [];
  return offer.items.map((item) => {
    const { kind, key } = item;
    if (kind === "tool") return { kind, key, ...(tools.get(key) as ModelView) };
    return { ...whole(item, title), losses: kind === "prompt" ? [] : unread };
  });
}

/** An item of which nothing is cut. */
function whole({ kind, key, description, tokens }: Item, client: string): Seen {
  return { kind, key, client, declaration: description, losses: [], ...(tokens !== undefined && { tokens }) };
}
