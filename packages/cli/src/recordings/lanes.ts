import type { HttpHead, JsonObject, Lane, SeenMessage } from "@proffer/inspector";
import { defined, isObject, type Members, parseJson } from "../terminal/json.ts";
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

/** Lanes that are known by a key. A client that comes back after this number of others gets a new one. */
const MAX_LANES = 200;

export type Lanes = ReturnType<typeof createLanes>;

/** Creates the lanes of the clients of one server. */
export function createLanes(observer: ClientObserver) {
  const known = new Map<string, ClientLane>();
  let count = 0;

  function create(transport: Lane["transport"]): ClientLane {
    count += 1;
    return { conn: `client-${count}`, transport };
  }

  /** The lane that was used longest ago is forgotten first. */
  function remember(key: string, lane: ClientLane): void {
    known.delete(key);
    known.set(key, lane);
    const [oldest] = known.keys();
    if (known.size > MAX_LANES && oldest !== undefined) known.delete(oldest);
  }

  function report(lane: ClientLane, seen: Omit<SeenMessage, "conn">): void {
    const { conn, transport, client, capabilities, revision } = lane;
    observer.onClientMessage({ ...seen, conn, transport, ...defined({ client, capabilities, revision }) });
  }

  return {
    create,
    remember,
    /** Returns the lane of a session that was opened. */
    get: (session: string) => known.get(session),
    /** Returns the lane for clients of which only this is known. */
    find(key: string, transport: Lane["transport"]): ClientLane {
      const lane = known.get(key) ?? create(transport);
      remember(key, lane);
      return lane;
    },
    received(lane: ClientLane, text: string, http?: HttpHead, note?: string): void {
      // After `server/discover`, a client may still choose `initialize`.
      if (lane.client === undefined || lane.revision === undefined || text.includes('"initialize"')) {
        const { client, capabilities, revision, isInitialize } = introductionOf(text);
        if (client !== undefined) lane.client = client;
        if (capabilities !== undefined) lane.capabilities ??= capabilities;
        if (revision !== undefined) lane.revision = revision;
        if (isInitialize) lane.isOpening = true;
      }
      report(lane, { dir: "out", text, http, note });
    },
    sent(lane: ClientLane, text: string, http?: HttpHead, note?: string): void {
      // The response to `initialize` has the revision that both agree on.
      const revision = lane.isOpening ? shortText(members(members(parseJson(text)).result).protocolVersion) : undefined;
      if (revision !== undefined) {
        lane.revision = revision;
        lane.isOpening = false;
      }
      report(lane, { dir: "in", text, http, note });
    },
    /** A transport may notice the end of a connection in several ways; it is reported once. */
    closed(lane: ClientLane, key?: string): void {
      if (key !== undefined) known.delete(key);
      if (!lane.isClosed) observer.onClientClosed?.(lane.conn);
      lane.isClosed = true;
    },
  };
}

/** The name and version by which a client introduces itself. */
interface ClientIdentity {
  readonly name: string;
  readonly version?: string;
}

/** One message between a real client and the server of `dev`. Its head has secrets, which the record masks. */
export type ClientMessage = SeenMessage &
  Readonly<Pick<ClientLane, "transport" | "client" | "capabilities" | "revision">>;

/** Receives the messages of real clients. */
export interface ClientObserver {
  onClientMessage(message: ClientMessage): void;
  /** The connection or the session has ended. */
  onClientClosed?(conn: string): void;
}

const META = "io.modelcontextprotocol/";
/** Characters of a name or a version. */
const MAX_LENGTH = 200;
/** Characters of capabilities, which are a few words. Longer ones are left out whole: a part of them would lie. */
const MAX_CAPABILITIES = 4000;

/** Reads the introduction of a client in a request: its name, capabilities and revision, as far as the request has them. */
export function introductionOf(text: string) {
  const { method, params } = members(parseJson(text));
  const { clientInfo, capabilities, _meta } = members(params);
  const isInitialize = method === "initialize";
  const meta = members(_meta);
  return {
    client: identityIn(isInitialize ? clientInfo : meta[`${META}clientInfo`]),
    capabilities: capabilitiesIn(isInitialize ? capabilities : meta[`${META}clientCapabilities`]),
    // The response to `initialize` has the revision.
    revision: isInitialize ? undefined : shortText(meta[`${META}protocolVersion`]),
    /** It opens a session. */
    isInitialize,
  };
}

function identityIn(info: unknown): ClientIdentity | undefined {
  const { name, version } = members(info);
  const [shown, number] = [shortText(name), shortText(version)];
  return shown === undefined ? undefined : { name: shown, ...(number && { version: number }) };
}

function capabilitiesIn(capabilities: unknown): JsonObject | undefined {
  if (!isObject(capabilities)) return undefined;
  try {
    return JSON.stringify(capabilities).length > MAX_CAPABILITIES ? undefined : (capabilities as JsonObject);
  } catch {
    // Nested too deeply to be written again.
    return undefined;
  }
}

function members(value: unknown): Members {
  return isObject(value) ? value : {};
}

function shortText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, MAX_LENGTH) : undefined;
}

/** Records the messages of real clients, each in a separate lane. */
export function recordClients(record: WireRecord): ClientObserver {
  const lanes = new Map<string, Lane>();
  return {
    onClientMessage({ conn, dir, text, transport, client, capabilities, revision, http, note }) {
      const known = lanes.get(conn);
      const lane: Lane = {
        conn,
        role: "client",
        name: client?.name ?? "a client",
        ...defined({ version: client?.version, revision, capabilities }),
        transport,
        open: true,
      };
      // A lane keeps the object of the first introduction, so that the capabilities need not be compared by their members.
      const isSame = (["name", "version", "revision", "capabilities"] as const).every(
        (key) => known?.[key] === lane[key],
      );
      if (!isSame) {
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
