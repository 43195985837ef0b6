// The server under test, in a process of its own: node main.mjs stdio <folder> | http <folder> <limits as JSON>
import { readdirSync } from "node:fs";
import { createServer } from "./definition.mjs";

const [transport, folder, limits = "{}"] = process.argv.slice(2);
const server = createServer(folder);

if (transport === "stdio") {
  const { serveStdio } = await import("proffer/stdio");
  await serveStdio(server, { principal: { id: process.env.SOAK_SECRET } });
} else {
  const { serveHttp } = await import("proffer/http");
  const { port } = await serveHttp(server, { port: 0, legacySse: true, authenticate, ...JSON.parse(limits) });
  // Node opens stderr when it is first used, which would count as a new handle.
  process.stderr.on("error", () => {});
  // Ctrl-C reaches all processes of a terminal; the parent ends this one.
  process.on("SIGINT", () => {});
  process.on("message", () => process.send(measure()));
  process.once("disconnect", () => process.exit(0));
  process.send({ port });
}

/** The token is the id of the principal; a caller without one is anonymous. */
function authenticate(request) {
  const token = request.header("authorization")?.slice("Bearer ".length);
  return token === undefined ? undefined : { id: token };
}

/** Collects garbage and counts the objects of the process. */
function measure() {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, rss, external } = process.memoryUsage();
  const handles = {};
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1;
  return { heap: heapUsed, rss, external, handles, descriptors: countDescriptors() };
}

/** The open file descriptors, where the operating system lists them. */
function countDescriptors() {
  try {
    // One of the entries is the descriptor that lists them.
    return readdirSync("/proc/self/fd").length - 1;
  } catch {
    return undefined;
  }
}
