import { CONTENDERS, isOurs } from "./contenders.mjs";
import { DERIVED } from "./lib/derived.mjs";
import { CASES } from "./workload/cases.mjs";

/** Durations, rounds and participants of the two kinds of runs. */
export const PLANS = {
  short: {
    // Each profile of a server takes seconds to warm up: these cases need three profiles.
    cases: ["echo", "nested50", "fixed 1 MiB", "made 1 MiB", "made blob", "template500", "10k resources"],
    processes: 1,
    rounds: 3,
    seconds: 0.2,
    warm: 0.5,
    inFlight: [32],
    coldStarts: { all: 10, judged: 20 },
    calls: [10_000],
    sessions: 3_000,
    listeners: 1_000,
    changes: 10,
    budgets: { processes: 3, rounds: 5, seconds: 0.15, warm: 2, inFlight: [32] },
    isChosen: ({ short }) => short === true,
  },
  all: {
    cases: Object.keys(CASES),
    processes: 3,
    rounds: 2,
    seconds: 0.25,
    warm: 0.6,
    inFlight: [1, 32],
    // A start is short, so its noise is large: the best of 40 varies by several milliseconds.
    coldStarts: { all: 40, judged: 300 },
    calls: [10_000, 100_000],
    sessions: 10_000,
    listeners: 1_000,
    changes: 20,
    // The budgets are measured again, with enough processes to distinguish a difference from noise.
    budgets: { processes: 5, rounds: 5, seconds: 0.15, warm: 2, inFlight: [32] },
    isChosen: () => true,
  },
};

/** Returns the contenders of a scenario. */
export function contendersOf(scenario, isChosen) {
  const { http, stdio } = CONTENDERS;
  const chosen = {
    http: () => http,
    stdio: () => stdio,
    budgets: () => [
      ...http.filter(isJudged).map((one) => ({ ...one, transport: "http" })),
      ...stdio.filter(isJudged).map((one) => ({ ...one, transport: "stdio" })),
    ],
    coldStart: () => [...stdio.filter(isPlain).filter(({ era }) => era === "legacy"), ...DERIVED],
    memory: () => http.filter(isPlain),
    sessions: () => http.filter(({ session }) => session).map((one) => ({ ...one, short: one.sessions })),
    dialogues: () => stdio.filter(isPlain).filter(({ name }) => name !== "fastmcp"),
    changes: () => http.filter(({ name }) => ["raw modern", "Proffer modern", "SDK v2 modern"].includes(name)),
  };
  return chosen[scenario]().filter(isChosen);
}

/** Whether it is Proffer or one of its baselines. */
export function isJudged(contender) {
  return isOurs(contender) || ["raw", "raw again", "raw modern"].includes(contender.name);
}

/** Whether it is not a variant of another contender. */
function isPlain({ name }) {
  return !/again|,|express|hono/.test(name);
}
