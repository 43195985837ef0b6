import type { Principal } from "proffer";
import type { Asked, ClientOptions, Notification, ScriptedAnswer, TestClient } from "proffer/testing";
import type { JsonObject } from "../protocol/json.ts";
import type { Lane, WireLine } from "../protocol/wire.ts";
import type { LinkedClient, MessageRecord, ServerLinks } from "../support/host.ts";
import { isObject } from "../support/values.ts";

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
  /** Whether nobody has closed it. */
  readonly isOpen: boolean;
  close(): Promise<void>;
}

/** What a connection passes on. */
export interface ConnectionEvents {
  notified(connected: Connected | undefined, notification: Notification): void;
  /** Answers a question of the server outside of a round: an older revision, or a task. */
  asked(connected: Connected | undefined, asked: Asked): Promise<ScriptedAnswer>;
  stderr(text: string): void;
  /** A request has no response and will have none: the server may be gone. */
  unanswered(connected: Connected | undefined): void;
  /** The server is gone. */
  ended(connected: Connected | undefined, reason: string): void;
}

export interface ConnectOptions {
  /** Default: the newest that the server supports. */
  readonly revision?: string | undefined;
  /** What the connection is for, as the name of its lane. */
  readonly purpose?: string | undefined;
  readonly caller?: Principal | undefined;
  /** Introduces itself as another client. */
  readonly as?: Pick<ClientOptions, "info" | "capabilities"> | undefined;
}

/** A revision is a date; a hostile server may answer with anything. */
const MAX_REVISION = 40;

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
        ...(revision !== undefined && { revision }),
        info: links.clientInfo,
        keepsMessages: false,
        answers: (asked) => events.asked(connected, asked),
        onNotification: (notification) => events.notified(connected, notification),
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
          ...(revision !== undefined && { revision }),
        };
        record.setLane(lane);
        return {
          sent(text, http) {
            lastSent = record.add({ conn, dir: "out", text, http });
          },
          received: (text, http) => void record.add({ conn, dir: "in", text, http }),
          stderr: events.stderr,
          fellBack: () => setLane({ transport: "sse" }),
          unanswered: () => events.unanswered(connected),
          ended: (reason) => events.ended(connected, reason),
        };
      },
    });
    const agreed = agreedRevision(linked.client);
    setLane({ revision: agreed });
    const { conn } = lane as unknown as Lane;
    connected = {
      ...linked,
      conn,
      revision: agreed,
      capabilities: capabilitiesOf(linked.client),
      get lastSent() {
        return lastSent;
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

/** A server that does not support the revision of `initialize` answers with another one. */
function agreedRevision({ revision, opened }: TestClient): string {
  const { protocolVersion } = opened;
  return typeof protocolVersion === "string" ? protocolVersion.slice(0, MAX_REVISION) : revision;
}

/** Of the response to `initialize` or `server/discover`. */
function capabilitiesOf({ opened: { capabilities } }: TestClient): JsonObject {
  return (isObject(capabilities) ? capabilities : {}) as JsonObject;
}
