import { once } from "node:events";
import { connect, createServer } from "node:net";

/**
 * A proxy in front of Redis. It cuts connections in either direction, in the middle of a command or a reply, delays what
 * Redis sends, and can be pointed to another server.
 */
export class CuttingProxy {
  port;
  #target;
  #lag;
  #server;
  #sockets = new Set();
  #planned = new Set();

  /** @param lag - milliseconds by which replies are late */
  static async start(target, lag = 0) {
    const proxy = new CuttingProxy();
    proxy.#target = target;
    proxy.#lag = lag;
    proxy.#server = createServer((client) => proxy.#join(client)).listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    proxy.port = proxy.#server.address().port;
    return proxy;
  }

  /** Cuts every connection with the next bytes that it sends: half of them still arrive. */
  cut(direction) {
    this.#planned = new Set([...this.#sockets].filter((socket) => socket.direction === direction));
  }

  /** Sends later connections to another server, and cuts those that are open. */
  retarget(target) {
    this.#target = target;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Bytes on their way do not arrive. */
  close() {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(client) {
    const engine = connect(this.#target, "127.0.0.1");
    this.#forward(client, engine, "command", 0);
    this.#forward(engine, client, "reply", this.#lag);
  }

  #forward(from, to, direction, lag) {
    from.direction = direction;
    this.#sockets.add(from);
    from.on("error", () => {});
    from.on("close", () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    from.on("data", (bytes) => {
      if (lag > 0) setTimeout(() => to.destroyed || to.write(bytes), lag);
      else if (!this.#planned.delete(from)) to.write(bytes);
      else to.write(bytes.subarray(0, bytes.length >> 1), () => from.destroy());
    });
  }
}
