import { toText } from "../protocol/messages.ts";
import { Connection, type ConnectionOptions } from "../server/connection.ts";
import { type Server, stateOf } from "../server/server.ts";

/** A connection within one process. */
export interface MemoryConnection {
  /** The origin of the calls of this connection, by which a watcher knows them. */
  readonly source: object;
  send(text: string): void;
  close(): void;
}

/** Connects to a server in this process. Messages are delivered asynchronously, as over a real transport. */
export function connectMemory(
  server: Server,
  receive: (text: string) => void,
  options: Omit<ConnectionOptions, "send" | "transport"> = {},
): MemoryConnection {
  const connection = new Connection(stateOf(server), {
    ...options,
    transport: "memory",
    send: (wire) => queueMicrotask(() => receive(toText(wire))),
  });
  return {
    source: connection,
    send: (text) => queueMicrotask(() => connection.receive(text)),
    close: () => connection.close(),
  };
}
