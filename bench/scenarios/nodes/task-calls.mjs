import { setTimeout as pause } from "node:timers/promises";
import { median } from "../../lib/statistics.mjs";
import { WITH_TASKS } from "../../workload/messages.mjs";
import { call, measure, micros, send } from "./measure.mjs";

/** Creation, `tasks/get`, steps and wake-ups, compared with a plain call. */
export async function taskCalls({ client, start, rounds }) {
  const [server, memory] = [await start("redis"), await start("memory")];
  const hanging = await call(server, "hang", {}, WITH_TASKS);
  const inMemory = await call(memory, "hang", {}, WITH_TASKS);
  const plain = { era: "modern", method: "tools/call", params: [{ name: "echo", arguments: { text: "hi" } }] };
  const get = (taskId) => ({ era: "modern", method: "tasks/get", params: [{ taskId, _meta: WITH_TASKS }] });
  const found = await measure(
    [
      { server, ...plain },
      { server, ...get(hanging) },
      { server: memory, ...plain },
      { server: memory, ...get(inMemory) },
    ],
    rounds,
    client,
  );
  const { trip } = found;
  const [echo, poll, echoInMemory, pollInMemory] = found.results;
  const getWait = (poll.time - echo.time) / trip;
  for (let warm = 0; warm < 5; warm++) await run(server, "steps");
  const steps = JSON.parse(await run(server, "steps"));
  const begun = await creations(server, client);
  const createWait = (begun.created - begun.plain) / begun.trip;
  const stepRatio = steps[0] / steps[1];
  const limit = 5 * begun.trip + 5;
  const rows = [
    ["creation of a task, time", "plain call + 3 R", `+ ${createWait.toFixed(1)} R`, createWait <= 3],
    ["`tasks/get`, time", "plain call + 1 R", `+ ${getWait.toFixed(1)} R`, getWait <= 1.2],
    ["`tasks/get`, CPU on Redis", "", `${micros(poll.cpu)}, plain call ${micros(echo.cpu)}`],
    ratio("`tasks/get`, CPU in memory", pollInMemory, echoInMemory),
    ["a recorded step", "1 R", `${stepRatio.toFixed(2)} R (${micros(steps[0] * 1e3)})`, stepRatio <= 1.2],
    ["wake-up → handler", `5 R + 5 ms = ${limit.toFixed(1)} ms`, `${begun.woken.toFixed(1)} ms`, begun.woken <= limit],
  ];
  await server.stop();
  await memory.stop();
  return rows;
}

function ratio(what, { cpu }, plain) {
  const value = cpu / plain.cpu;
  return [what, "1.5 × plain call", `${value.toFixed(2)} × ${micros(plain.cpu)}`, value <= 1.5];
}

/** Medians of the time until a creation is answered, and until its handler begins, in ms. */
async function creations(server, client) {
  const [created, woken, trips, plain] = [[], [], [], []];
  for (let round = 0; round < 400; round++) {
    const early = performance.now();
    await call(server, "echo", { text: "hi" });
    const first = performance.now();
    await client.get("bench");
    const begin = performance.now();
    const taskId = await call(server, "begin", {}, WITH_TASKS);
    const answered = performance.now();
    const started = Number(await end(server, taskId)) - performance.timeOrigin;
    if (round < 200) continue;
    plain.push(first - early);
    trips.push(begin - first);
    created.push(answered - begin);
    woken.push(started - begin);
  }
  return { plain: median(plain), created: median(created), woken: median(woken), trip: median(trips) };
}

async function run(server, name) {
  return end(server, await call(server, name, {}, WITH_TASKS));
}

/** Waits for the end of a task and returns its text. */
async function end(server, taskId) {
  for (;;) {
    const { result } = await send(server, "tasks/get", { taskId, _meta: WITH_TASKS });
    if (result.status === "completed") return result.result.content[0].text;
    await pause(2);
  }
}
