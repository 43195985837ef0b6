import { findProgram } from "./engine.mjs";
import { problemsOf } from "./figures.mjs";
import { runMemory } from "./memory/run.mjs";
import { MEMORY_SCENARIOS } from "./memory/scenarios.mjs";
import { runProcesses } from "./processes.mjs";
import { PROCESS_SCENARIOS } from "./scenarios.mjs";

/** Runs the faults that the options choose; returns a row for each, and the promises that were broken. */
export async function runFaults({ only, memory, processes, seeds, seed, tasks }, say) {
  const [rows, problems] = [[], []];
  const runSeeds = async (place, scenarios, count, run) => {
    for (const scenario of scenarios.filter(({ id }) => only?.includes(id) ?? true)) {
      say(`${scenario.id} ${place}: ${scenario.title}, ${count} seeds`);
      const runs = [];
      for (let number = seed; number < seed + count; number++) {
        const label = `${scenario.id} ${place}, seed ${number}`;
        const figures = await run(scenario, number, (text) => say(`${label}: ${text}`));
        problems.push(...problemsOf(figures, scenario).map((problem) => `${label}: ${problem}`));
        runs.push(figures);
      }
      rows.push({ scenario, place, runs });
    }
  };
  if (!processes) {
    await runSeeds("in memory", MEMORY_SCENARIOS, seeds ?? 20, (scenario, number) => runMemory(scenario, number));
  }
  if (!memory && findProgram() === undefined)
    say("NOT RUN: faults with processes: no valkey-server or redis-server in PATH");
  else if (!memory) {
    await runSeeds("on Redis", PROCESS_SCENARIOS, seeds ?? 1, async (scenario, number, log) => {
      const run = scenario.sessions ? (await import("./sessions.mjs")).runSessions : runProcesses;
      return run(scenario, { seed: number, tasks: tasks ?? scenario.tasks, say: log });
    });
  }
  return { rows, problems };
}
