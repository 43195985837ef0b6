import type { Principal } from "proffer";
import {
  type Asked,
  type ClientOptions,
  ConnectionError,
  type Notification,
  RemoteError,
  type ScriptedAnswer,
} from "proffer/client";
import type { JsonObject, Lane, WireLine } from "../protocol/data.ts";
import type { LinkedClient, MessageRecord, ServerLinks } from "../support/host.ts";
import { defined, hasHandshake } from "../support/values.ts";

/** A client of the target on one revision. */
export interface Connected extends LinkedClient {
  /** The lane of its messages. */
  readonly conn: string;
  /** The revision that the server has agreed to. */
  readonly revision: string;
  /** Of the server. */
  readonly capabilities: JsonObject;
  /** The line of the last message that was sent. */
  readonly lastSent: WireLine | undefined;
  /** Resolves with the line of the next message of a method; with undefined if its response settles without it. */
  nextSent(method: string, response: Promise<unknown>): Promise<WireLine | undefined>;
  /** Whether nobody has closed it. */
  readonly isOpen: boolean;
  close(): Promise<void>;
}

/** The events of a connection, once it is made. */
export interface ConnectionEvents {
  notified(connected: Connected, notification: Notification): void;
  /** Answers a question of the server outside of a round: of an older revision, or of a task. */
  asked(connected: Connected | undefined, asked: Asked): Promise<ScriptedAnswer>;
  stderr(text: string): void;
  /** A request has no response and will have none: the server may be gone. */
  unanswered(connected: Connected): void;
  /** The server is gone. */
  ended(connected: Connected, reason: string): void;
}

export interface ConnectOptions {
  /** Default: the newest that the server supports. */
  readonly revision?: string | undefined;
  /** The purpose of the connection, as the name of its lane. */
  readonly purpose?: string | undefined;
  readonly caller?: Principal | undefined;
  /** Introduces itself as another client. */
  readonly as?: Pick<ClientOptions, "info" | "capabilities"> | undefined;
}

/** A person can answer every question, and see every task. */
const CAPABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
  extensions: { "io.modelcontextprotocol/tasks": {} },
};

/** Connects to the target and records all messages. @throws {RemoteError} if the server does not respond. */
export async function connectTo(
  name: string,
  links: ServerLinks,
  record: MessageRecord,
  events: ConnectionEvents,
  { revision, purpose = "inspector", caller, as }: ConnectOptions = {},
): Promise<Connected> {
  let connected: Connected | undefined;
  let lane: Lane | undefined;
  let lastSent: WireLine | undefined;
  const waiting = new Map<(line: WireLine | undefined) => void, string>();
  const setLane = (change: Partial<Lane>) => {
    if (lane === undefined) return;
    lane = { ...lane, ...change };
    record.setLane(lane);
  };
  try {
    const linked = await links.connect({
      name,
      caller,
      options: {
        ...defined({ revision }),
        info: links.clientInfo,
        capabilities: CAPABILITIES,
        answers: (asked) => events.asked(connected, asked),
        onNotification: (notification) => connected && events.notified(connected, notification),
        ...as,
      },
      // Each attempt has its own lane.
      observe() {
        setLane({ open: false });
        const conn = record.newConn();
        lane = {
          conn,
          role: "page",
          name: purpose,
          transport: links.transport,
          open: true,
          ...defined({ revision }),
        };
        record.setLane(lane);
        return {
          sent(text, http) {
            const line = record.add({ conn, dir: "out", text, http });
            lastSent = line;
            const [found] = [...waiting].find(([, method]) => method === line.method) ?? [];
            found?.(line);
          },
          received: (text, http) => void record.add({ conn, dir: "in", text, http }),
          stderr: events.stderr,
          fellBack: () => setLane({ transport: "sse" }),
          unanswered: () => connected && events.unanswered(connected),
          ended: (reason) => connected && events.ended(connected, reason),
        };
      },
    });
    // A server that does not support the revision of `initialize` answers with another one.
    const { revision: agreed, capabilities } = linked.client;
    setLane({ revision: agreed });
    const { conn } = lane as unknown as Lane;
    connected = {
      ...linked,
      conn,
      revision: agreed,
      capabilities: capabilities as JsonObject,
      get lastSent() {
        return lastSent;
      },
      nextSent(method, response) {
        return new Promise((resolve) => {
          const end = (line?: WireLine) => {
            waiting.delete(end);
            resolve(line);
          };
          waiting.set(end, method);
          response.then(
            () => end(),
            () => end(),
          );
        });
      },
      get isOpen() {
        return lane?.open === true;
      },
      async close() {
        setLane({ open: false });
        await linked.client.close();
      },
    };
    return connected;
  } catch (error) {
    setLane({ open: false });
    throw error;
  }
}

type Connect = (revision: string) => Promise<Connected>;

/** Milliseconds for the response to a second `initialize`, which no server expects. */
const PATIENCE = 10_000;

/**
 * Finds the revisions that a server supports. `server/discover` names the stateless ones. For the others, `initialize` is
 * tried: a server that does not support a revision answers with another one.
 * @param first - the client that is connected already.
 */
export async function findRevisions(
  first: Connected,
  { revisions, spawns, clientInfo }: ServerLinks,
  connect: Connect,
): Promise<readonly string[]> {
  const { supportedVersions } = first.client.opened;
  const named = Array.isArray(supportedVersions) ? supportedVersions : [];
  const stateless = revisions.filter((revision) => !hasHandshake(revision) && named.includes(revision));
  const older = revisions.filter(hasHandshake);
  // A client may be a process: one of them tries all revisions.
  const tried = spawns ? await tryInOne(older, clientInfo, connect) : await tryEach(older, connect);
  return [...stateless, ...tried];
}

async function tryEach(revisions: readonly string[], connect: Connect): Promise<readonly string[]> {
  const found: string[] = [];
  for (const revision of revisions) {
    const connected = await connect(revision).catch(() => undefined);
    if (connected === undefined) continue;
    if (connected.revision === revision) found.push(revision);
    await connected.close();
  }
  return found;
}

async function tryInOne(
  [newest = "", ...older]: readonly string[],
  clientInfo: ServerLinks["clientInfo"],
  connect: Connect,
): Promise<readonly string[]> {
  const connected = await connect(newest).catch(() => undefined);
  if (connected === undefined) return [];
  const found = [connected.revision];
  for (const revision of older) {
    if (revision >= connected.revision) continue;
    const params = { protocolVersion: revision, capabilities: {}, clientInfo };
    const agreed = await initializeAgain(connected, params);
    // A server that refuses a second `initialize` has refused no revision. The first use decides.
    if (agreed === undefined || agreed === revision) found.push(revision);
  }
  await connected.close();
  return found;
}

async function initializeAgain({ client }: Connected, params: object): Promise<unknown> {
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    const { protocolVersion } = await client.requestOnce("initialize", params, { signal });
    return protocolVersion;
  } catch (error) {
    if (error instanceof RemoteError || error instanceof ConnectionError || error instanceof DOMException) return;
    throw error;
  }
}
