import { once } from "node:events";
import net from "node:net";

/** Opens a proxy that delays each piece of data, as a network does: returns its port. */
export async function openDistance(port, milliseconds) {
  const server = net.createServer({ noDelay: true }, (near) => {
    const far = net.connect({ port, host: "127.0.0.1", noDelay: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      from.on("data", (bytes) => setTimeout(() => to.destroyed || to.write(bytes), milliseconds));
      from.on("close", () => to.destroy());
      from.on("error", () => to.destroy());
    }
  });
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  return { port: server.address().port, close: () => server.close() };
}
