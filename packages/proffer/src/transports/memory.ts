import { toText } from "../protocol/messages.ts";
import { Connection, type ConnectionOptions } from "../server/connection.ts";
import { type Server, stateOf } from "../server/server.ts";

/** Two ends of a conversation in one process: text in, text out, in order. */
export interface MemoryConnection {
  send(text: string): void;
  close(): void;
}

/** Connects to a server without any transport. Messages are delivered asynchronously, as a real one would. */
export function connectMemory(
  server: Server,
  receive: (text: string) => void,
  options: Omit<ConnectionOptions, "send"> = {},
): MemoryConnection {
  const connection = new Connection(stateOf(server), {
    ...options,
    send: (wire) => queueMicrotask(() => receive(toText(wire))),
  });
  return {
    send: (text) => queueMicrotask(() => connection.receive(text)),
    close: () => connection.close(),
  };
}
