import { setTimeout as sleep } from "node:timers/promises";

/** Arguments of a task, as a seed picks them. */
const someTask = (random) => ({
  steps: random.below(9),
  questions: random.below(4),
  milliseconds: random.below(60),
});
const plainTask = () => ({ steps: 5, milliseconds: 20 });

/**
 * The faults that come to real processes and a real Redis while tasks run. `fault` is repeated every `every`
 * milliseconds, at least `faults` times; `tasks` are the fewest of one seed; `allowed` are the figures that may not be 0.
 * With `lag`, Redis has a replica that is this many milliseconds behind.
 */
export const PROCESS_SCENARIOS = [
  {
    id: "F2",
    title: "kill -9 a node every second",
    tasks: 200,
    nodes: 4,
    task: plainTask,
    settings: { spares: 2 },
    fault: ({ nodes, random }) => replaceOne(nodes, random, "SIGKILL"),
  },
  {
    id: "F3",
    title: "freeze a node for longer than its lock",
    tasks: 300,
    every: 3_000,
    task: () => ({ steps: 5, milliseconds: 150 }),
    async fault({ nodes, random, lockDuration }) {
      const node = random.pick(nodes.answering);
      node.signal("SIGSTOP");
      await sleep(lockDuration * 2);
      node.signal("SIGCONT");
    },
  },
  {
    id: "F4",
    title: "kill -9 Redis, back after 0.1 to 3 s",
    tasks: 200,
    // Longer than the longest outage: otherwise Redis is killed again before a node is back.
    every: 3_500,
    fsync: "always",
    task: someTask,
    async fault({ engine, nodes, random, notes }) {
      await engine.kill();
      const over = new AbortController();
      const noticed = untilReady(nodes, false, over.signal);
      await sleep(100 + random.below(2_900));
      await engine.restart();
      // An outage may be too short to be noticed by all.
      over.abort();
      noteMost(notes, "seconds until /readyz of all nodes is 503", await noticed);
      noteMost(notes, "seconds until /readyz of all nodes is 200", await untilReady(nodes, true));
    },
  },
  {
    id: "F5",
    title: "freeze Redis for 0.5 to 5 s",
    tasks: 300,
    every: 2_000,
    task: someTask,
    async fault({ engine, random }) {
      engine.freeze();
      await sleep(500 + random.below(4_500));
      engine.thaw();
    },
  },
  {
    id: "F6",
    title: "Redis emptied",
    tasks: 600,
    every: 1_500,
    faults: 8,
    task: someTask,
    async fault({ engine, client, ledger, effects }) {
      await engine.command("FLUSHALL");
      client.forget();
      effects.read();
      ledger.forget();
    },
  },
  {
    id: "F7",
    title: "cut connections to Redis in the middle of commands and replies",
    tasks: 300,
    every: 300,
    task: someTask,
    fault: ({ proxy, random }) => proxy.cut(random.pick(["command", "reply"])),
  },
  {
    id: "F8",
    title: "kill -9 Redis, its replica misses the last writes; replicated",
    tasks: 200,
    every: 8_000,
    lag: 10,
    // The replica confirms no steps, only answers to clients.
    allowed: ["recordedTwice", "recordedAgain"],
    task: someTask,
    settings: { durability: "replicated" },
    fault: ({ engine, proxy }) => engine.failOver(proxy),
  },
  {
    id: "F8",
    title: "the same; local, which may lose what was acknowledged",
    tasks: 200,
    every: 8_000,
    lag: 200,
    losesTasks: true,
    allowed: ["lost", "endedOtherwise", "recordedTwice", "recordedAgain"],
    task: someTask,
    fault: ({ engine, proxy }) => engine.failOver(proxy),
  },
  {
    id: "F9",
    title: "Redis full for 0.5 to 2 s",
    tasks: 300,
    every: 2_000,
    task: someTask,
    async fault({ engine, random }) {
      await engine.command("CONFIG", "SET", "maxmemory", "1mb");
      await sleep(500 + random.below(1_500));
      await engine.command("CONFIG", "SET", "maxmemory", "0");
    },
  },
  {
    id: "F12",
    title: "clocks of nodes differ by 5 minutes, kill -9 a node every 2 s",
    tasks: 200,
    every: 2_000,
    faults: 8,
    task: someTask,
    settings: { clocks: [300_000, -300_000, 0] },
    fault: ({ nodes, random }) => replaceOne(nodes, random, "SIGKILL"),
  },
  {
    id: "F13",
    title: "rolling deploy: SIGTERM one node after another",
    tasks: 300,
    every: 2_000,
    faults: 8,
    task: someTask,
    settings: { drain: 200 },
    fault: ({ nodes, random }) => replaceOne(nodes, random, "SIGTERM"),
  },
  {
    id: "F14",
    title: "sessions of the official client over 4 nodes, kill -9 that of the stream; events as steps",
    tasks: 10,
    sessions: true,
    words: {
      lost: "events lost",
      recordedTwice: "events that came twice",
      endedOtherwise: "sessions with events out of order, or found after their end",
    },
  },
  {
    id: "F18",
    title: "a handler blocks the loop for 3 lock times",
    tasks: 100,
    every: 2_000,
    lockDuration: 1_000,
    task: someTask,
    async fault({ client }) {
      await client.create({ steps: 2, block: 3_000 });
    },
  },
];

/** Ends a node and lets another take its place. The last one is not ended: nobody could answer. */
function replaceOne(nodes, random, signal) {
  const { answering } = nodes;
  if (answering.length < 2) return false;
  nodes.replace(random.pick(answering), signal);
  return true;
}

/** Seconds until all nodes say that they are ready, or that they are not; 0 if the signal comes first. */
async function untilReady(nodes, wanted, signal) {
  const start = performance.now();
  const wait = async (node) => {
    while ((await node.isReady()) !== wanted && !signal?.aborted) await sleep(50);
  };
  await Promise.all(nodes.answering.map(wait));
  if (signal?.aborted) return 0;
  return (performance.now() - start) / 1000;
}

function noteMost(notes, what, value) {
  notes[what] = Math.max(notes[what] ?? 0, value);
}
