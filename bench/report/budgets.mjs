import { isOurs } from "../contenders.mjs";

/** Maximum CPU of a request, as a ratio to raw in the same run. */
const RATIOS = [
  { what: "echo call", cases: ["echo"], http: 1.3, stdio: 1.6 },
  { what: "call with 50 nested objects, validated", cases: ["nested50"], http: 1.3, stdio: 1.45 },
  { what: "read of one template among 500", cases: ["template500"], http: 1.3, stdio: 1.6 },
  {
    what: "100 tools, 10,000 resources, 1 MiB that never changes",
    cases: ["100 tools", "10k resources", "fixed 1 MiB", "fixed blob"],
    http: 0.3,
    stdio: 0.3,
  },
  { what: "1 MiB that is made by each read", cases: ["made 1 MiB", "made blob"], http: 1.1, stdio: 1.1 },
];

/** The cases that have a budget. */
export const BUDGET_CASES = RATIOS.flatMap(({ cases }) => cases);

const COLD_START_MS = 20;
const MEMORY_MIB = 15;
const SESSION_KIB = 1;

/** Returns each budget with its worst measurement: `{ what, budget, found, met }`. */
export function judge(results) {
  return [
    ...RATIOS.flatMap((budget) => ["http", "stdio"].map((transport) => judgeRatio(budget, transport, results))),
    judgeWorst(`cold start over raw, ms`, COLD_START_MS, coldStarts(results)),
    judgeWorst(`memory after 10,000 calls over raw, MiB`, MEMORY_MIB, memories(results)),
    judgeWorst(
      `idle session, KiB`,
      SESSION_KIB,
      ours(results.sessions).map(({ name, kib }) => [kib, name]),
    ),
  ].filter((row) => row !== undefined);
}

function judgeRatio({ what, cases, ...limits }, transport, results) {
  const all = results.budgets?.filter((row) => row.transport === transport) ?? results[transport];
  const rows = ours(all).filter((row) => cases.includes(row.case) && row.inFlight > 1);
  const found = rows.map(({ name, case: which, ratio }) => [ratio, cases.length > 1 ? `${which}, ${name}` : name]);
  return judgeWorst(`${what}, ${transport}`, limits[transport], found);
}

function judgeWorst(what, budget, found) {
  if (found.length === 0) return undefined;
  const [worst, where] = found.reduce((one, other) => (one[0] >= other[0] ? one : other));
  return { what, budget, found: worst, where, met: worst <= budget };
}

/** Leaves out the server that derives at start: production uses `build`. */
function coldStarts({ coldStart }) {
  return ours(coldStart)
    .filter(({ name }) => name !== "Proffer derived")
    .map(({ name, overRaw }) => [overRaw, name]);
}

function memories({ memory = [] }) {
  const raw = memory.find(({ name }) => name === "raw");
  return ours(memory).map(({ name, after }) => [after[0] - raw.after[0], name]);
}

function ours(rows = []) {
  return rows.filter(isOurs);
}
