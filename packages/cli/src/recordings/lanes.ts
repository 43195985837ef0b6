import type { HttpHead, JsonObject, Lane } from "@proffer/inspector";
import type { WireRecord } from "./record.ts";

/** One client, as far as it is known. */
export interface ClientLane {
  readonly conn: string;
  readonly transport: Lane["transport"];
  client?: ClientIdentity;
  capabilities?: JsonObject;
  revision?: string;
  /** It has sent `initialize`: the response has the revision. */
  isOpening?: boolean;
  isClosed?: boolean;
}

/** A message, before it is known whose it is. */
interface Seen {
  readonly dir: "out" | "in";
  readonly text: string;
  readonly http: HttpHead | undefined;
  readonly note: string | undefined;
}

/** Lanes that are known by a key. A client that comes back after so many others gets a new one. */
const MAX_LANES = 200;

/** The lanes of the clients of one server. */
export class Lanes {
  readonly #observer: ClientObserver;
  readonly #known = new Map<string, ClientLane>();
  #count = 0;

  constructor(observer: ClientObserver) {
    this.#observer = observer;
  }

  create(transport: Lane["transport"]): ClientLane {
    this.#count += 1;
    return { conn: `client-${this.#count}`, transport };
  }

  /** Returns the lane of a session that was opened. */
  get(session: string): ClientLane | undefined {
    return this.#known.get(session);
  }

  /** Returns the lane for clients of which only this is known. */
  find(key: string, transport: Lane["transport"]): ClientLane {
    const lane = this.#known.get(key) ?? this.create(transport);
    this.remember(key, lane);
    return lane;
  }

  /** The lane that was used longest ago is forgotten first. */
  remember(key: string, lane: ClientLane): void {
    this.#known.delete(key);
    this.#known.set(key, lane);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_LANES && oldest !== undefined) this.#known.delete(oldest);
  }

  received(lane: ClientLane, text: string, http?: HttpHead, note?: string): void {
    if (lane.client === undefined || lane.revision === undefined) {
      const { client, capabilities, revision, isInitialize } = introductionOf(text);
      if (client !== undefined) lane.client = client;
      if (capabilities !== undefined) lane.capabilities ??= capabilities;
      if (revision !== undefined) lane.revision = revision;
      if (isInitialize) lane.isOpening = true;
    }
    this.#report(lane, { dir: "out", text, http, note });
  }

  sent(lane: ClientLane, text: string, http?: HttpHead, note?: string): void {
    const revision = lane.isOpening ? agreedRevision(text) : undefined;
    if (revision !== undefined) {
      lane.revision = revision;
      lane.isOpening = false;
    }
    this.#report(lane, { dir: "in", text, http, note });
  }

  /** A transport may notice the end of a connection in several ways; it is reported once. */
  closed(lane: ClientLane, key?: string): void {
    if (key !== undefined) this.#known.delete(key);
    if (!lane.isClosed) this.#observer.onClientClosed?.(lane.conn);
    lane.isClosed = true;
  }

  #report({ conn, transport, client, capabilities, revision }: ClientLane, { dir, text, http, note }: Seen): void {
    this.#observer.onClientMessage({
      conn,
      dir,
      text,
      transport,
      ...(client && { client }),
      ...(capabilities && { capabilities }),
      ...(revision !== undefined && { revision }),
      ...(http && { http }),
      ...(note !== undefined && { note }),
    });
  }
}

/** What a client says of itself. */
interface ClientIdentity {
  readonly name: string;
  readonly version?: string;
}

/** One message between a real client and the server of `dev`. */
export interface ClientMessage {
  /** The lane: one per connection or session; requests without a session are grouped by what the client is. */
  readonly conn: string;
  /** "out": from the client to the server. */
  readonly dir: "out" | "in";
  /** The exact text of the message. */
  readonly text: string;
  readonly transport: Lane["transport"];
  /** Absent until the client has introduced itself. */
  readonly client?: ClientIdentity;
  /** What the client says that it can do. */
  readonly capabilities?: JsonObject;
  readonly revision?: string;
  /** With secrets: the record masks them. */
  readonly http?: HttpHead;
  /** What the text does not show. */
  readonly note?: string;
}

