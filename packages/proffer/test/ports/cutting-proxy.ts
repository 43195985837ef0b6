import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import type { Engine } from "./engine.ts";

/** A proxy in front of an engine that can cut its connections in the middle of a reply. */
export interface CuttingProxy {
  readonly host: string;
  readonly port: number;
  /** Cuts the connection of the next replies, this many times: the commands are executed, the replies arrive in part. */
  cutNext(times: number): void;
  /** Cuts all connections, and sends later ones to another engine, as after a failover. */
  retarget(engine: Pick<Engine, "host" | "port">): void;
  /** The connections that were cut. */
  readonly cuts: number;
  close(): void;
}

export async function startProxy(engine: Pick<Engine, "host" | "port">): Promise<CuttingProxy> {
  let [planned, cuts] = [0, 0];
  let target = engine;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const engine = connect(target.port, target.host);
    for (const socket of [client, engine]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        client.destroy();
        engine.destroy();
        sockets.delete(socket);
      });
    }
    client.pipe(engine);
    engine.on("data", (reply) => {
      if (planned === 0) {
        client.write(reply);
        return;
      }
      planned--;
      cuts++;
      client.write(reply.subarray(0, Math.floor(reply.length / 2)), () => client.destroy());
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    host: "127.0.0.1",
    port: (server.address() as { port: number }).port,
    cutNext: (times) => {
      planned = times;
    },
    retarget: (next) => {
      target = next;
      for (const socket of sockets) socket.destroy();
    },
    get cuts() {
      return cuts;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
