import { rawFor } from "../contenders.mjs";

/**
 * Servers warm up in so many parts. A process that has nothing to do for some seconds gives back memory, and so much of
 * its optimised code that it takes thousands of requests to have it again. The end of its first connections costs it
 * some, too.
 */
const PARTS = 8;

/**
 * Warms up all jobs of a set.
 * @param run - does the given share of what a job has to do
 * @param leftOut - hears of a job that failed
 */
export function warmUp(jobs, run, leftOut) {
  return takeTurns(jobs, PARTS, (job) => run(job, 1 / PARTS), leftOut);
}

/**
 * Measures all jobs of a set in rounds, so that whatever else the machine does hits all of them alike.
 * @param measure - gives the figures of a job, its CPU among them
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

/** All jobs of a set run one after the other, as often as is said; one that fails is taken out of the set. */
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
