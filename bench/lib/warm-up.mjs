/**
 * Servers take turns at warming up, in so many parts. A process that has nothing to do for some seconds gives back memory,
 * and so much of its optimised code that it takes thousands of requests to have it again. The end of its first connections
 * costs it some, too.
 */
const PARTS = 8;

/**
 * Warms up all jobs of a set; one that fails is taken out of it.
 * @param run - does the given share of what a job has to do
 * @param leftOut - hears of a job that failed
 */
export async function warmUp(jobs, run, leftOut) {
  for (let part = 0; part < PARTS; part++) {
    for (const job of jobs) {
      try {
        await run(job, 1 / PARTS);
      } catch (error) {
        jobs.delete(job);
        leftOut(job, error);
      }
    }
  }
}
