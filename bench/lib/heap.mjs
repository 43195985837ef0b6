import { once } from "node:events";

// Preloaded, so that the servers need no code for it: on the signal, a server runs full collections and reports its live
// heap.
const probe = `process.on("SIGUSR2", () => {
  gc();
  gc();
  process.stderr.write("HEAP " + process.memoryUsage().heapUsed + "\\n");
})`;

/** Node flags of a server that can report its live heap. */
export const HEAP_FLAGS = ["--expose-gc", `--import=data:text/javascript,${encodeURIComponent(probe)}`];

/** Returns the live heap of a server that was started with HEAP_FLAGS, in KiB. */
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
