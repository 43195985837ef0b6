import { once } from "node:events";
import { connect, createServer } from "node:net";

/** A proxy in front of Redis that cuts connections in either direction, in the middle of a command or a reply. */
export class CuttingProxy {
  port;
  #server;
  #sockets = new Set();
  #planned = new Set();

  static async start(target) {
    const proxy = new CuttingProxy();
    proxy.#server = createServer((client) => proxy.#join(client, connect(target, "127.0.0.1"))).listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    proxy.port = proxy.#server.address().port;
    return proxy;
  }

  /** Cuts every connection with the next bytes that it sends: half of them still arrive. */
  cut(direction) {
    this.#planned = new Set([...this.#sockets].filter((socket) => socket.direction === direction));
  }

  close() {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(client, engine) {
    this.#forward(client, engine, "command");
    this.#forward(engine, client, "reply");
  }

  #forward(from, to, direction) {
    from.direction = direction;
    this.#sockets.add(from);
    from.on("error", () => {});
    from.on("close", () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    from.on("data", (bytes) => {
      if (!this.#planned.delete(from)) to.write(bytes);
      else to.write(bytes.subarray(0, bytes.length >> 1), () => from.destroy());
    });
  }
}
