import type { RecordFields } from "../ports.ts";

// The fields of the record of a session:
//   v           "1": the session exists
//   h           sealed: its principal, revision and client
//   i, l        the client is ready; its log level
//   d:<key>     sealed: the data of handlers
//   w:<random>  sealed: a subscribed URI
//   get, gt     the holder of the standalone stream, and when it was last there
//   g           how often a standalone stream was opened
//   f:<stream>, t:<stream>   the node on which a client resumed a stream, and when it was last there
//   q:<id>, r:<id>           a request of the server that is not answered; sealed: its response
//   t           the time of the store

/** Follows the holder of a standalone stream whose client has disconnected, but may reconnect. */
export const LINGERING = "?";

/** The node in the field `get`. */
export function nodeOf(holder: string): string {
  return holder.slice(0, holder.indexOf(" "));
}

/** Whether a client is connected to the standalone stream. `fields.t` must be the time of the store now. */
export function listenerIsThere({ get, gt, t }: RecordFields, lease: number): boolean {
  return get !== undefined && !get.endsWith(LINGERING) && Number(t) - Number(gt) <= lease;
}

/** Whether a client follows a stream on a node other than the one that writes it. */
export function followerIsThere(fields: RecordFields, stream: string, lease: number): boolean {
  return fields[`f:${stream}`] !== undefined && Number(fields.t) - Number(fields[`t:${stream}`]) <= lease;
}
