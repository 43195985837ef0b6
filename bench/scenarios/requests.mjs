import { connect } from "../lib/link.mjs";
import { startServer } from "../lib/server-process.mjs";
import { mediansBy, quantile } from "../lib/statistics.mjs";
import { measureRounds, warmUp } from "../lib/turns.mjs";
import { CASES } from "../workload/cases.mjs";

/** Enough distinct requests that caching of identical ones has no effect; fewer where each is large. */
const DISTINCT = 1_024;
const DISTINCT_LARGE = 256;
const LARGE = 2_000;

/** After this many requests V8 has optimized the code of every kind of server. */
const WARM_REQUESTS = 40_000;

/** Chunked encoding makes a response longer than the checked one. */
const FRAMING = 64;

/**
 * Measures the CPU that each contender spends on a request of each case. Rounds are interleaved over the contenders, so
 * that other load on the machine affects all of them alike, and each round is compared with raw in the same round.
 * Two processes of the same program may differ by a fifth, depending on how V8 optimizes and places their code: each
 * contender is started several times, and the median of all rounds counts.
 * @returns a row for each transport, case, number in flight and contender
 */
export async function measureRequests({ cases, processes, ...options }) {
  const measured = [];
  for (const profile of new Set(cases.map((name) => CASES[name].profile))) {
    const names = cases.filter((name) => CASES[name].profile === profile);
    for (let number = 1; number <= processes; number++) {
      measured.push(...(await measureProcesses({ profile, names, number, ...options })));
    }
  }
  return summarise(measured);
}

/** Starts a process of each contender, and returns a record for each round of each case. */
async function measureProcesses({ transport, contenders, profile, names, number, progress, ...options }) {
  const { inFlight, rounds, seconds, warm } = options;
  const measured = [];
  const opened = await openAll(contenders, transport, profile, progress);
  for (const name of names) {
    const jobs = await prepareAll(opened, name, { warm, progress });
    for (const concurrency of inFlight) {
      const measureOne = (job) => measure(job, { inFlight: concurrency, seconds });
      const leftOut = ({ contender }, error) => progress(`LEFT OUT: ${contender.name}: ${firstLine(error)}`);
      const records = await measureRounds(new Set(jobs), rounds, measureOne, leftOut);
      const found = records.map((round) => ({ transport, case: name, inFlight: concurrency, ...round }));
      measured.push(...found);
      const where = `${transport}, ${name}, ${concurrency} in flight, process ${number} of each`;
      progress(`${where}: ${summarise(found).map(brief).join(", ")}`);
    }
  }
  await Promise.all(opened.map(({ server }) => server.stop()));
  return measured;
}

async function openAll(contenders, transport, profile, progress) {
  const opened = [];
  for (const contender of contenders) {
    try {
      const server = await startServer(contender, transport, profile);
      opened.push({ contender, server, link: await connect(server, transport) });
    } catch (error) {
      progress(`LEFT OUT: ${contender.name} over ${transport}, ${profile}: ${firstLine(error)}`);
    }
  }
  return opened;
}

async function prepareAll(opened, name, { warm, progress }) {
  const jobs = new Set();
  const leftOut = ({ contender }, error) => progress(`LEFT OUT: ${contender.name}, ${name}: ${firstLine(error)}`);
  for (const one of opened) {
    try {
      jobs.add({ ...one, ...(await prepareCase(one.link, CASES[name])) });
    } catch (error) {
      leftOut(one, error);
    }
  }
  // The first case of a process needs the longest warm-up: its code is not optimized yet.
  const run = (job, share) => {
    const seconds = (job.server.warm ? warm : 5 * warm) * share;
    return job.run({ inFlight: 16, seconds, count: WARM_REQUESTS * share });
  };
  await warmUp(jobs, run, leftOut);
  for (const { server } of jobs) server.warm = true;
  return jobs;
}

/** Checks every distinct response of a case, and creates its load. */
export async function prepareCase(link, { method, params, check, key, whole }) {
  const ask = async (given) => (await link.ask(method, given)).json?.result;
  const list = typeof params === "function" ? await params(ask) : [params];
  let bytes = 0;
  let share = 1;
  for (const given of list) {
    const answer = await link.ask(method, given);
    const result = answer.json?.result;
    if (result === undefined || !check(result, given)) {
      throw new Error(`wrong answer ${JSON.stringify(answer.json ?? answer.body)?.slice(0, 300)}`);
    }
    bytes += answer.bytes / list.length;
    if (whole !== undefined) share = result[key].length / whole;
  }
  const count = JSON.stringify(list[0]).length > LARGE ? DISTINCT_LARGE : DISTINCT;
  return { run: link.prepare({ method, params: list, count }), share, bytes, sameLength: list.length === 1 };
}

async function measure(job, options) {
  const before = job.server.cpuMicros;
  const { latencies, milliseconds, bytes, chunked } = await job.run(options);
  const cpu = job.server.cpuMicros - before;
  checkLength(job, bytes / latencies.length, chunked);
  const done = latencies.length * job.share;
  return {
    cpu: cpu / done,
    perSecond: (done / milliseconds) * 1_000,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    busy: cpu / milliseconds / 1_000,
    bytes: job.bytes / job.share,
  };
}

/** Throws if a response has another length than the checked one. */
function checkLength({ bytes, sameLength }, found, chunked) {
  const tolerance = (chunked ? FRAMING : 0) + (sameLength ? 0 : 0.02 * bytes);
  if (Math.abs(found - bytes) <= tolerance) return;
  throw new Error(`responses have ${found.toFixed(1)} bytes under load, but the checked one had ${bytes}`);
}

/** Returns the medians over all rounds of the same measurement and contender. */
function summarise(measured) {
  return mediansBy(["transport", "case", "inFlight", "name"], measured);
}

function brief({ name, ratio }) {
  return `${name} ${ratio.toFixed(2)}`;
}

function firstLine(error) {
  return error.message.replaceAll("\n", " ").slice(0, 400);
}