/** Is told of the messages of real clients. */
export interface ClientObserver {
  onClientMessage(message: ClientMessage): void;
  /** The connection or the session has ended. */
  onClientClosed?(conn: string): void;
}

/** What a message says of its client, of what the client can do, and of its revision. */
interface Introduction {
  readonly client?: ClientIdentity;
  readonly capabilities?: JsonObject;
  readonly revision?: string;
  /** It opens a session. */
  readonly isInitialize: boolean;
}

type Members = { readonly [name: string]: unknown };

const META = "io.modelcontextprotocol/";
/** Characters of a name or a version. */
const MAX_LENGTH = 200;
/** Characters of capabilities, which are a few words. Longer ones are left out whole: a part of them would lie. */
const MAX_CAPABILITIES = 4000;

/** Reads what a request says of its client. A message that cannot be parsed says nothing. */
export function introductionOf(text: string): Introduction {
  const { method, params } = parse(text);
  const { clientInfo, capabilities, _meta } = members(params);
  if (method === "initialize") return { ...identified(clientInfo), ...capable(capabilities), isInitialize: true };
  const meta = members(_meta);
  const revision = shortText(meta[`${META}protocolVersion`]);
  return {
    ...identified(meta[`${META}clientInfo`]),
    ...capable(meta[`${META}clientCapabilities`]),
    ...(revision && { revision }),
    isInitialize: false,
  };
}

/** Reads the revision that a response to `initialize` agrees on. */
function agreedRevision(text: string): string | undefined {
  return shortText(members(parse(text).result).protocolVersion);
}

function identified(info: unknown): { readonly client?: ClientIdentity } {
  const { name, version } = members(info);
  const shown = shortText(name);
  const number = shortText(version);
  return shown === undefined ? {} : { client: { name: shown, ...(number && { version: number }) } };
}

function capable(capabilities: unknown): { readonly capabilities?: JsonObject } {
  if (typeof capabilities !== "object" || capabilities === null || Array.isArray(capabilities)) return {};
  try {
    if (JSON.stringify(capabilities).length > MAX_CAPABILITIES) return {};
  } catch {
    // Nested too deeply to be written again.
    return {};
  }
  return { capabilities: capabilities as JsonObject };
}

function parse(text: string): Members {
  try {
    return members(JSON.parse(text));
  } catch {
    return {};
  }
}

function members(value: unknown): Members {
  return typeof value === "object" && value !== null ? (value as Members) : {};
}

function shortText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, MAX_LENGTH) : undefined;
}

/** Records the messages of real clients, each in a lane of its own. */
export function recordClients(record: WireRecord): ClientObserver {
  const lanes = new Map<string, Lane>();
  return {
    onClientMessage({ conn, dir, text, transport, client, capabilities, revision, http, note }) {
      const known = lanes.get(conn);
      const lane: Lane = {
        conn,
        role: "client",
        name: client?.name ?? "a client",
        ...(client?.version !== undefined && { version: client.version }),
        ...(revision !== undefined && { revision }),
        ...(capabilities && { capabilities }),
        transport,
        open: true,
      };
      if (known === undefined || !isSame(known, lane)) {
        lanes.set(conn, lane);
        record.setLane(lane);
      }
      record.add({ conn, dir, text, http, note });
    },
    onClientClosed(conn) {
      const lane = lanes.get(conn);
      lanes.delete(conn);
      if (lane !== undefined) record.setLane({ ...lane, open: false });
    },
  };
}

function isSame(a: Lane, b: Lane): boolean {
  const { name, version, revision, capabilities } = a;
  // A lane keeps the object of the first introduction, so that the capabilities need not be compared by their members.
  return name === b.name && version === b.version && revision === b.revision && capabilities === b.capabilities;
}
