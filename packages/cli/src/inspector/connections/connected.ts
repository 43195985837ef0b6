import type { Principal } from "proffer";
import type { Asked, ClientOptions, Notification, ScriptedAnswer, TestClient } from "proffer/testing";
import { Interruption } from "../../client/interruption.ts";
import { openClient } from "../../client/open-client.ts";
import { RemoteServer } from "../../client/remote-server.ts";
import { ownVersion } from "../../modules/packages.ts";
import type { Lane, WireLine } from "../protocol/wire.ts";
import type { WireRecord } from "../record/record.ts";
import type { Opener } from "./opener.ts";
import { openTap, type Tap } from "./tap.ts";

/** The name under which servers know the inspector. */
export const CLIENT_NAME = "proffer-inspector";

/** A client of the target on one revision. */
export interface Connected {
  /** The lane of its messages. */
  readonly conn: string;
  /** The revision that the server has agreed to. */
  readonly revision: string;
  readonly client: TestClient;
  /** The same client, with results that are checked and lists that end. */
  readonly server: RemoteServer;
  /** In this process: what the engine reports runs with. */
  readonly source: object | undefined;
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
  opener: Opener,
  record: WireRecord,
  events: ConnectionEvents,
  { revision, purpose = "inspector", caller, as }: ConnectOptions = {},
): Promise<Connected> {
  let connected: Connected | undefined;
  let lane: Lane | undefined;
  let tap: Tap | undefined;
  const setLane = (change: Partial<Lane>) => {
    if (lane === undefined) return;
    lane = { ...lane, ...change };
    record.setLane(lane);
  };
  // Each attempt has its own lane: another revision, and for a command another process.
  const linkTo = () => {
    setLane({ open: false });
    const conn = record.newConn();
    lane = {
      conn,
      role: "page",
      name: purpose,
      transport: opener.transport,
      open: true,
      ...(revision !== undefined && { revision }),
    };
    record.setLane(lane);
    const observed = {
      stderr: events.stderr,
      fellBack: () => setLane({ transport: "sse" }),
      unanswered: () => events.unanswered(connected),
      ended: (reason: string) => events.ended(connected, reason),
    };
    tap = openTap(opener, record, conn, observed, caller);
    return tap.link;
  };
  try {
    const client = await openClient(
      linkTo,
      {
        ...(revision !== undefined && { revision }),
        info: { name: CLIENT_NAME, version: ownVersion() },
        keepsMessages: false,
        answers: (asked) => events.asked(connected, asked),
        onNotification: (notification) => events.notified(connected, notification),
        ...as,
      },
      // Ctrl-C ends the whole process, which closes everything.
      new Interruption(),
    );
    const agreed = agreedRevision(client);
    setLane({ revision: agreed });
    const { conn } = lane as unknown as Lane;
    const watched = tap as Tap | undefined;
    connected = {
      conn,
      revision: agreed,
      client,
      server: new RemoteServer(name, client),
      source: watched?.source?.(),
      get lastSent() {
        return watched?.lastSent;
      },
      get isOpen() {
        return lane?.open === true;
      },
      async close() {
        setLane({ open: false });
        await client.close();
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
