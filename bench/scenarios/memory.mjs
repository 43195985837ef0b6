import { HEAP_FLAGS, liveHeapKiB } from "../lib/heap.mjs";
import { connect } from "../lib/link.mjs";
import { startServer } from "../lib/server-process.mjs";
import { CASES } from "../workload/cases.mjs";
import { prepareCase } from "./requests.mjs";

/**
 * Measures the memory of servers over HTTP before and after many calls.
 * @returns a row for each contender, in MiB: resident at first, after each number of calls, and the live heap in the end
 */
export async function measureMemory({ contenders, counts, progress }) {
  const rows = [];
  for (const contender of contenders) {
    try {
      const row = await measureOne(contender, counts);
      rows.push(row);
      progress(`memory: ${contender.name} ${row.after.map((mib) => `${Math.round(mib)} MiB`).join(", ")}`);
    } catch (error) {
      progress(`LEFT OUT: memory of ${contender.name}: ${error.message.slice(0, 400)}`);
    }
  }
  return rows;
}

async function measureOne(contender, counts) {
  const server = await startServer(contender, "http", "small", HEAP_FLAGS);
  try {
    const idle = server.rssMiB;
    const { run } = await prepareCase(await connect(server, "http"), CASES.echo);
    const after = [];
    let done = 0;
    for (const count of counts) {
      await run({ inFlight: 32, seconds: 600, count: count - done });
      done = count;
      after.push(server.rssMiB);
    }
    return { name: contender.name, idle, after, heap: (await liveHeapKiB(server)) / 1024 };
  } finally {
    await server.stop();
  }
}
