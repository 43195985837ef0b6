import { HEAP_FLAGS, liveHeapKiB } from "../lib/heap.mjs";
import { openSession } from "../lib/http-client.mjs";
import { startServer } from "../lib/server-process.mjs";

/** The first sessions fill caches and grow tables; they are not counted. */
const FIRST = 200;
const TOGETHER = 20;
/** A server that takes longer than this to open all sessions is left out. */
const PATIENCE_SECONDS = 180;

/**
 * Measures the live heap of an idle session of the older revisions, over HTTP.
 * @returns a row for each contender: KiB of live heap for each of `count` sessions
 */
export async function measureSessions({ contenders, count, progress }) {
  const rows = [];
  for (const contender of contenders) {
    try {
      const kib = await measureOne(contender, count);
      rows.push({ name: contender.name, kib });
      progress(`${count} idle sessions: ${contender.name} ${kib.toFixed(2)} KiB each`);
    } catch (error) {
      progress(`LEFT OUT: sessions of ${contender.name}: ${error.message.slice(0, 400)}`);
    }
  }
  return rows;
}

async function measureOne(contender, count) {
  const server = await startServer(contender, "http", "small", HEAP_FLAGS);
  try {
    await openMany(server, FIRST);
    const before = await liveHeapKiB(server);
    await withinPatience(openMany(server, count), `did not open ${count} sessions`);
    return ((await liveHeapKiB(server)) - before) / count;
  } finally {
    await server.stop();
  }
}

function withinPatience(work, problem) {
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`${problem} in ${PATIENCE_SECONDS} s`)), PATIENCE_SECONDS * 1_000).unref();
  });
  return Promise.race([work, late]);
}

async function openMany({ port }, count) {
  for (let opened = 0; opened < count; opened += TOGETHER) {
    const sessions = await Promise.all(Array.from({ length: TOGETHER }, () => openSession(port)));
    if (sessions.includes(undefined)) throw new Error("the server keeps no sessions");
  }
}
