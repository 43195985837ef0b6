import { once } from "node:events";

// Kept out of the servers: whoever is asked by the signal reports its live heap after full collections.
const probe = `process.on("SIGUSR2", () => {
  gc();
  gc();
  process.stderr.write("HEAP " + process.memoryUsage().heapUsed + "\\n");
})`;

/** The flags with which a server can be asked for its live heap. */
export const HEAP_FLAGS = ["--expose-gc", `--import=data:text/javascript,${encodeURIComponent(probe)}`];

/** The live heap of a server that was started with HEAP_FLAGS, in KiB. */
export async function liveHeapKiB(server) {
  server.child.kill("SIGUSR2");
  let text = "";
  for (;;) {
    const [chunk] = await once(server.child.stderr, "data");
    text += chunk;
    const found = /HEAP (\d+)\n/.exec(text);
    if (found) return Number(found[1]) / 1024;
  }
}
