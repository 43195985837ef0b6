import type { Lane } from "../protocol/wire.ts";
import type { WireRecord } from "../record/record.ts";
import type { ClientObserver } from "./client-message.ts";

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
