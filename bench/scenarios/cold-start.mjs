import { startServer } from "../lib/server-process.mjs";
import { ask } from "../lib/stdio-client.mjs";
import { initializeRequest } from "../workload/messages.mjs";

/**
 * Measures the time from starting a process to its answer to `initialize`, over stdio. The best of several starts
 * counts: other load on the machine can only make a start slower.
 * @returns a row for each contender: milliseconds, CPU milliseconds, MiB; and the difference to raw in milliseconds
 */
export async function measureColdStart({ contenders, runsOf, progress }) {
  const measured = new Map(contenders.map((contender) => [contender, []]));
  const runs = Math.max(...contenders.map(runsOf));
  for (let run = 0; run < runs; run++) {
    for (const [contender, figures] of measured) {
      if (run >= runsOf(contender)) continue;
      try {
        figures.push(await startOnce(contender));
      } catch (error) {
        measured.delete(contender);
        progress(`LEFT OUT: cold start of ${contender.name}: ${error.message.slice(0, 400)}`);
      }
    }
  }
  const rows = [...measured].map(([{ name }, figures]) => ({
    name,
    milliseconds: Math.min(...figures.map(({ milliseconds }) => milliseconds)),
    cpu: Math.min(...figures.map(({ cpu }) => cpu)),
    rss: Math.min(...figures.map(({ rss }) => rss)),
  }));
  const [raw] = rows;
  for (const row of rows) row.overRaw = row.milliseconds - raw.milliseconds;
  progress(`cold start: ${rows.map(({ name, milliseconds }) => `${name} ${Math.round(milliseconds)} ms`).join(", ")}`);
  return rows;
}

async function startOnce(contender) {
  const begin = performance.now();
  const server = await startServer(contender, "stdio", "start");
  try {
    await ask(server, initializeRequest());
    return { milliseconds: performance.now() - begin, cpu: server.cpuMicros / 1_000, rss: server.rssMiB };
  } finally {
    await server.stop("SIGKILL");
  }
}
