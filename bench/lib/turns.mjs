import { rawFor } from "../contenders.mjs";

/**
 * Number of turns in which servers warm up. A process that is idle for some seconds releases memory and optimized code,
 * and needs thousands of requests to get it back. Closing its first connections costs some of it, too.
 */
const PARTS = 8;

/**
 * Warms up all jobs of a set.
 * @param run - runs the given share of a job
 * @param leftOut - called with each job that failed
 */
export function warmUp(jobs, run, leftOut) {
  return takeTurns(jobs, PARTS, (job) => run(job, 1 / PARTS), leftOut);
}

/**
 * Measures all jobs of a set in rounds, so that other load on the machine affects all of them alike.
 * @param measure - returns the figures of a job, including its CPU
 * @returns a record for each round of each job: the figures, the name, and the ratio to raw in the same round
 */
export async function measureRounds(jobs, rounds, measure, leftOut) {
  const measured = [];
  const cpuOf = Array.from({ length: rounds }, () => new Map());
  const run = async (job, round) => {
    const { name } = job.contender;
    const figures = await measure(job);
    cpuOf[round].set(name, figures.cpu);
    // The raw servers come first.
    measured.push({ name, ...figures, ratio: figures.cpu / (cpuOf[round].get(rawFor(job.contender)) ?? Number.NaN) });
  };
  await takeTurns(jobs, rounds, run, leftOut);
  return measured;
}

/** Runs all jobs of a set one after the other, `times` times; a job that fails is removed from the set. */
async function takeTurns(jobs, times, run, leftOut) {
  for (let time = 0; time < times; time++) {
    for (const job of jobs) {
      try {
        await run(job, time);
      } catch (error) {
        jobs.delete(job);
        leftOut(job, error);
      }
    }
  }
}
